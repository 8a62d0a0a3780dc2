from launch import LaunchDescription
from launch.actions import SetLaunchConfiguration
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution, ThisLaunchFileDir
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterFile, ParameterValue
from launch_ros.substitutions import FindPackageShare


def generate_launch_description():
    count = LaunchConfiguration("count")
    return LaunchDescription(
        [
            SetLaunchConfiguration("count", "4"),
            Node(
                package="demo",
                executable="talker",
                parameters=[
                    {
                        "flag": True,
                        "count": count,
                        "label": ParameterValue(count, value_type=str),
                        "speed": 2.5,
                        "text": "hello",
                        "digits": "12",
                        "empty": "",
                        "integers": [1, 2, 3],
                        "floats": [1, 2.5],
                        "flags": [True, False],
                        "words": ["1", "2"],
                        "camera": {"width": 640, "lens": {"focus": 0.5}},
                    },
                    PathJoinSubstitution([FindPackageShare("demo"), "config", "talker.yaml"]),
                    ParameterFile([ThisLaunchFileDir(), "/rate.yaml"], allow_substs=True),
                ],
            ),
        ]
    )
