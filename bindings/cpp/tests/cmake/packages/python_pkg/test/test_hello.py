"""A test."""

import os

from python_pkg import hello


def test_hello():
    """The environment and the path of the test are set."""
    assert hello.main() == 0
    assert os.environ["PYTHON_PKG_TEST"] == "value"
