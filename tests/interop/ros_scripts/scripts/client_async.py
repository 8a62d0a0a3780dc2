"""A client that checks its future after each spin."""

import rclpy
from example_interfaces.srv import AddTwoInts


def main(args=None):
    rclpy.init(args=args)
    node = rclpy.create_node("minimal_client_async")
    client = node.create_client(AddTwoInts, "add_two_ints")
    request = AddTwoInts.Request()
    request.a = 41
    request.b = 1
    while not client.wait_for_service(timeout_sec=1.0):
        node.get_logger().info("service not available, waiting again...")
    assert client.service_is_ready()
    future = client.call_async(request)
    while rclpy.ok():
        rclpy.spin_once(node)
        if future.done():
            try:
                result = future.result()
            except Exception as e:
                node.get_logger().info("Service call failed %r" % (e,))
            else:
                node.get_logger().info("Result of add_two_ints: for %d + %d = %d" % (request.a, request.b, result.sum))
            break
    late = client.call_async(request)
    rclpy.spin_until_future_complete(node, late, timeout_sec=5.0)
    print("and again:", late.result().sum)
    node.destroy_client(client)
    node.destroy_node()
    rclpy.shutdown()


if __name__ == "__main__":
    main()
