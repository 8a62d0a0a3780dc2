"""Installs a Python package into a folder, and prints what it has. ``saltus install`` starts this program.

The output is JSON: the name of the package, the plugin names of its components, and its programs with their texts. The
components are the entry points of the group ``saltus.components``, the programs those of ``console_scripts``.
"""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys
import tempfile
from importlib.metadata import Distribution, distributions

_SCRIPT = """#!{python}
import sys

sys.path.insert(0, {folder!r})
from {module} import {function}

sys.exit({function}())
"""


def install(package: str, folder: str) -> dict[str, object]:
    """Installs a package with pip, without its dependencies. Returns what it has."""
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--upgrade", "--disable-pip-version-check"]
    with tempfile.TemporaryDirectory() as wheels:
        # A wheel tells which distribution the folder has.
        build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--disable-pip-version-check"]
        subprocess.run([*build, "--wheel-dir", wheels, package], check=True, stdout=sys.stderr)
        (wheel,) = pathlib.Path(wheels).glob("*.whl")
        subprocess.run([*pip, "--target", folder, str(wheel)], check=True, stdout=sys.stderr)
        name = wheel.name.split("-")[0]
    return _content(_distribution(name, folder), folder)


def _distribution(name: str, folder: str) -> Distribution:
    found = [one for one in distributions(path=[folder]) if one.metadata["Name"].replace("-", "_") == name]
    return found[0]


def _content(distribution: Distribution, folder: str) -> dict[str, object]:
    points = distribution.entry_points
    scripts = {}
    for point in points:
        if point.group == "console_scripts":
            module, _, function = point.value.partition(":")
            scripts[point.name] = _SCRIPT.format(
                python=sys.executable, folder=folder, module=module, function=function
            )
    return {
        "name": distribution.metadata["Name"],
        "components": sorted(point.value for point in points if point.group == "saltus.components"),
        "scripts": scripts,
    }


if __name__ == "__main__":
    try:
        print(json.dumps(install(*sys.argv[1:])))
    except subprocess.CalledProcessError:
        # pip has printed why.
        sys.exit(1)
