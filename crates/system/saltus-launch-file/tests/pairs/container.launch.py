from launch import LaunchDescription
from launch.conditions import IfCondition
from launch_ros.actions import ComposableNodeContainer
from launch_ros.descriptions import ComposableNode


def generate_launch_description():
    return LaunchDescription(
        [
            ComposableNodeContainer(
                package="rclcpp_components",
                executable="component_container_mt",
                name="box",
                namespace="robot",
                arguments=["--threads", "4"],
                composable_node_descriptions=[
                    ComposableNode(
                        package="demo",
                        plugin="demo::Talker",
                        name="mouth",
                        namespace="head",
                        parameters=[{"rate": 2}],
                        remappings=[("chatter", "news")],
                        extra_arguments=[{"use_intra_process_comms": True}],
                    ),
                    ComposableNode(package="demo", plugin="demo::Talker", name="never", condition=IfCondition("false")),
                ],
            ),
        ]
    )
