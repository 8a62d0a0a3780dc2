"""A guard condition that the program and the callback of the guard condition trigger."""

import rclpy
import rclpy.executors


def main(args=None):
    rclpy.init(args=args)
    node = rclpy.create_node("demo_guard_condition")
    executor = rclpy.executors.SingleThreadedExecutor()
    executor.add_node(node)
    called = 0

    def callback():
        nonlocal called
        called += 1
        rclpy.logging.get_logger("guard").info(f"guard callback called {called}")
        if called == 1:
            guard.trigger()

    guard = node.create_guard_condition(callback)
    executor.spin_once(timeout_sec=0.01)
    assert called == 0
    guard.trigger()
    while called < 2:
        executor.spin_once(timeout_sec=1)
    node.destroy_guard_condition(guard)
    rclpy.shutdown()


if __name__ == "__main__":
    main()
