"""A node with a service that adds two numbers."""

import saltus
from saltus.executors import ExternalShutdownException
from saltus.msgs.example_interfaces.srv import AddTwoInts


class AddNode(saltus.Node):
    """Serves ``add_two_ints``."""

    def __init__(self):
        super().__init__("@name@")
        self.service = self.create_service(AddTwoInts, "add_two_ints", self.add)

    def add(self, request, response):
        self.get_logger().info(f"adding {request.a} and {request.b}")
        response.sum = request.a + request.b
        return response


def main():
    """Runs the node until Ctrl-C."""
    try:
        with saltus.init():
            saltus.spin(AddNode())
    except (KeyboardInterrupt, ExternalShutdownException):
        pass


if __name__ == "__main__":
    main()
