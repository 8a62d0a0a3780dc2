"""Parameters and their values."""

from __future__ import annotations

import array
from enum import Enum
from typing import Any

from saltus import _native
from saltus._interfaces import class_of

PARAMETER_SEPARATOR_STRING = "."

#: For each type, the field of ``rcl_interfaces/msg/ParameterValue`` that has the value.
_FIELDS = (
    "", "bool_value", "integer_value", "double_value", "string_value", "byte_array_value", "bool_array_value",
    "integer_array_value", "double_array_value", "string_array_value",
)  # fmt: skip


class Parameter:
    """A parameter and its value.

    >>> Parameter("rate", value=10.0).type_
    <Type.DOUBLE: 3>
    """

    class Type(Enum):
        """The types of parameters. The numbers are those of ``rcl_interfaces/msg/ParameterType``."""

        NOT_SET = 0
        BOOL = 1
        INTEGER = 2
        DOUBLE = 3
        STRING = 4
        BYTE_ARRAY = 5
        BOOL_ARRAY = 6
        INTEGER_ARRAY = 7
        DOUBLE_ARRAY = 8
        STRING_ARRAY = 9

        @classmethod
        def from_parameter_value(cls, parameter_value: Any) -> Parameter.Type:
            """Returns the type of a Python value."""
            if isinstance(parameter_value, array.array):
                parameter_value = list(parameter_value)
            return cls(_native.parameter_type(parameter_value))

        def check(self, parameter_value: Any) -> bool:
            """Returns whether a Python value has this type."""
            try:
                found = Parameter.Type.from_parameter_value(parameter_value)
            except TypeError:
                return False
            is_empty_list = isinstance(parameter_value, (list, tuple)) and not parameter_value
            return found is self or is_empty_list and self.value >= 5

    def __init__(self, name: str, type_: Parameter.Type | None = None, value: Any = None) -> None:
        if type_ is None:
            type_ = Parameter.Type.from_parameter_value(value)
        if not isinstance(type_, Parameter.Type):
            raise TypeError("type must be an instance of 'saltus.parameter.Parameter.Type'")
        if not type_.check(value):
            raise ValueError(f"Type '{type_}' and value '{value}' do not agree")
        self._type_, self._name, self._value = type_, name, value

    @classmethod
    def _of(cls, name: str, type_number: int, value: Any) -> Parameter:
        return cls(name, cls.Type(type_number), value)

    @classmethod
    def from_parameter_msg(cls, param_msg: Any) -> Parameter:
        """Creates a parameter from a ``rcl_interfaces/msg/Parameter``."""
        value = param_msg.value
        return cls(param_msg.name, cls.Type(value.type), parameter_value_to_python(value))

    @property
    def name(self) -> str:
        """The name of the parameter."""
        return self._name

    @property
    def type_(self) -> Parameter.Type:
        """The type of the value."""
        return self._type_

    @property
    def value(self) -> Any:
        """The value of the parameter."""
        return self._value

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Parameter):
            return NotImplemented
        return (self._name, self._type_, self._value) == (other._name, other._type_, other._value)

    def __repr__(self) -> str:
        return f"Parameter(name={self._name!r}, type_={self._type_}, value={self._value!r})"

    def get_parameter_value(self) -> Any:
        """Returns the value as a ``rcl_interfaces/msg/ParameterValue``."""
        message = class_of("rcl_interfaces/msg/ParameterValue")(type=self._type_.value)
        if self._type_ is not Parameter.Type.NOT_SET:
            value = self._value
            setattr(message, _FIELDS[self._type_.value], list(value) if self._type_.value >= 5 else value)
        return message

    def to_parameter_msg(self) -> Any:
        """Returns the parameter as a ``rcl_interfaces/msg/Parameter``."""
        return class_of("rcl_interfaces/msg/Parameter")(name=self._name, value=self.get_parameter_value())

    def _triple(self) -> tuple[str, int, Any]:
        return self._name, self._type_.value, self._value


def parameter_value_to_python(parameter_value: Any) -> Any:
    """Returns the Python value of a ``rcl_interfaces/msg/ParameterValue``."""
    if parameter_value.type >= len(_FIELDS):
        raise RuntimeError(f"unexpected parameter type {parameter_value.type}")
    if parameter_value.type == 0:
        return None
    value = getattr(parameter_value, _FIELDS[parameter_value.type])
    return list(value) if parameter_value.type >= 5 else value


def get_parameter_value(string_value: str) -> Any:
    """Returns a ``rcl_interfaces/msg/ParameterValue`` from a text in YAML."""
    type_number, value = _native.parameter_from_text(string_value)
    return Parameter._of("", type_number, value).get_parameter_value()


def parameter_dict_from_yaml_file(
    parameter_file: str, use_wildcard: bool = False, target_nodes: list[str] | None = None, namespace: str = ""
) -> dict[str, Any]:
    """Returns the parameters of a YAML file, each as a ``rcl_interfaces/msg/Parameter``. The keys are the names.

    These are the parameters of ``target_nodes``, or of all nodes in the file if ``target_nodes`` is ``None``. With
    ``use_wildcard`` the parameters of ``/**`` are included.
    """
    import yaml

    with open(parameter_file, encoding="utf-8") as file:
        content = yaml.safe_load(file) or {}
    nodes = [node for node in content if node != "/**"] if target_nodes is None else list(target_nodes)
    wanted = (["/**"] if use_wildcard and "/**" in content else []) + nodes
    found: dict[str, Any] = {}
    for node in wanted:
        given = content.get(node, content.get(node.lstrip("/")))
        if given is None or "ros__parameters" not in given:
            raise RuntimeError(f"Invalid structure of parameter file in node {node}")
        for name, value in _flat(given["ros__parameters"] or {}, namespace):
            found[name] = Parameter(name, value=value).to_parameter_msg()
    if not found:
        raise RuntimeError("Param file does not contain any valid parameters")
    return found


def _flat(parameters: dict[str, Any], prefix: str) -> list[tuple[str, Any]]:
    flat: list[tuple[str, Any]] = []
    for key, value in parameters.items():
        name = f"{prefix}{PARAMETER_SEPARATOR_STRING}{key}" if prefix else str(key)
        if isinstance(value, dict):
            flat += _flat(value, name)
        else:
            flat.append((name, value))
    return flat
