"""The parameters of nodes, with the classes of ROS 2's ``launch_ros.parameter_descriptions``."""

from __future__ import annotations

import tempfile
import typing
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, List

from saltus.launch.attributes import Attribute, Each, Function, children
from saltus.launch.frontend.parse_substitution import parse_substitution
from saltus.launch.substitution import (
    SomeSubstitutionsType,
    Substitution,
    SubstitutionFailure,
    bool_text,
    parts,
    perform_substitutions,
    text_json,
)
from saltus.launch.type_utils import (
    is_substitution,
    load_yaml,
    normalize_typed_substitution,
    perform_typed_substitution,
)

if TYPE_CHECKING:
    from saltus.launch.context import LaunchContext
    from saltus.launch.elements import ElementParser, Entity
    from saltus.launch.registry import Registry

__all__ = ["Parameter", "ParameterFile", "ParameterValue", "sources_json"]

_TYPES = {bool: "bool", int: "integer", float: "float", str: "string"}
_LISTS = {bool: "bools", int: "integers", float: "floats", str: "strings"}


def _type_name(value_type: Any) -> str | None:
    """Returns the name of a type for the launcher."""
    if value_type is None:
        return None
    if typing.get_origin(value_type) is list:
        return _LISTS[typing.get_args(value_type)[0]]
    return _TYPES[value_type]


_UNKNOWN = object()


class ParameterValue:
    """The value of a parameter, with its type."""

    def __init__(self, value: Any, *, value_type: Any = None) -> None:
        self._value, self.value_type = _normalized(value, value_type), value_type
        self._evaluated: Any = _UNKNOWN

    @property
    def value(self) -> Any:
        """The value, in which texts with substitutions are lists of these until it was evaluated."""
        return self._value if self._evaluated is _UNKNOWN else self._evaluated

    def evaluate(self, context: LaunchContext) -> Any:
        """Returns the value. A text with substitutions is read as its type, or as YAML."""
        self._evaluated = perform_typed_substitution(context, self._value, self.value_type)
        return self._evaluated

    def to_json(self, registry: Registry) -> dict[str, Any]:
        """Returns the value for the launcher."""
        return value_json(self._value, registry, _type_name(self.value_type))


def _normalized(value: Any, value_type: Any) -> Any:
    """Returns a value in which each text with substitutions is a list of these."""
    value = frozen(value)
    if value_type is not None:
        return normalize_typed_substitution(value, value_type)
    if is_substitution(value):
        return parts(value)
    return [_normalized(item, None) for item in value] if isinstance(value, list) else value


class Parameter:
    """A parameter: its name and its value."""

    def __init__(self, name: SomeSubstitutionsType, value: Any, *, value_type: Any = None) -> None:
        is_value = isinstance(value, ParameterValue)
        self._value = value if is_value else ParameterValue(value, value_type=value_type)
        self._name = parts(name)
        self._evaluated_name: str | None = None

    @property
    def name(self) -> Any:
        """The parts of the name, or the name after it was evaluated."""
        return self._name if self._evaluated_name is None else self._evaluated_name

    @property
    def value(self) -> Any:
        """The value, as that of :class:`ParameterValue`."""
        return self._value.value

    @property
    def value_type(self) -> Any:
        """The type of the value, or ``None``."""
        return self._value.value_type

    def evaluate(self, context: LaunchContext) -> tuple[str, Any]:
        """Returns the name and the value."""
        self._evaluated_name = perform_substitutions(context, self._name)
        return self._evaluated_name, self._value.evaluate(context)

    def to_json(self, registry: Registry) -> list[Any]:
        """Returns the name and the value for the launcher."""
        return [text_json(self._name, registry), self._value.to_json(registry)]


class ParameterFile:
    """A file of parameters, in which substitutions may be allowed."""

    def __init__(
        self, param_file: Path | SomeSubstitutionsType, *, allow_substs: bool | SomeSubstitutionsType = False
    ) -> None:
        self._param_file = parts(param_file)
        self._allow_substs: Any = allow_substs if isinstance(allow_substs, bool) else parts(allow_substs)
        self._evaluated: Path | None = None
        self._is_temporary = False

    @property
    def param_file(self) -> Any:
        """The parts of the path, or the path after it was evaluated."""
        return self._param_file if self._evaluated is None else self._evaluated

    @property
    def allow_substs(self) -> Any:
        """Whether substitutions are allowed, or the parts of this text."""
        return self._allow_substs

    def evaluate(self, context: LaunchContext) -> Path:
        """Returns the path. If substitutions are allowed, it is that of a temporary file with their values."""
        self.cleanup()
        path = Path(perform_substitutions(context, self._param_file))
        is_temporary = perform_typed_substitution(context, self._allow_substs, bool)
        evaluated = _with_values(context, path) if is_temporary else path
        self._evaluated, self._is_temporary = evaluated, is_temporary
        return evaluated

    def cleanup(self) -> None:
        """Removes the temporary file, if there is one. Then the path is not evaluated any more."""
        evaluated, is_temporary = self._evaluated, self._is_temporary
        if is_temporary and evaluated is not None:
            self._evaluated, self._is_temporary = None, False
            evaluated.unlink(missing_ok=True)

    def __del__(self) -> None:
        # The constructor may have failed.
        if hasattr(self, "_evaluated"):
            self.cleanup()

    def to_json(self, registry: Registry) -> dict[str, Any]:
        """Returns the file for the launcher."""
        allow = text_json(bool_text(self._allow_substs), registry)
        return {"file": {"path": text_json(self._param_file, registry), "allow_substs": allow}}


