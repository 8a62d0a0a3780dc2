"""Installs a Python package into a folder, and prints what it has. ``saltus install`` starts this program.

The output is JSON: the name of the package, the plugin names of its components, and its programs with their texts. The
components are the entry points of the group ``saltus.components``, the programs those of ``console_scripts``.
"""

from __future__ import annotations

import json
import pathlib
import re
import shutil
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
    target = pathlib.Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--disable-pip-version-check"]
    # Everything is there before the older version is removed. Packages may share a folder for their modules.
    with tempfile.TemporaryDirectory(dir=target.parent) as staging:
        subprocess.run([*pip, "--target", staging, package], check=True, stdout=sys.stderr)
        (new,) = distributions(path=[staging])
        name = new.metadata["Name"]
        _remove(name, target)
        shutil.copytree(staging, target, dirs_exist_ok=True)
    (installed,) = _versions(name, target)
    return _content(installed, folder)


def _normalized(name: str) -> str:
    return re.sub("[-_.]+", "-", name).lower()


def _versions(name: str, folder: pathlib.Path) -> list[Distribution]:
    """Returns the versions of a distribution in a folder."""
    found = distributions(path=[str(folder)])
    # A folder without a name is no distribution.
    named = [(one.metadata["Name"], one) for one in found]
    return [one for other, one in named if other and _normalized(other) == _normalized(name)]


def _remove(name: str, folder: pathlib.Path) -> None:
    """Removes the files of all versions of a distribution."""
    for version in _versions(name, folder):
        paths = [pathlib.Path(str(version.locate_file(file))).resolve() for file in version.files or ()]
        own = [path for path in paths if folder.resolve() in path.parents]
        for path in own:
            path.unlink(missing_ok=True)
        for metadata in {path.parent for path in own if path.parent.name.endswith(".dist-info")}:
            shutil.rmtree(metadata, ignore_errors=True)


def _content(distribution: Distribution, folder: str) -> dict[str, object]:
    points = distribution.entry_points
    scripts = {}
    for point in points:
        if point.group == "console_scripts":
            module, _, function = point.value.partition(":")
            scripts[point.name] = _SCRIPT.format(python=sys.executable, folder=folder, module=module, function=function)
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
