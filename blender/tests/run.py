# SPDX-License-Identifier: GPL-3.0-or-later
"""All cases, or those with a filter in their name: blender -b --factory-startup --python blender/tests/run.py -- PROGRAM [FILTER...]"""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import cases_bake  # noqa: E402
import cases_break  # noqa: E402
import harness  # noqa: E402

arguments = sys.argv[sys.argv.index("--") + 1 :]
harness.start(arguments[0])
cases = [(name, value) for module in (cases_break, cases_bake) for name, value in vars(module).items() if name.startswith("test_")]
sys.exit(0 if harness.run(cases, arguments[1:]) else 1)
