from launch import LaunchDescription
from launch_ros.actions import ComposableNodeContainer, LoadComposableNodes, PushROSNamespace
from launch_ros.descriptions import ComposableNode


def generate_launch_description():
    return LaunchDescription(
        [
            ComposableNodeContainer(
                package="saltus",
                executable="container",
                name="box",
                namespace="",
                arguments=["--crash-isolated"],
            ),
            PushROSNamespace("robot"),
            LoadComposableNodes(
                target_container="/box",
                composable_node_descriptions=[
                    ComposableNode(package="demo", plugin="demo::Talker", name="first", autostart=True),
                    ComposableNode(package="demo", plugin="demo::Talker", name="second"),
                ],
            ),
        ]
    )
