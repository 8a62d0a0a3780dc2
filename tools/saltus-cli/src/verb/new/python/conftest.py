"""What the tests share."""

import tempfile

import pytest
import saltus


@pytest.fixture
def domain(monkeypatch):
    """Starts Saltus in a domain that only this test uses."""
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        monkeypatch.setenv("SALTUS_SHM_DIR", folder)
        with saltus.init(args=[]):
            yield
