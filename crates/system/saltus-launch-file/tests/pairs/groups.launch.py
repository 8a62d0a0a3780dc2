from launch import LaunchDescription
from launch.actions import GroupAction, LogInfo, SetLaunchConfiguration
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node, PushRosNamespace


def generate_launch_description():
    side = LaunchConfiguration("side")
    return LaunchDescription(
        [
            SetLaunchConfiguration("side", "none"),
            GroupAction(
                [
                    SetLaunchConfiguration("side", "left"),
                    PushRosNamespace(side),
                    Node(package="demo", executable="talker", name="arm"),
                ]
            ),
            GroupAction(
                [Node(package="demo", executable="talker", name=side)],
                scoped=False,
                launch_configurations={"side": "right"},
            ),
            GroupAction(
                [LogInfo(msg=[LaunchConfiguration("inner"), " ", LaunchConfiguration("side", default="hidden")])],
                forwarding=False,
                launch_configurations={"inner": side},
            ),
            LogInfo(msg=side),
        ]
    )
