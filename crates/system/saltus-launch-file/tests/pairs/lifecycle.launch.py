from launch import LaunchDescription
from launch_ros.actions import LifecycleNode


def generate_launch_description():
    return LaunchDescription(
        [
            LifecycleNode(package="demo", executable="talker", name="camera", namespace="robot", autostart=True),
            LifecycleNode(
                package="demo",
                executable="talker",
                name="detector",
                namespace="robot",
                ready={"state": "active", "timeout": 10.0},
                after=["/robot/camera"],
            ),
        ]
    )
