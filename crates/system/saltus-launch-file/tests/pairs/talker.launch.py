from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node


def generate_launch_description():
    rate = LaunchConfiguration("rate")
    return LaunchDescription(
        [
            DeclareLaunchArgument("rate", default_value="5.0", description="messages per second"),
            Node(
                package="demo",
                executable="talker",
                name="mouth",
                namespace="robot",
                arguments=["--volume", rate, "two words"],
                parameters=[{"rate": rate}, {"names": ["left", "right"]}],
                remappings=[("chatter", "/news")],
                output="screen",
            ),
        ]
    )
