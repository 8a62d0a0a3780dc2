"""An action client that sends goals as navigation programs do."""

import time

import rclpy
from action_msgs.msg import GoalStatus
from builtin_interfaces.msg import Duration as DurationMessage
from example_interfaces.action import Fibonacci
from geometry_msgs.msg import PoseStamped, PoseWithCovarianceStamped
from lifecycle_msgs.msg import Transition
from rclpy.action import ActionClient
from rclpy.duration import Duration
from rclpy.node import Node
from rclpy.qos import QoSDurabilityPolicy, QoSHistoryPolicy, QoSProfile, QoSReliabilityPolicy
from std_srvs.srv import SetBool


class Navigator(Node):
    def __init__(self):
        super().__init__(node_name="basic_navigator")
        self.goal_handle = self.result_future = self.feedback = self.status = None
        pose_qos = QoSProfile(
            durability=QoSDurabilityPolicy.TRANSIENT_LOCAL,
            reliability=QoSReliabilityPolicy.RELIABLE,
            history=QoSHistoryPolicy.KEEP_LAST,
            depth=1,
        )
        self.initial_pose_received = False
        self.client = ActionClient(self, Fibonacci, "fibonacci")
        self.pose_sub = self.create_subscription(PoseWithCovarianceStamped, "pose", self._pose, pose_qos)
        self.pose_pub = self.create_publisher(PoseWithCovarianceStamped, "pose", pose_qos)
        self.switch = self.create_service(SetBool, "switch", self._switch)
        self.switch_client = self.create_client(SetBool, "switch")

    def _pose(self, msg):
        self.initial_pose_received = True

    def _switch(self, request, response):
        response.success = request.data
        return response

    def set_initial_pose(self):
        msg = PoseWithCovarianceStamped()
        msg.header.frame_id = "map"
        msg.header.stamp = self.get_clock().now().to_msg()
        msg.pose.pose.orientation.w = 1.0
        self.pose_pub.publish(msg)
        while not self.initial_pose_received:
            rclpy.spin_once(self, timeout_sec=1.0)
        self.info("Initial pose received")

    def switch_on(self):
        while not self.switch_client.wait_for_service(timeout_sec=1.0):
            self.info("switch not available")
        future = self.switch_client.call_async(SetBool.Request(data=True))
        rclpy.spin_until_future_complete(self, future)
        return future.result().success

    def go(self, order):
        while not self.client.wait_for_server(timeout_sec=1.0):
            self.info("action server not available")
        send = self.client.send_goal_async(Fibonacci.Goal(order=order), self._feedback)
        rclpy.spin_until_future_complete(self, send)
        self.goal_handle = send.result()
        if not self.goal_handle.accepted:
            self.error("rejected")
            return False
        self.result_future = self.goal_handle.get_result_async()
        return True

    def cancel(self):
        if self.result_future:
            future = self.goal_handle.cancel_goal_async()
            rclpy.spin_until_future_complete(self, future)

    def is_complete(self):
        if not self.result_future:
            return True
        rclpy.spin_until_future_complete(self, self.result_future, timeout_sec=0.05)
        if self.result_future.result():
            self.status = self.result_future.result().status
            return True
        return False

    def _feedback(self, msg):
        self.feedback = msg.feedback

    def info(self, msg):
        self.get_logger().info(msg)

    def warn(self, msg):
        self.get_logger().warn(msg)

    def error(self, msg):
        self.get_logger().error(msg)


def main():
    rclpy.init()
    navigator = Navigator()
    navigator.set_initial_pose()
    print("switched:", navigator.switch_on())
    assert Transition.TRANSITION_CONFIGURE == 1 and SetBool.Response().success is False
    assert navigator.go(4)
    looks = 0
    while not navigator.is_complete():
        looks += 1
    print("succeeded:", navigator.status == GoalStatus.STATUS_SUCCEEDED, "looks:", looks > 0)
    print("feedback:", len(navigator.feedback.sequence) > 2)
    navigator.go(39)
    began = navigator.get_clock().now()
    while not navigator.is_complete():
        took = Duration.from_msg((navigator.get_clock().now() - began).to_msg())
        if took > Duration(seconds=0.2):
            navigator.warn("too slow, %.1f s" % (took.nanoseconds / 1e9))
            navigator.cancel()
        time.sleep(0.01)
    print("canceled:", navigator.status == GoalStatus.STATUS_CANCELED)
    print(
        "duration:",
        Duration.from_msg(DurationMessage(sec=1)) == Duration(seconds=1.0),
        PoseStamped().header.frame_id == "",
    )
    services = dict(navigator.get_service_names_and_types())
    print("services:", services["/switch"])
    navigator.destroy_node()
    rclpy.shutdown()
    exit(0)


if __name__ == "__main__":
    main()
