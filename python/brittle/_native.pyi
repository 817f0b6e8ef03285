# Made by cffi from the headers: what is in it depends on the library, so it has no types of its own.
from typing import Any

ffi: Any
lib: Any
