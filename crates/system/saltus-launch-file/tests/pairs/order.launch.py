from launch import LaunchDescription
from launch_ros.actions import Node


def generate_launch_description():
    return LaunchDescription(
        [
            Node(
                package="demo",
                executable="talker",
                name="driver",
                restart={"policy": "on-failure", "backoff": 0.5, "max_backoff": 8.0, "max": 10},
                ready={"topic": "/scan", "timeout": 5.0},
            ),
            Node(
                package="demo",
                executable="talker",
                name="planner",
                restart={"policy": "always"},
                after=["/driver", "talker"],
            ),
        ]
    )
