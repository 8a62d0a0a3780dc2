from launch import LaunchDescription
from launch.actions import ExecuteProcess, LogInfo
from launch.substitutions import (
    AllSubstitution,
    AnonName,
    AnySubstitution,
    Command,
    EnvironmentVariable,
    EqualsSubstitution,
    FindExecutable,
    LaunchLogDir,
    ThisLaunchFileDir,
)
from launch_ros.substitutions import ExecutableInPackage, FindPackagePrefix, FindPackageShare


def generate_launch_description():
    return LaunchDescription(
        [
            LogInfo(
                msg=[
                    FindPackagePrefix("demo"),
                    " ",
                    FindPackageShare("demo"),
                    " ",
                    ExecutableInPackage("talker", "demo"),
                ]
            ),
            LogInfo(
                msg=[
                    EnvironmentVariable("HOME"),
                    " ",
                    EnvironmentVariable("NONE", default_value="no value"),
                    " ",
                    AnonName("node"),
                ]
            ),
            LogInfo(
                msg=[
                    AnySubstitution("false", True),
                    " ",
                    AllSubstitution("true", "false"),
                    " ",
                    EqualsSubstitution("a", "a"),
                    " $(plain)",
                ]
            ),
            ExecuteProcess(cmd=[FindExecutable(name="xacro"), [ThisLaunchFileDir(), "/robot.xacro"]]),
            LogInfo(msg=[Command("echo two words"), " ", LaunchLogDir()]),
        ]
    )
