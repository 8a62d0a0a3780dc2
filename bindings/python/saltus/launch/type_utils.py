"""Values with types: the types of parameters, and of attributes of launch files in XML and YAML.

A type is ``bool``, ``int``, ``float``, ``str`` or a ``typing.List`` of one of them. ``None`` stands for the type that the
text has in YAML.
"""

from __future__ import annotations

import typing
from typing import TYPE_CHECKING, Any, Iterable

from saltus.launch.substitution import Substitution, parts, perform_substitutions

if TYPE_CHECKING:
    from saltus.launch.context import LaunchContext

__all__ = [
    "coerce_list", "coerce_to_type", "extract_type", "get_typed_value", "is_instance_of", "is_instance_of_valid_type",
    "is_normalized_substitution", "is_substitution", "is_typing_list", "is_valid_scalar_type",
    "load_yaml", "normalize_typed_substitution", "perform_typed_substitution",
]  # fmt: skip

_SCALARS = (bool, int, float, str)


def is_typing_list(data_type: Any) -> bool:
    """Returns whether a type is ``typing.List``, with or without the type of its items."""
    return typing.get_origin(data_type) is list


def is_valid_scalar_type(data_type: Any) -> bool:
    """Returns whether a type is ``bool``, ``int``, ``float`` or ``str``."""
    return data_type in _SCALARS


def extract_type(data_type: Any) -> tuple[Any, bool]:
    """Returns the type of a value or of the items of a list, and whether it is that of a list."""
    scalar: Any = data_type
    is_list = is_typing_list(data_type)
    if is_list:
        scalar = (*typing.get_args(data_type), None)[0]
    if not is_valid_scalar_type(scalar):
        raise ValueError(f"expected the type bool, int, float, str or a List of one of them, found {data_type!r}")
    return scalar, is_list


def _are_of_one_type(items: Iterable[Any], scalar: Any, can_be_str: bool) -> bool:
    """Returns whether all items have a type, or any single one for ``None``. Texts may be among them if it is allowed."""
    types = {type(item) for item in items}
    if can_be_str and (scalar is not None or len(types) > 1):
        types.discard(str)
    return (len(types) <= 1 and types <= set(_SCALARS)) if scalar is None else types <= {scalar}


def is_instance_of_valid_type(value: Any, *, can_be_str: bool = False) -> bool:
    """Returns whether a value has one of the types."""
    return _are_of_one_type(value if isinstance(value, list) else [value], None, can_be_str)


def is_instance_of(value: Any, data_type: Any, *, can_be_str: bool = False) -> bool:
    """Returns whether a value has a type. With ``can_be_str`` it, or each of its items, may also be a text."""
    if data_type is None:
        return is_instance_of_valid_type(value, can_be_str=can_be_str)
    scalar, is_list = extract_type(data_type)
    if isinstance(value, list) != is_list:
        return False
    return _are_of_one_type(value if is_list else [value], scalar, can_be_str)


def load_yaml(text: str) -> Any:
    """Returns the value that a text has in YAML. Raises ``ValueError`` if it is no YAML."""
    # The import takes as long as those of this package, and most launch files in Python need no YAML.
    import yaml

    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ValueError(f"Unable to parse {text!r} as YAML: {error}") from None


def _from_yaml(text: str) -> Any:
    """Returns the value that a text has in YAML. No value is the text itself."""
    value = load_yaml(text)
    return text if value is None else value


def _scalar_from_text(text: str, scalar: Any) -> Any:
    """Returns a text as a value of a type. A bool may also be ``1`` or ``0``."""
    if scalar is bool:
        value = {"1": True, "0": False}.get(text.strip(), _from_yaml(text))
        if isinstance(value, bool):
            return value
        raise ValueError(f"expected a bool, found {text!r}")
    return scalar(text)


