from launch import LaunchDescription
from launch.actions import (
    DeclareLaunchArgument,
    LogInfo,
    ResetLaunchConfigurations,
    SetLaunchConfiguration,
    UnsetLaunchConfiguration,
)
from launch.substitutions import LaunchConfiguration


def generate_launch_description():
    mode = LaunchConfiguration("mode")
    return LaunchDescription(
        [
            DeclareLaunchArgument(
                "mode", default_value="fast", description="How fast it is.", choices=["slow", "fast"]
            ),
            SetLaunchConfiguration("label", [mode, "_", LaunchConfiguration("suffix", default="none")]),
            LogInfo(msg=["the mode is ", LaunchConfiguration("label")]),
            UnsetLaunchConfiguration("label"),
            LogInfo(msg=["now ", LaunchConfiguration("label", default="unknown")]),
            ResetLaunchConfigurations({"mode": "slow"}),
            LogInfo(msg=["after it ", mode]),
        ]
    )
