"""An action client that cancels its goal in the callback of a one-shot timer."""

import rclpy
from action_msgs.msg import GoalStatus
from example_interfaces.action import Fibonacci
from rclpy.action import ActionClient
from rclpy.node import Node


class Client(Node):
    def __init__(self):
        super().__init__("canceler")
        self._client = ActionClient(self, Fibonacci, "fibonacci")
        self.over = rclpy.task.Future()

    def cancel_done(self, future):
        response = future.result()
        if len(response.goals_canceling) > 0:
            self.get_logger().info("Goal successfully canceled")
        else:
            self.get_logger().info("Goal failed to cancel")
        self._handle.get_result_async().add_done_callback(self.over.set_result)

    def on_timer(self):
        self.get_logger().info("Canceling goal")
        self._handle.cancel_goal_async().add_done_callback(self.cancel_done)
        self._timer.cancel()

    def goal_response(self, future):
        self._handle = future.result()
        self._timer = self.create_timer(0.2, self.on_timer)

    def send(self):
        self._client.wait_for_server()
        self._client.send_goal_async(Fibonacci.Goal(order=39)).add_done_callback(self.goal_response)


def main(args=None):
    rclpy.init(args=args)
    client = Client()
    client.send()
    rclpy.spin_until_future_complete(client, client.over)
    is_canceled = client.over.result().result().status == GoalStatus.STATUS_CANCELED
    print("the result says:", "canceled" if is_canceled else "something else")
    client._client.destroy()
    client.destroy_node()
    rclpy.shutdown()


if __name__ == "__main__":
    main()
