from launch import LaunchDescription
from launch_ros.actions import ComposableNodeContainer, Node, SetParameter, SetParametersFromFile, SetRemap
from launch_ros.descriptions import ComposableNode
from launch_ros.substitutions import Parameter


def generate_launch_description():
    return LaunchDescription(
        [
            SetParameter("use_sim_time", True),
            SetParametersFromFile("/etc/robot/all.yaml"),
            SetRemap("/tf", "tf"),
            Node(package="demo", executable="talker", parameters=[{"simulated": Parameter("use_sim_time")}]),
            ComposableNodeContainer(
                package="rclcpp_components",
                executable="component_container",
                name="box",
                namespace="",
                composable_node_descriptions=[
                    ComposableNode(package="demo", plugin="demo::Talker", name="mouth"),
                ],
            ),
        ]
    )
