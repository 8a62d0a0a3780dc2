"""Has the hook of the plugin of ROS 2's launch_testing_ros."""


def pytest_launch_collect_makemodule(path, parent, entrypoint):
    """Must not be called."""
    raise AssertionError("ROS 2's plugin was called")
