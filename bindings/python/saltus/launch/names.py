"""The names under which launch files import this package."""

from __future__ import annotations

import importlib
import re

from saltus._aliases import AliasFinder

__all__ = ["install"]

#: The modules of ROS 2, and those of this package. Each class of ROS 2 is also in a module of its own.
_MODULES = {
    "launch": "saltus.launch",
    "launch.action": "saltus.launch.entity",
    "launch.actions": "saltus.launch.actions",
    "launch.actions.shutdown_action": "saltus.launch.actions",
    "launch.condition": "saltus.launch.conditions",
    "launch.conditions": "saltus.launch.conditions",
    "launch.descriptions": "saltus.launch.executable",
    "launch.event": "saltus.launch.events",
    "launch.event_handler": "saltus.launch.event_handlers",
    "launch.event_handlers": "saltus.launch.event_handlers",
    "launch.events": "saltus.launch.events",
    "launch.events.matchers": "saltus.launch.events",
    "launch.events.process": "saltus.launch.events.process",
    "launch.events.process.process_matchers": "saltus.launch.events.process",
    "launch.frontend": "saltus.launch.frontend",
    "launch.frontend.entity": "saltus.launch.elements",
    "launch.frontend.expose": "saltus.launch.frontend.expose",
    "launch.frontend.parse_substitution": "saltus.launch.frontend.parse_substitution",
    "launch.frontend.parser": "saltus.launch.frontend.parser",
    "launch.invalid_launch_file_error": "saltus.launch.errors",
    "launch.launch_introspector": "saltus.launch.service",
    "launch.launch_service": "saltus.launch.service",
    "launch.logging": "saltus.launch.logging",
    "launch.logging.handlers": "saltus.launch.log_handlers",
    "launch.launch_context": "saltus.launch.context",
    "launch.launch_description": "saltus.launch.entity",
    "launch.launch_description_entity": "saltus.launch.entity",
    "launch.launch_description_source": "saltus.launch.launch_description_sources",
    "launch.launch_description_sources": "saltus.launch.launch_description_sources",
    "launch.some_entities_type": "saltus.launch.entity",
    "launch.some_substitutions_type": "saltus.launch.substitution",
    "launch.substitution": "saltus.launch.substitution",
    "launch.substitutions": "saltus.launch.substitutions",
    "launch.substitutions.boolean_substitution": "saltus.launch.boolean_substitution",
    "launch.utilities": "saltus.launch.utilities",
    "launch.utilities.class_tools_impl": "saltus.launch.utilities",
    "launch.utilities.signal_management": "saltus.launch.signals",
    "launch.utilities.type_utils": "saltus.launch.type_utils",
    "launch_xml": "saltus.launch.frontend.xml",
    "launch_xml.entity": "saltus.launch.frontend.xml",
    "launch_xml.parser": "saltus.launch.frontend.xml",
    "launch_xml.launch_description_sources": "saltus.launch.launch_description_sources",
    "launch_yaml": "saltus.launch.frontend.yaml",
    "launch_yaml.entity": "saltus.launch.frontend.yaml",
    "launch_yaml.parser": "saltus.launch.frontend.yaml",
    "launch_yaml.launch_description_sources": "saltus.launch.launch_description_sources",
    "launch_ros": "saltus.launch.ros",
    "launch_ros.actions": "saltus.launch.ros.actions",
    "launch_ros.actions.load_composable_nodes": "saltus.launch.ros.loading",
    "launch_ros.descriptions": "saltus.launch.ros.descriptions",
    "launch_ros.event_handlers": "saltus.launch.ros.event_handlers",
    "launch_ros.events": "saltus.launch.ros.events",
    "launch_ros.events.lifecycle": "saltus.launch.ros.events.lifecycle",
    "launch_ros.events.lifecycle.change_state": "saltus.launch.ros.events.lifecycle",
    "launch_ros.events.lifecycle.state_transition": "saltus.launch.ros.events.lifecycle",
    "launch_ros.events.matchers": "saltus.launch.ros.events",
    "launch_ros.parameter_descriptions": "saltus.launch.ros.parameters",
    "launch_ros.substitutions": "saltus.launch.ros.substitutions",
    "launch_ros.utilities": "saltus.launch.ros.utilities",
    "launch_ros.utilities.namespace_utils": "saltus.launch.ros.namespaces",
    "launch_ros.utilities.track_node_names": "saltus.launch.ros.node_names",
    "ament_index_python": "saltus.launch.index",
    "ament_index_python.packages": "saltus.launch.index",
    "ament_index_python.resources": "saltus.launch.index",
    "ament_index_python.search_paths": "saltus.launch.index",
}
#: The modules for tests. They are loaded only when a program imports them.
_TESTING = {
    "launch_testing": "saltus.launch_testing",
    "launch_testing.actions": "saltus.launch_testing.actions",
    "launch_testing.asserts": "saltus.launch_testing.asserts",
    "launch_testing.event_handlers": "saltus.launch_testing.event_handlers",
    "launch_testing.io_handler": "saltus.launch_testing.io_handler",
    "launch_testing.junitxml": "saltus.launch_testing.junitxml",
    "launch_testing.launch_test": "saltus.launch_testing.command",
    "launch_testing.legacy": "saltus.launch_testing.legacy",
    "launch_testing.legacy.output": "saltus.launch_testing.legacy.output",
    "launch_testing.loader": "saltus.launch_testing.loader",
    "launch_testing.markers": "saltus.launch_testing.markers",
    "launch_testing.parse_arguments": "saltus.launch_testing.arguments",
    "launch_testing.print_arguments": "saltus.launch_testing.arguments",
    "launch_testing.proc_info_handler": "saltus.launch_testing.proc_info_handler",
    "launch_testing.pytest": "saltus.launch_testing.pytest",
    "launch_testing.pytest.hooks": "saltus.launch_testing.pytest.hooks",
    "launch_testing.ready_aggregator": "saltus.launch_testing.ready_aggregator",
    "launch_testing.test_result": "saltus.launch_testing.test_result",
    "launch_testing.test_runner": "saltus.launch_testing.test_runner",
    "launch_testing.tools": "saltus.launch_testing.tools",
    "launch_testing.tools.output": "saltus.launch_testing.tools.output",
    "launch_testing.tools.process": "saltus.launch_testing.tools.process",
    "launch_testing.tools.text": "saltus.launch_testing.text",
    "launch_testing.util": "saltus.launch_testing.util",
    "launch_testing_ros": "saltus.launch_testing.ros",
    "launch_testing_ros.data_republisher": "saltus.launch_testing.ros.data_republisher",
    "launch_testing_ros.message_pump": "saltus.launch_testing.ros.message_pump",
    "launch_testing_ros.test_runner": "saltus.launch_testing.test_runner",
    "launch_testing_ros.tools": "saltus.launch_testing.ros.tools",
    "launch_testing_ros.wait_for_topics": "saltus.launch_testing.ros.wait_for_topics",
}
_WITH_MODULES_OF_CLASSES = [
    "launch.actions", "launch.conditions", "launch.descriptions", "launch.event_handlers", "launch.events", "launch.events.process",
    "launch.launch_description_sources", "launch.substitutions", "launch_ros.actions", "launch_ros.descriptions",
    "launch_ros.event_handlers", "launch_ros.substitutions",
]  # fmt: skip


def _snake_case(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def install() -> None:
    """Makes ``launch``, ``launch_ros``, ``launch_testing`` and ``ament_index_python`` importable, also if ROS 2 is installed."""
    targets = dict(_MODULES)
    for name in _WITH_MODULES_OF_CLASSES:
        target = _MODULES[name]
        for item in importlib.import_module(target).__all__:
            if item[0].isupper():
                targets.setdefault(f"{name}.{_snake_case(item)}", target)
    for name, target in targets.items():
        parent = name.rpartition(".")[0]
        if parent:
            module = importlib.import_module(targets[parent])
            # Only a package has modules.
            if not hasattr(module, "__path__"):
                module.__path__ = []
    AliasFinder({**targets, **_TESTING}).install(first=True)
    # So that `import launch` is enough for `launch.events.process`.
    for name in _MODULES:
        if name.startswith(("launch.", "launch_ros.")):
            importlib.import_module(name)
