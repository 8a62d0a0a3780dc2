from launch import LaunchDescription
from launch.actions import (
    AppendEnvironmentVariable,
    ExecuteProcess,
    LogInfo,
    ResetEnvironment,
    SetEnvironmentVariable,
    UnsetEnvironmentVariable,
)
from launch.substitutions import EnvironmentVariable
from launch_ros.actions import SetROSLogDir


def generate_launch_description():
    return LaunchDescription(
        [
            SetEnvironmentVariable("ROBOT", "arm"),
            AppendEnvironmentVariable("PATH", "/opt/robot/bin"),
            AppendEnvironmentVariable("PATH", "/first", prepend=True),
            ExecuteProcess(cmd=["run", EnvironmentVariable("ROBOT")], additional_env={"OWN": "1"}),
            UnsetEnvironmentVariable("ROBOT"),
            LogInfo(msg=EnvironmentVariable("ROBOT", default_value="none")),
            ResetEnvironment(),
            ExecuteProcess(cmd=["run", EnvironmentVariable("ROBOT", default_value="two words")]),
            SetROSLogDir("/var/log/robot"),
            ExecuteProcess(cmd=["run"]),
        ]
    )
