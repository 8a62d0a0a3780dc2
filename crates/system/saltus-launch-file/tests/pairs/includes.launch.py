from launch import LaunchDescription
from launch.actions import GroupAction, IncludeLaunchDescription, LogInfo
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution, ThisLaunchFileDir
from launch_ros.actions import PushROSNamespace


def generate_launch_description():
    def arm(side):
        path = PathJoinSubstitution([ThisLaunchFileDir(), "arm.launch.py"])
        return IncludeLaunchDescription(PythonLaunchDescriptionSource(path), launch_arguments={"side": side}.items())

    return LaunchDescription(
        [
            arm("left"),
            GroupAction([PushROSNamespace("second"), arm("right")]),
            LogInfo(msg=["the last side is ", LaunchConfiguration("side")]),
        ]
    )
