"""Two servers of AddTwoInts. One callback is a function, the other one is a coroutine."""

import rclpy
from example_interfaces.srv import AddTwoInts
from rclpy.node import Node


class Server(Node):
    def __init__(self):
        super().__init__("minimal_service")
        self.srv = self.create_service(AddTwoInts, "add_two_ints", self.add)
        self.slow = self.create_service(AddTwoInts, "add_two_ints_slowly", self.add_slowly)

    def add(self, request, response):
        response.sum = request.a + request.b
        self.get_logger().info("Incoming request\na: %d b: %d" % (request.a, request.b))
        return response

    async def add_slowly(self, request, response):
        return self.add(request, response)


def main(args=None):
    rclpy.init(args=args)
    server = Server()
    try:
        rclpy.spin(server)
    except KeyboardInterrupt:
        pass
    server.destroy_service(server.slow)
    server.destroy_node()
    rclpy.try_shutdown()


if __name__ == "__main__":
    main()
