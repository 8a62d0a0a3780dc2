"""The build backend. It builds the programs that the wheel contains, and then calls maturin.

The wheel contains the programs themselves and not Python scripts that call them, because `saltus` starts the programs
beside its own file.
"""

import os
import pathlib
import shutil
import subprocess

import maturin
from maturin import *  # noqa: F403 - the functions of a build backend (PEP 517)

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "target" / "wheel-data" / "scripts"

# Each function of maturin needs this folder.
SCRIPTS.mkdir(parents=True, exist_ok=True)


PROGRAMS = ("saltus", "saltus-robot", "saltus-bench")


def _build_programs():
    # If CARGO_BUILD_TARGET is set, Cargo writes the programs into a folder with the name of that target.
    triple = os.environ.get("CARGO_BUILD_TARGET", "")
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / triple
    # `make dist` builds them for older systems, and says where they are.
    folder = os.environ.get("SALTUS_PROGRAMS")
    if folder is None:
        bins = [word for name in PROGRAMS for word in ("--bin", name)]
        subprocess.run(["cargo", "build", "--release", "--locked", "--workspace", *bins], cwd=ROOT, check=True)
        folder = target / "release"
    for name in PROGRAMS:
        shutil.copy2(pathlib.Path(folder) / name, SCRIPTS / name)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    _build_programs()
    return maturin.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    _build_programs()
    return maturin.build_editable(wheel_directory, config_settings, metadata_directory)
