"""Tests that run while a launch does, with the classes of ROS 2's ``launch_testing``.

``launch_test my_test.py`` and pytest run such tests. They may also import these modules as ``launch_testing``::

    @pytest.mark.launch_test
    def generate_test_description():
        return LaunchDescription([Node(package="demo", executable="talker"), launch_testing.actions.ReadyToTest()])

    class TestTalker(unittest.TestCase):
        def test_it_talks(self, proc_output):
            proc_output.assertWaitFor("Hello")
"""

from saltus.launch_testing import actions, asserts, event_handlers, markers, tools, util
from saltus.launch_testing.description import parametrize, post_shutdown_test, ready_to_test_action_timeout
from saltus.launch_testing.io_handler import ActiveIoHandler, IoHandler
from saltus.launch_testing.proc_info_handler import ActiveProcInfoHandler, ProcInfoHandler
from saltus.launch_testing.ready_aggregator import ReadyAggregator

__all__ = [
    "ActiveIoHandler", "ActiveProcInfoHandler", "IoHandler", "ProcInfoHandler", "ReadyAggregator", "actions", "asserts",
    "event_handlers", "markers", "parametrize", "post_shutdown_test", "ready_to_test_action_timeout", "tools", "util",
]  # fmt: skip