def _with_values(context: LaunchContext, path: Path) -> Path:
    """Writes a temporary file with the values of the substitutions in a file of parameters. Returns its path."""
    content = perform_substitutions(context, parse_substitution(path.read_text(encoding="utf-8")))
    try:
        load_yaml(content)
    except ValueError as error:
        raise SubstitutionFailure(f"{path} is no YAML with the values of its substitutions: {error}") from None
    with tempfile.NamedTemporaryFile("w", prefix="launch_params_", delete=False, encoding="utf-8") as file:
        file.write(content)
    return Path(file.name)


#: The names of types in launch files in XML and YAML.
_NAMED_TYPES: dict[str | None, Any] = {
    None: None, "yaml": None, "bool": bool, "int": int, "float": float, "str": str, "list_of_bool": List[bool],
    "list_of_int": List[int], "list_of_float": List[float], "list_of_str": List[str],
}  # fmt: skip


def _parse_source(entity: Entity, parser: ElementParser) -> Any:
    path = entity.get_attr("from", optional=True)
    if path is None:
        return _parse_value(entity, parser)
    allow_substs = Attribute("allow_substs", bool, optional=True).read(entity, parser)
    return ParameterFile(parser.parse_substitution(path), allow_substs=allow_substs or False)


def _parse_value(entity: Entity, parser: ElementParser) -> dict[Any, Any]:
    """Returns the name and the value of a parameter. The value may be a mapping with nested parameters."""
    name = tuple(parser.parse_substitution(entity.get_attr("name")))
    nested = children(entity, "param")
    type_name = entity.get_attr("type", optional=True)
    if type_name not in _NAMED_TYPES:
        raise ValueError(f"there is no type `{type_name}`; the types are {', '.join(filter(None, _NAMED_TYPES))}")
    data_type = _NAMED_TYPES[type_name]
    value = entity.get_attr("value", data_type=data_type, optional=bool(nested))
    if nested and value is not None:
        raise ValueError("`value` and nested parameters can't be used together")
    entity.assert_entity_completely_parsed()
    if nested:
        return {name: {key: item for child in nested for key, item in _parse_value(child, parser).items()}}
    return {name: ParameterValue(parser.parse_if_substitutions(value), value_type=data_type)}


#: Reads the parameters within an element of a launch file: files and mappings.
PARAMETERS = Each("param", Function(_parse_source))


def frozen(value: Any) -> Any:
    """Returns a copy of mappings and lists. A launch file may change them after it has created an action."""
    if isinstance(value, Mapping):
        return {name: frozen(item) for name, item in value.items()}
    return [frozen(item) for item in value] if isinstance(value, (list, tuple)) else value


def _is_text(value: Any) -> bool:
    """Whether a list stands for one text: it has a substitution, and otherwise only texts."""
    if isinstance(value, (str, bytes)) or not isinstance(value, Sequence):
        return False
    return any(isinstance(item, Substitution) for item in value) and all(
        isinstance(item, (str, Substitution)) for item in value
    )


def value_json(value: Any, registry: Registry, kind: str | None = None) -> dict[str, Any]:
    """Returns a value of Python for the launcher."""
    if isinstance(value, ParameterValue):
        return value.to_json(registry)
    if isinstance(value, str):
        # A text stays a text, even if it looks like a number.
        return {"text": [[value], kind or "string"]}
    if isinstance(value, (bool, int, float)):
        return {"text": [[_plain(value)], kind or _TYPES[type(value)]]}
    if isinstance(value, Substitution) or _is_text(value):
        return {"text": [text_json(value, registry), kind]}
    if isinstance(value, Sequence) and not isinstance(value, bytes):
        return {"list": [[text_json(_item(item), registry) for item in value], kind or _list_type(value)]}
    raise TypeError(f"a parameter can't have the value {value!r}")


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return {"inf": ".inf", "-inf": "-.inf", "nan": ".nan"}.get(repr(value), repr(value))
    return str(value)


def _item(item: Any) -> Any:
    return _plain(item) if isinstance(item, (bool, int, float)) else item


def _list_type(items: Sequence[Any]) -> str | None:
    """Returns the type of a list: that of its items, floats for numbers of both kinds, or else texts.

    The types of substitutions are known when they are evaluated.
    """
    if any(not isinstance(item, (bool, int, float, str)) for item in items):
        return None
    types = {type(item) for item in items}
    if types == {bool}:
        return "bools"
    if types == {int}:
        return "integers"
    if types and types <= {int, float}:
        return "floats"
    return "strings"


def _pairs(values: Mapping[Any, Any], prefix: list[Any], registry: Registry) -> list[Any]:
    """Returns the names and values of a mapping. The names of nested mappings are joined with dots."""
    pairs = []
    for name, value in values.items():
        full = [*prefix, *parts(name)]
        if isinstance(value, Mapping):
            pairs.extend(_pairs(value, [*full, "."], registry))
        else:
            pairs.append([text_json(full, registry), value_json(value, registry)])
    return pairs


def sources_json(parameters: Any, registry: Registry) -> list[dict[str, Any]]:
    """Returns the parameters of a node for the launcher: mappings, files and single parameters."""
    if parameters is None:
        return []
    if isinstance(parameters, str) or not isinstance(parameters, Sequence):
        raise TypeError(f"Expecting list of parameters, got {parameters}")
    sources = []
    for source in parameters:
        if isinstance(source, Mapping):
            sources.append({"values": _pairs(source, [], registry)})
        elif isinstance(source, Parameter):
            sources.append({"values": [source.to_json(registry)]})
        else:
            file = source if isinstance(source, ParameterFile) else ParameterFile(source)
            sources.append(file.to_json(registry))
    return sources
