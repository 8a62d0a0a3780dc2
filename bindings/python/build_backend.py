"""The build backend: maturin's, after building the `saltus` command that the wheel carries.

The command goes into the wheel as the program that it is, not as a Python script around it: `saltus bench`
starts itself again for its rows.
"""

import os
import pathlib
import shutil
import subprocess

import maturin
from maturin import *  # noqa: F403 - a backend is its functions

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "target" / "wheel-data" / "scripts"

# maturin wants it there whatever it is asked for.
SCRIPTS.mkdir(parents=True, exist_ok=True)


def _build_command():
    # Cargo puts what it builds for another machine into a folder of that machine's name.
    machine = os.environ.get("CARGO_BUILD_TARGET", "")
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / machine
    subprocess.run(["cargo", "build", "--release", "--locked", "-p", "saltus-cli"], cwd=ROOT, check=True)
    shutil.copy2(target / "release" / "saltus", SCRIPTS / "saltus")


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    _build_command()
    return maturin.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    _build_command()
    return maturin.build_editable(wheel_directory, config_settings, metadata_directory)
