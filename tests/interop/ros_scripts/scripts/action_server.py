"""Action servers: one that runs goals concurrently, one that defers goals, and one that runs one goal at a time."""

import threading
import time

import rclpy
from example_interfaces.action import Fibonacci
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import ExternalShutdownException, MultiThreadedExecutor
from rclpy.node import Node


class Server(Node):
    def __init__(self):
        super().__init__("minimal_action_server")
        self._lock = threading.Lock()
        self._current = None
        self._deferred = None
        common = dict(
            callback_group=ReentrantCallbackGroup(),
            goal_callback=self.goal_callback,
            cancel_callback=self.cancel_callback,
        )
        self._plain = ActionServer(self, Fibonacci, "fibonacci", execute_callback=self.execute, **common)
        self._defer = ActionServer(
            self, Fibonacci, "fibonacci_defer", execute_callback=self.execute,
            handle_accepted_callback=self.defer, **common,
        )  # fmt: skip
        self._single = ActionServer(
            self, Fibonacci, "fibonacci_single", execute_callback=self.execute_quickly,
            handle_accepted_callback=self.only_one, **common,
        )  # fmt: skip

    def destroy(self):
        for server in (self._plain, self._defer, self._single):
            server.destroy()
        super().destroy_node()

    def goal_callback(self, goal_request):
        self.get_logger().info("Received goal request")
        return GoalResponse.ACCEPT if goal_request.order < 40 else GoalResponse.REJECT

    def cancel_callback(self, goal_handle):
        self.get_logger().info("Received cancel request")
        return CancelResponse.ACCEPT

    def defer(self, goal_handle):
        self._deferred = goal_handle
        self.get_logger().info("Deferring execution...")
        self._timer = self.create_timer(0.1, self.later)

    def later(self):
        self._timer.cancel()
        self._deferred.execute()

    def only_one(self, goal_handle):
        with self._lock:
            if self._current is not None and self._current.is_active:
                self.get_logger().info("Aborting previous goal")
                self._current.abort()
            self._current = goal_handle
        goal_handle.execute()

    async def execute(self, goal_handle):
        self.get_logger().info("Executing goal...")
        feedback = Fibonacci.Feedback()
        feedback.sequence = [0, 1]
        for i in range(1, goal_handle.request.order):
            if goal_handle.is_cancel_requested:
                goal_handle.canceled()
                self.get_logger().info("Goal canceled")
                return Fibonacci.Result()
            feedback.sequence.append(feedback.sequence[i] + feedback.sequence[i - 1])
            goal_handle.publish_feedback(feedback)
            time.sleep(0.05)
        goal_handle.succeed()
        result = Fibonacci.Result()
        result.sequence = feedback.sequence
        self.get_logger().info("Returning result: {0}".format(result.sequence))
        return result

    def execute_quickly(self, goal_handle):
        while goal_handle.is_active and not goal_handle.is_cancel_requested:
            time.sleep(0.01)
            if goal_handle.request.order < 10:
                goal_handle.succeed()
        if goal_handle.is_active:
            goal_handle.canceled()
        return Fibonacci.Result(sequence=[goal_handle.request.order])


def main(args=None):
    try:
        rclpy.init(args=args)
        server = Server()
        # Goals of several clients are executed, and canceled, at the same time.
        executor = MultiThreadedExecutor(num_threads=8)
        rclpy.spin(server, executor=executor)
        server.destroy()
    except (KeyboardInterrupt, ExternalShutdownException):
        pass


if __name__ == "__main__":
    main()
