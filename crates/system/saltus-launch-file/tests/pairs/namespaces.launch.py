from launch import LaunchDescription
from launch_ros.actions import Node, PushROSNamespace


def generate_launch_description():
    def talker(**names):
        return Node(package="demo", executable="talker", **names)

    return LaunchDescription(
        [
            talker(name="a"),
            talker(name="b", namespace="outer"),
            PushROSNamespace("robot"),
            talker(name="c"),
            talker(name="d", namespace="inner"),
            talker(name="e", namespace="/absolute"),
            PushROSNamespace("arm"),
            talker(namespace="hand"),
        ]
    )
