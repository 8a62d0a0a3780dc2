"""Tools for launch tests with nodes, with the classes of ROS 2's ``launch_testing_ros``."""

from saltus.launch_testing.ros import tools
from saltus.launch_testing.ros.data_republisher import DataRepublisher
from saltus.launch_testing.ros.message_pump import MessagePump
from saltus.launch_testing.ros.wait_for_topics import WaitForTopics
from saltus.launch_testing.test_runner import LaunchTestRunner

__all__ = ["DataRepublisher", "LaunchTestRunner", "MessagePump", "WaitForTopics", "tools"]
