"""An action server for `/fibonacci`, written for rclpy."""

import rclpy
from action_tutorials_interfaces.action import Fibonacci
from rclpy.action import ActionServer


def execute(goal) -> Fibonacci.Result:
    """Computes as many numbers as the goal says, with feedback for each."""
    sequence = [0, 1]
    for _ in range(1, goal.request.order):
        sequence.append(sequence[-1] + sequence[-2])
        goal.publish_feedback(Fibonacci.Feedback(partial_sequence=sequence))
    goal.succeed()
    return Fibonacci.Result(sequence=sequence)


rclpy.init()
node = rclpy.create_node("fibonacci_server")
server = ActionServer(node, Fibonacci, "fibonacci", execute)
rclpy.spin(node)
