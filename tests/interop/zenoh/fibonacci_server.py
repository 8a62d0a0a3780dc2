"""An action server for `/fibonacci`, written for rclpy. Goals can be canceled."""

import time

import rclpy
from action_tutorials_interfaces.action import Fibonacci
from rclpy.action import ActionServer, CancelResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import MultiThreadedExecutor


def execute(goal) -> Fibonacci.Result:
    """Computes as many numbers as the goal says, with feedback for each."""
    sequence = [0, 1]
    for _ in range(1, goal.request.order):
        if goal.is_cancel_requested:
            goal.canceled()
            return Fibonacci.Result(sequence=sequence)
        # Small numbers, because they must fit into 32 bits.
        sequence.append((sequence[-1] + sequence[-2]) % 1000)
        goal.publish_feedback(Fibonacci.Feedback(partial_sequence=sequence))
        time.sleep(0.02)  # the time of the work
    goal.succeed()
    return Fibonacci.Result(sequence=sequence)


rclpy.init()
node = rclpy.create_node("fibonacci_server")
server = ActionServer(
    node,
    Fibonacci,
    "fibonacci",
    execute,
    callback_group=ReentrantCallbackGroup(),
    cancel_callback=lambda _: CancelResponse.ACCEPT,
)
executor = MultiThreadedExecutor(num_threads=3)
executor.add_node(node)
executor.spin()
