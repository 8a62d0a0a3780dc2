"""A client that is called in a timer callback. The callback is a coroutine that awaits the response."""

import rclpy
from example_interfaces.srv import AddTwoInts
from rclpy.callback_groups import ReentrantCallbackGroup


def main(args=None):
    rclpy.init(args=args)
    node = rclpy.create_node("minimal_client")
    group = ReentrantCallbackGroup()
    client = node.create_client(AddTwoInts, "add_two_ints_slowly", callback_group=group)
    did_run = False
    did_get_result = False

    async def call_service():
        nonlocal did_run, did_get_result
        did_run = True
        try:
            future = client.call_async(AddTwoInts.Request(a=1, b=2))
            try:
                result = await future
            except Exception as e:
                node.get_logger().info("Service call failed %r" % (e,))
            else:
                node.get_logger().info("Result: %d" % result.sum)
        finally:
            did_get_result = True

    while not client.wait_for_service(timeout_sec=1.0):
        node.get_logger().info("waiting")
    timer = node.create_timer(0.05, call_service, callback_group=group)
    while rclpy.ok() and not did_run:
        rclpy.spin_once(node)
    if did_run:
        timer.cancel()
    while rclpy.ok() and not did_get_result:
        rclpy.spin_once(node)
    node.destroy_node()
    rclpy.shutdown()


if __name__ == "__main__":
    main()
