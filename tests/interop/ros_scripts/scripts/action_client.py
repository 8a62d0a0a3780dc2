"""An action client with callbacks for acceptance, feedback and result. One goal is rejected."""

import rclpy
from action_msgs.msg import GoalStatus
from example_interfaces.action import Fibonacci
from rclpy.action import ActionClient
from rclpy.node import Node


class Client(Node):
    def __init__(self):
        super().__init__("minimal_action_client")
        self._client = ActionClient(self, Fibonacci, "fibonacci")

    def goal_response(self, future):
        goal_handle = future.result()
        if not goal_handle.accepted:
            self.get_logger().info("Goal rejected :(")
            rclpy.shutdown()
            return
        self.get_logger().info("Goal accepted :)")
        goal_handle.get_result_async().add_done_callback(self.got_result)

    def feedback(self, message):
        self.get_logger().info("Received feedback: {0}".format(list(message.feedback.sequence)))

    def got_result(self, future):
        status, result = future.result().status, future.result().result
        if status == GoalStatus.STATUS_SUCCEEDED:
            self.get_logger().info("Goal succeeded! Result: {0}".format(list(result.sequence)))
        self.send(100)

    def send(self, order):
        self.get_logger().info("Waiting for action server...")
        self._client.wait_for_server()
        goal = Fibonacci.Goal()
        goal.order = order
        sent = self._client.send_goal_async(goal, feedback_callback=self.feedback)
        sent.add_done_callback(self.goal_response)


def main(args=None):
    rclpy.init(args=args)
    client = Client()
    client.send(6)
    rclpy.spin(client)


if __name__ == "__main__":
    main()
