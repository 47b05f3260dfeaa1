# SPDX-License-Identifier: Apache-2.0
"""Prints what pyproject.toml lists for building without isolation and for the tests."""

import re
from pathlib import Path

text = Path("pyproject.toml").read_text(encoding="utf-8")
# Python 3.10 has no tomllib; the two lists are on a line each.
for key in ("requires", "test"):
    line = re.search(rf"^{key} = \[(.*)\]$", text, re.MULTILINE)
    for requirement in re.findall(r'"([^"]+)"', line[1]):
        if not requirement.startswith("torch"):
            print(requirement)
