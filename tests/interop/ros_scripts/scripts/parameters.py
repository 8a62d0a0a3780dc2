"""Parameters: declaration, descriptions, callbacks before, during and after setting, and setting by a client."""

import rclpy
from rcl_interfaces.msg import ParameterDescriptor, SetParametersResult
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.parameter import Parameter


class Guarded(Node):
    def __init__(self):
        super().__init__("parameter_server")
        self.declare_parameter("param1", 0.0)
        self.declare_parameter("param2", 0.0)
        self.declare_parameter("name", "none", ParameterDescriptor(description="a name"))
        self.declare_parameter("fixed", 1, ParameterDescriptor(read_only=True))
        self.internal = self.get_parameter("param1").value
        self.get_logger().info("started with %s" % self.get_parameter("name").get_parameter_value().string_value)
        self.add_pre_set_parameters_callback(self.before)
        self.add_on_set_parameters_callback(self.on)
        self.add_post_set_parameters_callback(self.after)

    def before(self, parameter_list):
        if any(parameter.name == "param1" for parameter in parameter_list):
            return parameter_list + [Parameter("param2", Parameter.Type.DOUBLE, 4.0)]
        return parameter_list

    def on(self, parameter_list):
        result = SetParametersResult()
        for parameter in parameter_list:
            if parameter.name == "param1" and parameter.value < 0:
                result.successful = False
                result.reason = "param1 must not be negative"
                return result
        result.successful = True
        return result

    def after(self, parameter_list):
        for parameter in parameter_list:
            self.get_logger().info(f"{parameter.name} is {parameter.value}")


def main(args=None):
    rclpy.init(args=args)
    node = Guarded()
    try:
        rclpy.spin(node)
    except (KeyboardInterrupt, ExternalShutdownException):
        pass


if __name__ == "__main__":
    main()
