"""Tools for tests: processes that a test starts itself, and the comparison of their output."""

from saltus.launch_testing.tools.output import basic_output_filter, expect_output, expected_output_from_file
from saltus.launch_testing.tools.process import ProcessProxy, launch_process

__all__ = ["ProcessProxy", "basic_output_filter", "expect_output", "expected_output_from_file", "launch_process"]
