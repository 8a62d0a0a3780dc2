"""Functions for nodes, with the names of ROS 2's ``launch_ros.utilities``."""

from saltus.launch.ros.evaluation import (
    evaluate_parameter_dict,
    evaluate_parameters,
    normalize_parameter_dict,
    normalize_parameters,
    normalize_remap_rule,
    normalize_remap_rules,
    to_parameters_list,
)
from saltus.launch.ros.namespaces import (
    is_namespace_absolute,
    is_root_namespace,
    make_namespace_absolute,
    prefix_namespace,
)
from saltus.launch.ros.node_names import add_node_name, get_node_name_count

__all__ = [
    "add_node_name", "evaluate_parameter_dict", "evaluate_parameters", "get_node_name_count", "is_namespace_absolute",
    "is_root_namespace", "make_namespace_absolute", "normalize_parameter_dict", "normalize_parameters",
    "normalize_remap_rule", "normalize_remap_rules", "prefix_namespace", "to_parameters_list",
]  # fmt: skip
