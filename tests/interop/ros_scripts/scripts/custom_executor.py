"""A custom executor: callbacks of nodes with high priority run on a thread pool, others on the thread that spins."""

from concurrent.futures import ThreadPoolExecutor

import rclpy
from rclpy.executors import Executor, ExternalShutdownException, ShutdownException, TimeoutException
from rclpy.node import Node
from std_msgs.msg import String


class PriorityExecutor(Executor):
    def __init__(self):
        super().__init__()
        self.high_priority = set()
        self.workers = ThreadPoolExecutor(max_workers=2)

    def add_high_priority_node(self, node):
        self.high_priority.add(node)
        self.add_node(node)

    def spin_once(self, timeout_sec=None):
        try:
            handler, entity, node = self.wait_for_ready_callbacks(timeout_sec=timeout_sec)
        except (ShutdownException, TimeoutException, StopIteration):
            return
        if node in self.high_priority:
            self.workers.submit(handler)
        else:
            handler()
            if handler.exception() is not None:
                raise handler.exception()

    def spin(self):
        while rclpy.ok():
            self.spin_once()


def main():
    rclpy.init()
    talker, listener = Node("talker"), Node("listener")
    publisher = talker.create_publisher(String, "chatter", 10)
    talker.create_timer(0.02, lambda: publisher.publish(String(data="important")))
    listener.create_subscription(String, "chatter", lambda m: print("listener:", m.data), 10)
    executor = PriorityExecutor()
    executor.add_high_priority_node(talker)
    executor.add_node(listener)
    try:
        executor.spin()
    except (KeyboardInterrupt, ExternalShutdownException):
        print("ended")
    finally:
        executor.workers.shutdown()
        executor.shutdown()
        rclpy.try_shutdown()


if __name__ == "__main__":
    main()
