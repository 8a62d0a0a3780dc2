"""Tests that are processes of a launch, with the interface that ``launch_testing`` had first."""

from saltus.launch_testing.legacy import output
from saltus.launch_testing.legacy.service import LaunchTestService

__all__ = ["LaunchTestService", "output"]
