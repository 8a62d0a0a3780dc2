"""The one-shot timer benchmark of the package ros_transitions, as its authors describe it.

A timer of the node makes the node's state machine leave a state, and a client records the timeouts. Runs with ROS 2's
rclpy, or with Saltus under `python -m saltus.ros`. Follows "Timers" of bench/peers/README.md.
"""

import oneshot
import rclpy
import ros_transitions
import transitions
from example_interfaces.msg import String
from rclpy.executors import SingleThreadedExecutor
from rclpy.logging import LoggingSeverity


def main():
    given = oneshot.arguments()
    rclpy.init()
    node = ros_transitions.Node()
    node.get_logger().set_level(LoggingSeverity.WARN)
    machine = transitions.Machine(states=["inactive", "active"], initial="inactive", queued=True)
    machine.add_transition("timeout", "active", "inactive")
    machine.add_transition("activate", "inactive", "active")
    node.machine = machine
    timer = node.create_timer(given.timeout_us / 1e6, machine.timeout)
    timer.cancel()
    machine.get_state("active").add_callback("enter", lambda event: timer.reset())
    machine.get_state("active").add_callback("exit", lambda event: timer.cancel())
    machine.get_state("inactive").add_callback("enter", "activate")
    recorder = oneshot.TimeoutRecorder(given)
    client = rclpy.create_node("client", namespace="machine")
    client.create_subscription(String, "event", lambda event: event.data == "timeout" and recorder.record(), 10)
    executor = SingleThreadedExecutor()
    for one in (node, client):
        executor.add_node(one)
    while not client.get_publishers_info_by_topic("/machine/event"):
        executor.spin_once(timeout_sec=0.1)
    machine.activate()
    while not recorder.is_full:
        executor.spin_once(timeout_sec=5.0)
    recorder.report(getattr(rclpy, "__version__", "unknown"))


main()
