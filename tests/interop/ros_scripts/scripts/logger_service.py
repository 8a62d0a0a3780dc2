"""A node whose log level other nodes may set, and all names of severities that programs use."""

import rclpy
from rcl_interfaces.msg import LoggerLevel
from rcl_interfaces.srv import GetLoggerLevels, SetLoggerLevels
from rclpy.impl.logging_severity import LoggingSeverity
from rclpy.node import Node


def main(args=None):
    rclpy.init(args=args)
    server = Node("logger_node", enable_logger_service=True)
    client = rclpy.create_node("client")
    executor = rclpy.executors.SingleThreadedExecutor()
    executor.add_node(server)
    executor.add_node(client)

    def call(srv_type, name, request):
        cli = client.create_client(srv_type, name)
        assert cli.wait_for_service(timeout_sec=10.0)
        future = cli.call_async(request)
        executor.spin_until_future_complete(future, timeout_sec=10.0)
        return future.result()

    for level in (LoggingSeverity.DEBUG, LoggingSeverity.ERROR):
        request = SetLoggerLevels.Request(levels=[LoggerLevel(name="logger_node", level=level)])
        assert call(SetLoggerLevels, "/logger_node/set_logger_levels", request).results[0].successful
        got = call(GetLoggerLevels, "/logger_node/get_logger_levels", GetLoggerLevels.Request(names=["logger_node"]))
        print("level is", got.levels[0].level)
        logger = server.get_logger()
        for severity in ("debug", "info", "warn", "error", "fatal"):
            getattr(logger, severity)(f"{severity} at {int(level)}")
    rclpy.logging.set_logger_level("logger_node", getattr(rclpy.logging.LoggingSeverity, "WARN"))
    assert rclpy.logging.get_logger_effective_level("logger_node") == LoggingSeverity.WARN
    assert rclpy.logging.get_logging_severity_from_string("fatal") == 50
    rclpy.shutdown()


if __name__ == "__main__":
    main()
