"""A node with an action that computes Fibonacci numbers."""

import time

import saltus
from saltus.action import ActionServer, CancelResponse
from saltus.callback_groups import ReentrantCallbackGroup
from saltus.executors import ExternalShutdownException, MultiThreadedExecutor
from saltus.msgs.example_interfaces.action import Fibonacci


class FibonacciNode(saltus.Node):
    """Serves ``fibonacci``. Goals can be cancelled while they run, if the node is spun by several threads."""

    def __init__(self):
        super().__init__("@name@")
        self.server = ActionServer(
            self,
            Fibonacci,
            "fibonacci",
            self.compute,
            callback_group=ReentrantCallbackGroup(),
            cancel_callback=lambda goal: CancelResponse.ACCEPT,
        )

    def compute(self, goal_handle):
        """Computes ten numbers per second, and sends them as feedback."""
        numbers = [0, 1]
        while len(numbers) <= goal_handle.request.order:
            if goal_handle.is_cancel_requested:
                goal_handle.canceled()
                return Fibonacci.Result(sequence=numbers)
            numbers.append(numbers[-1] + numbers[-2])
            goal_handle.publish_feedback(Fibonacci.Feedback(sequence=numbers))
            # This stands for work that takes time.
            time.sleep(0.1)
        goal_handle.succeed()
        return Fibonacci.Result(sequence=numbers)


def main():
    """Runs the node until Ctrl-C."""
    try:
        with saltus.init():
            saltus.spin(FibonacciNode(), MultiThreadedExecutor())
    except (KeyboardInterrupt, ExternalShutdownException):
        pass


if __name__ == "__main__":
    main()
