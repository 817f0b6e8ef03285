from . import _call
from .material import *
from .mesh import *
from .pieces import *
from .picture import *