def coerce_to_type(value: str, data_type: Any = None, *, can_be_str: bool = False) -> Any:
    """Returns a text as a value of a type. With ``can_be_str`` it stays a text if it has not the type."""
    if not isinstance(value, str):
        raise TypeError(f"expected a text, found {value!r}")
    scalar, is_list = (None, False) if data_type is None else extract_type(data_type)
    if scalar is not None and not is_list:
        try:
            return _scalar_from_text(value, scalar)
        except ValueError:
            if can_be_str:
                return value
            raise
    found = _from_yaml(value)
    if not is_instance_of(found, data_type, can_be_str=can_be_str):
        raise ValueError(f"expected {_name(data_type)}, found {value!r}")
    return found


def _name(data_type: Any) -> str:
    if data_type is None:
        return "a bool, a number, a text or a list of one of them"
    return data_type.__name__ if isinstance(data_type, type) else str(data_type)


def coerce_list(value: list[str], data_type: Any = None, *, can_be_str: bool = False) -> list[Any]:
    """Returns a list of texts as a list of values of a type."""
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise TypeError(f"expected a list of texts, found {value!r}")
    found = [coerce_to_type(item, data_type, can_be_str=can_be_str) for item in value]
    if not _are_of_one_type(found, data_type, can_be_str):
        raise ValueError(f"expected a list of items of one type, found {value!r}")
    return found


def get_typed_value(value: str | list[str], data_type: Any, *, can_be_str: bool = False) -> Any:
    """Returns a text, or a list of texts, as a value of a type."""
    if not isinstance(value, list):
        return coerce_to_type(value, data_type, can_be_str=can_be_str)
    if data_type is None:
        return coerce_list(value, can_be_str=can_be_str)
    scalar, is_list = (None, True) if typing.get_args(data_type) == (type(None),) else extract_type(data_type)
    if not is_list:
        raise TypeError(f"expected {_name(data_type)}, found the list {value!r}")
    return coerce_list(value, scalar, can_be_str=can_be_str)


def is_substitution(value: Any) -> bool:
    """Returns whether a value is a substitution, or a list of texts and at least one substitution."""
    if isinstance(value, Substitution):
        return True
    if isinstance(value, str) or not isinstance(value, Iterable):
        return False
    items = list(value)
    is_text = all(isinstance(item, (str, Substitution)) for item in items)
    return is_text and any(isinstance(item, Substitution) for item in items)


def is_normalized_substitution(value: Any) -> bool:
    """Returns whether a value is a list of substitutions."""
    return isinstance(value, list) and value != [] and all(isinstance(item, Substitution) for item in value)


def normalize_typed_substitution(value: Any, data_type: Any) -> Any:
    """Returns a value, or a list of values, in which each text with substitutions is a list of substitutions."""
    scalar, is_list = (None, isinstance(value, list)) if data_type is None else extract_type(data_type)
    if is_substitution(value):
        return parts(value)
    if isinstance(value, list) != is_list:
        raise TypeError(f"expected {_name(data_type)}, found {value!r}")
    items = [parts(item) if is_substitution(item) else item for item in (value if is_list else [value])]
    if not _are_of_one_type([item for item in items if not is_normalized_substitution(item)], scalar, False):
        raise TypeError(f"expected {_name(data_type)}, found {value!r}")
    return items if is_list else items[0]


def perform_typed_substitution(context: LaunchContext, value: Any, data_type: Any) -> Any:
    """Returns the value of what :func:`normalize_typed_substitution` has returned."""
    scalar = None if data_type is None else extract_type(data_type)[0]
    if is_normalized_substitution(value):
        return coerce_to_type(perform_substitutions(context, value), data_type)
    if not isinstance(value, list):
        if not is_instance_of(value, data_type):
            raise TypeError(f"expected {_name(data_type)}, found {value!r}")
        return value
    found = [
        coerce_to_type(perform_substitutions(context, item), scalar) if is_normalized_substitution(item) else item
        for item in value
    ]
    if not is_instance_of(found, data_type):
        raise ValueError(f"expected {_name(data_type)}, found {found!r}")
    return found
