from launch import LaunchDescription
from launch.actions import ExecuteProcess, Shutdown
from launch_ros.actions import Node


def generate_launch_description():
    return LaunchDescription(
        [
            ExecuteProcess(
                cmd=["recorder", "--all"],
                name="recording",
                cwd="/tmp",
                output="both",
                shell=True,
                emulate_tty=True,
                respawn=True,
                respawn_delay=2.0,
                respawn_max_retries=5,
                sigterm_timeout="1.0",
                sigkill_timeout="2.0",
            ),
            Node(
                package="demo",
                executable="talker",
                exec_name="speaker",
                prefix="gdb --args",
                ros_arguments=["--log-level", "debug"],
                on_exit=Shutdown(),
            ),
        ]
    )
