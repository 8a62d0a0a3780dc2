# A launch test. The test suite runs it with a stand-in for launch_testing.
