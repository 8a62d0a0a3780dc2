"""A talker or listener. The command line sets its QoS profile, and the number of messages after which it ends."""

import argparse
import sys

import rclpy
from rclpy.node import Node
from rclpy.qos import (
    QoSDurabilityPolicy,
    QoSHistoryPolicy,
    QoSProfile,
    QoSReliabilityPolicy,
    qos_profile_sensor_data,
    qos_profile_system_default,
)
from rclpy.utilities import remove_ros_args
from std_msgs.msg import String


def main(argv=sys.argv[1:]):
    parser = argparse.ArgumentParser(formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("role", choices=["talker", "listener"])
    parser.add_argument("--reliable", dest="profile", action="store_const", const="reliable")
    parser.add_argument("--latched", dest="profile", action="store_const", const="latched")
    parser.add_argument("-n", "--number_of_cycles", type=int, default=20)
    rclpy.init(args=argv)
    args = parser.parse_args(remove_ros_args(args=argv))
    if args.profile == "reliable":
        profile = QoSProfile(
            depth=10,
            reliability=QoSReliabilityPolicy.RELIABLE,
            history=QoSHistoryPolicy.KEEP_LAST,
            durability=QoSDurabilityPolicy.VOLATILE,
        )
        assert profile.reliability is QoSReliabilityPolicy.RELIABLE
    elif args.profile == "latched":
        profile = QoSProfile(depth=3, durability=QoSDurabilityPolicy.TRANSIENT_LOCAL)
    else:
        profile = qos_profile_sensor_data if args.role == "listener" else qos_profile_system_default
    node = Node(f"{args.role}_qos")
    done = 0

    def heard(message):
        nonlocal done
        done += 1
        node.get_logger().info(f"I heard: [{message.data}]")

    def say():
        nonlocal done
        done += 1
        publisher.publish(String(data=f"{args.profile}: {done}"))

    if args.role == "listener":
        node.create_subscription(String, "chatter", heard, profile)
    else:
        publisher = node.create_publisher(String, "chatter", profile)
        node.create_timer(0.02, say)
    try:
        while done < args.number_of_cycles:
            rclpy.spin_once(node)
        print(f"{args.role} is done")
        if args.role == "talker":
            rclpy.spin(node)
    except KeyboardInterrupt:
        pass
    finally:
        node.destroy_node()
        rclpy.try_shutdown()


if __name__ == "__main__":
    main()
