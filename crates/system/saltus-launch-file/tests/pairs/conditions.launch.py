from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, ExecuteProcess, GroupAction, LogInfo
from launch.conditions import IfCondition, UnlessCondition
from launch.substitutions import (
    AndSubstitution,
    EqualsSubstitution,
    IfElseSubstitution,
    LaunchConfiguration,
    NotEqualsSubstitution,
    NotSubstitution,
    OrSubstitution,
)


def generate_launch_description():
    simulated = LaunchConfiguration("simulated")
    return LaunchDescription(
        [
            DeclareLaunchArgument("simulated", default_value="true"),
            LogInfo(msg="simulated", condition=IfCondition(simulated)),
            LogInfo(msg="real", condition=UnlessCondition(simulated)),
            GroupAction(
                [ExecuteProcess(cmd=["simulator", "--quiet"])],
                condition=IfCondition(AndSubstitution(simulated, NotSubstitution("false"))),
            ),
            GroupAction(
                [ExecuteProcess(cmd=["driver"])],
                condition=IfCondition(OrSubstitution("false", EqualsSubstitution(simulated, "no"))),
            ),
            LogInfo(
                msg=[IfElseSubstitution(simulated, "yes", "no"), " ", NotEqualsSubstitution(1, 1.0)],
                condition=IfCondition("1"),
            ),
        ]
    )
