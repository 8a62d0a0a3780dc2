"""The values of the parameters and remapping rules of nodes, with the functions of ROS 2's ``launch_ros.utilities``."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Iterable, Iterator

from saltus.launch.ros.parameters import Parameter, ParameterFile, ParameterValue
from saltus.launch.substitution import Substitution, TextSubstitution, parts, perform_substitutions
from saltus.launch.type_utils import is_substitution, load_yaml
from saltus.parameter import Parameter as NodeParameter

if TYPE_CHECKING:
    from saltus.launch.context import LaunchContext

__all__ = [
    "evaluate_parameter_dict", "evaluate_parameters", "normalize_parameter_dict", "normalize_parameters",
    "normalize_remap_rule", "normalize_remap_rules", "to_parameters_list",
]  # fmt: skip

_Parts = tuple[Substitution, ...]

_ITEMS = (bool, int, float, str)


def normalize_parameters(parameters: Sequence[Any]) -> tuple[Any, ...]:
    """Returns the parameters of a node: flat mappings, files and single parameters."""
    if isinstance(parameters, str) or not isinstance(parameters, Sequence):
        raise TypeError(f"Expecting list of parameters, got {parameters}")
    return tuple(_normalized_source(source) for source in parameters)


def _normalized_source(source: Any) -> Any:
    if isinstance(source, Mapping):
        return normalize_parameter_dict(source)
    return source if isinstance(source, (Parameter, ParameterFile)) else ParameterFile(source)


def normalize_parameter_dict(parameters: Mapping[Any, Any], *, _prefix: _Parts = ()) -> dict[_Parts, Any]:
    """Returns a mapping without nested mappings. The names of these are joined with dots.

    A text with substitutions is a tuple of these. A text of Python is written as YAML, so that it stays a text.
    """
    normalized: dict[_Parts, Any] = {}
    for name, value in parameters.items():
        full = (*_prefix, *parts(name))
        if isinstance(value, Mapping):
            prefix = (*full, TextSubstitution(text="."))
            normalized.update(normalize_parameter_dict(value, _prefix=prefix))
        else:
            normalized[full] = _normalized_value(value)
    return normalized


def _normalized_value(value: Any) -> Any:
    if isinstance(value, (bool, int, float, bytes, ParameterValue)):
        return value
    if isinstance(value, str) or is_substitution(value):
        return _normalized_text(value)
    if not isinstance(value, Sequence):
        raise TypeError(f"a parameter can't have the value {value!r}")
    items: list[Any] = [item if isinstance(item, (bool, int, float)) else _normalized_text(item) for item in value]
    if {type(item) for item in items} == {int, float}:
        return [float(item) for item in items]
    return items


def _normalized_text(text: Any) -> _Parts:
    # A text in JSON is a text in YAML.
    return (
        (TextSubstitution(text=json.dumps(text, ensure_ascii=False)),) if isinstance(text, str) else tuple(parts(text))
    )


def evaluate_parameters(context: LaunchContext, parameters: Iterable[Any]) -> tuple[Any, ...]:
    """Returns the values of what :func:`normalize_parameters` has returned: mappings, paths and single parameters."""
    return tuple(_evaluated_source(context, source) for source in parameters)


def _evaluated_source(context: LaunchContext, source: Any) -> Any:
    if isinstance(source, ParameterFile):
        return source.evaluate(context)
    if isinstance(source, Parameter):
        source.evaluate(context)
        return source
    return evaluate_parameter_dict(context, source)


def evaluate_parameter_dict(context: LaunchContext, parameters: Mapping[_Parts, Any]) -> dict[str, Any]:
    """Returns the values of what :func:`normalize_parameter_dict` has returned. Texts are read as YAML, lists are tuples."""
    return {perform_substitutions(context, name): _evaluated(context, value) for name, value in parameters.items()}


def _evaluated(context: LaunchContext, value: Any) -> Any:
    if isinstance(value, ParameterValue):
        return value.evaluate(context)
    if isinstance(value, list):
        value = [_from_text(context, item) if isinstance(item, tuple) else item for item in value]
    elif isinstance(value, tuple):
        value = _from_text(context, value)
    if isinstance(value, list):
        return _of_one_type(value)
    if not isinstance(value, (*_ITEMS, bytes)):
        names = ", ".join(kind.__name__ for kind in (*_ITEMS, bytes))
        raise TypeError(f"Allowed value types are {names} and lists. Got {type(value)}.")
    return value


def _from_text(context: LaunchContext, text: _Parts) -> Any:
    performed = perform_substitutions(context, text)
    try:
        return load_yaml(performed) if performed else ""
    except ValueError as error:
        raise TypeError(f"a parameter has a wrong value: {error}") from None


def _of_one_type(items: list[Any]) -> tuple[Any, ...]:
    types = {type(item) for item in items}
    if len(types) != 1 or not types <= set(_ITEMS):
        raise TypeError(
            f"Expected a non-empty sequence, with items of one of the types bool, int, float, str. Got {items}"
        )
    return tuple(items)


def normalize_remap_rule(remap_rule: Any) -> tuple[_Parts, _Parts]:
    """Returns a remapping rule as a pair of tuples of substitutions. Raises ``TypeError`` if it is no pair."""
    if not isinstance(remap_rule, tuple):
        raise TypeError(f"remap_rule must be a tuple of length 2, got {remap_rule!r}")
    if len(remap_rule) != 2:
        raise TypeError(f"remap_rule must be a tuple of length 2, got length {len(remap_rule)}")
    return tuple(parts(remap_rule[0])), tuple(parts(remap_rule[1]))


def normalize_remap_rules(remap_rules: Iterable[Any]) -> Iterator[tuple[_Parts, _Parts]]:
    """Returns remapping rules as pairs of tuples of substitutions."""
    return (normalize_remap_rule(rule) for rule in remap_rules)


def to_parameters_list(
    context: LaunchContext, node_name: str | None, namespace: str, evaluated_parameters: Iterable[Any]
) -> list[NodeParameter]:
    """Returns what :func:`evaluate_parameters` has returned as parameters of a node.

    Of a file, these are the parameters of the node with this name.
    """
    full_name = f"{namespace.rstrip('/')}/{node_name or ''}"
    found: list[tuple[str, Any]] = []
    for source in evaluated_parameters:
        if isinstance(source, Path):
            tree = load_yaml(source.read_text(encoding="utf-8")) or {}
            for values in _values_of_node(tree, full_name, ""):
                found += evaluate_parameter_dict(context, normalize_parameter_dict(values)).items()
        else:
            found += source.items() if isinstance(source, Mapping) else [(source.name, source.value)]
    return [NodeParameter(name, value=value) for name, value in found]


def _values_of_node(tree: Mapping[str, Any], full_name: str, prefix: str) -> Iterator[Mapping[str, Any]]:
    """Returns the parameters in the tree of a file that are for a node. Names may have the wildcards ``*`` and ``**``."""
    for key, value in tree.items():
        if not isinstance(value, Mapping):
            continue
        name = f"{prefix}/{key.strip('/')}"
        if "ros__parameters" not in value:
            yield from _values_of_node(value, full_name, name)
            continue
        pattern = re.escape(name).replace(r"/\*\*", "(/.*)?").replace(r"\*", "[^/]+")
        if re.fullmatch(pattern, full_name):
            yield value["ros__parameters"] or {}
