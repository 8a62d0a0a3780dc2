"""The build backend. It builds the `saltus` command that the wheel contains, and then calls maturin.

The wheel contains the program itself and not a Python script that calls it, because `saltus bench` starts its own
program file again for each row.
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


def _build_command():
    # If CARGO_BUILD_TARGET is set, Cargo writes the program into a folder with the name of that target.
    triple = os.environ.get("CARGO_BUILD_TARGET", "")
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / triple
    subprocess.run(["cargo", "build", "--release", "--locked", "-p", "saltus-cli"], cwd=ROOT, check=True)
    shutil.copy2(target / "release" / "saltus", SCRIPTS / "saltus")


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    _build_command()
    return maturin.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    _build_command()
    return maturin.build_editable(wheel_directory, config_settings, metadata_directory)
