from launch import LaunchDescription
from launch.actions import ExecuteProcess, LogInfo, SetLaunchConfiguration, Shutdown, TimerAction
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import RosTimer, SetUseSimTime


def generate_launch_description():
    delay = LaunchConfiguration("delay")
    return LaunchDescription(
        [
            SetLaunchConfiguration("delay", "1.5"),
            TimerAction(
                period=delay,
                actions=[LogInfo(msg=["after ", delay, " s"]), ExecuteProcess(cmd=["late"])],
            ),
            RosTimer(period=3.0, cancel_on_shutdown=False, actions=[Shutdown(reason="it took too long")]),
            SetUseSimTime(True),
        ]
    )
