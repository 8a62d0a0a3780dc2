from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node


def generate_launch_description():
    return LaunchDescription(
        [
            DeclareLaunchArgument("side", default_value="middle"),
            DeclareLaunchArgument("joints", default_value="3"),
            Node(
                package="demo",
                executable="talker",
                name=[LaunchConfiguration("side"), "_arm"],
                parameters=[{"joints": LaunchConfiguration("joints")}],
            ),
        ]
    )
