"""The packages that `saltus new` creates: they build, run, end on Ctrl-C, and their tests pass."""

import os
import pathlib
import shutil
import signal
import subprocess
import sys

import pytest
from conftest import ROOT

COMMAND = pathlib.Path(sys.executable).with_name("saltus")
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))


def run(*command, folder, **environment):
    environment = {**os.environ, **environment}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def make(folder, *options):
    """Creates the package `patrol`. Returns its folder."""
    run(COMMAND, "new", "patrol", *options, folder=folder)
    return folder / "patrol"


def status_of(node, folder, **environment):
    """Returns the status that the command receives from a node, and the exit code of the node after Ctrl-C."""
    environment = {**os.environ, **environment}
    with subprocess.Popen(node, cwd=folder, env=environment, stderr=subprocess.DEVNULL) as process:
        try:
            received = run(COMMAND, "topic", "echo", "--once", "/status", folder=folder, **environment)
        finally:
            process.send_signal(signal.SIGINT)
        return received, process.wait(timeout=20)


@pytest.mark.parametrize("options", [(), ("--interfaces",)], ids=["bundled", "own"])
def test_a_rust_package(tmp_path, options):
    package = make(tmp_path, "--lang", "rust", *options, "--saltus", str(ROOT))
    # The package uses the lock file of the repository, so that no dependency is built twice.
    shutil.copy(ROOT / "Cargo.lock", package)
    target = {"CARGO_TARGET_DIR": str(TARGET)}
    assert "test the_node_publishes_its_status ... ok" in run("cargo", "test", folder=package, **target)
    run("cargo", "build", folder=package, **target)
    received, code = status_of([TARGET / "debug" / "patrol"], package)
    assert received.startswith("header:" if options else "data: step "), received
    assert code == 0


KINDS = ["component", "service", "action"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_rust_package_of_another_kind(tmp_path, kind):
    package = make(tmp_path, "--lang", "rust", "--template", kind, "--saltus", str(ROOT))
    shutil.copy(ROOT / "Cargo.lock", package)
    output = run("cargo", "test", folder=package, CARGO_TARGET_DIR=str(TARGET))
    assert f"test the_{kind}_" in output and "1 passed" in output


@pytest.mark.parametrize("kind", KINDS)
def test_a_python_package_of_another_kind(tmp_path, kind):
    package = make(tmp_path, "--lang", "python", "--template", kind)
    assert "1 passed" in run(sys.executable, "-m", "pytest", "--rootdir", ".", "-p", "no:cacheprovider", folder=package)


@pytest.mark.parametrize("options", [(), ("--interfaces",)], ids=["bundled", "own"])
def test_a_python_package(tmp_path, options):
    package = make(tmp_path, "--lang", "python", *options)
    assert "1 passed" in run(sys.executable, "-m", "pytest", "--rootdir", ".", "-p", "no:cacheprovider", folder=package)
    own = {"SALTUS_INTERFACE_PATH": str(package / "patrol" / "interfaces")} if options else {}
    received, code = status_of([sys.executable, "-m", "patrol.node"], package, **own)
    assert received.startswith("header:" if options else "data: step "), received
    assert code == 0


def test_existing_packages_are_not_overwritten_and_names_are_checked(tmp_path):
    make(tmp_path, "--lang", "python")

    def refused(*arguments):
        done = subprocess.run([COMMAND, "new", *arguments], cwd=tmp_path, capture_output=True, text=True, timeout=60)
        assert done.returncode == 1
        return done.stderr

    assert "patrol already exists" in refused("patrol", "--lang", "python")
    assert "expected a package name of lowercase letters" in refused("Patrol", "--lang", "python")
    assert "can't be the name of a package" in refused("import", "--lang", "python")
    assert "leave --template out" in refused("rover", "--lang", "python", "--template", "action", "--interfaces")
    assert "leave --template out, or choose --lang cpp" in refused("rover", "--lang", "c", "--template", "service")
    assert "give its folder with --saltus FOLDER" in refused("rover", "--lang", "rust", "--saltus", "nowhere")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["patrol"]
