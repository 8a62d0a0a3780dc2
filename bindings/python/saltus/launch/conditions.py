"""When actions have an effect."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Callable

from saltus.launch.substitution import SomeSubstitutionsType, parts, perform_substitutions, perform_text, text_json

if TYPE_CHECKING:
    from saltus.launch.context import LaunchContext
    from saltus.launch.elements import ElementParser, Entity
    from saltus.launch.registry import Registry

__all__ = [
    "Condition", "IfCondition", "InvalidConditionExpressionError", "LaunchConfigurationEquals",
    "LaunchConfigurationNotEquals", "UnlessCondition", "evaluate_condition_expression",
]  # fmt: skip


class InvalidConditionExpressionError(Exception):
    """A text is no bool."""


class Condition:
    """A condition with a function as predicate. Without one it never holds."""

    def __init__(self, *, predicate: Callable[[LaunchContext], bool] | None = None) -> None:
        self._predicate = predicate

    def evaluate(self, context: LaunchContext) -> bool:
        """Returns whether the condition holds."""
        return self._predicate(context) if self._predicate is not None else False

    def describe(self) -> str:
        """Returns a description for the user."""
        return repr(self)

    def to_json(self, registry: Registry) -> dict[str, Any]:
        """Returns the condition for the launcher."""
        return {"python": registry.number(self)}


class _OfText(Condition):
    _tag: str

    def __init__(self, predicate_expression: SomeSubstitutionsType) -> None:
        super().__init__(predicate=self._evaluate)
        self._expression = parts(predicate_expression)

    def _evaluate(self, context: LaunchContext) -> bool:
        return evaluate_condition_expression(context, self._expression) == (self._tag == "if")

    def to_json(self, registry: Registry) -> dict[str, Any]:
        return {self._tag: text_json(self._expression, registry)}


class IfCondition(_OfText):
    """Holds if a text is ``true`` or ``1``."""

    _tag = "if"


class UnlessCondition(_OfText):
    """Holds if a text is ``false`` or ``0``."""

    _tag = "unless"


class LaunchConfigurationEquals(Condition):
    """Holds if a variable has a value; with ``None``, if it is not set."""

    def __init__(self, launch_configuration_name: str, expected_value: SomeSubstitutionsType | None) -> None:
        instead = "IfCondition with EqualsSubstitution or NotEqualsSubstitution"
        warnings.warn(f"{type(self).__name__} is deprecated, use {instead}", UserWarning, stacklevel=2)
        super().__init__(predicate=self._equals)
        self._name = launch_configuration_name
        self._expected = None if expected_value is None else parts(expected_value)

    def _equals(self, context: LaunchContext) -> bool:
        expected = None if self._expected is None else perform_substitutions(context, self._expected)
        return context.launch_configurations.get(self._name) == expected


class LaunchConfigurationNotEquals(LaunchConfigurationEquals):
    """Holds if a variable does not have a value."""

    def _equals(self, context: LaunchContext) -> bool:
        return not super()._equals(context)


def evaluate_condition_expression(context: LaunchContext, expression: Any) -> bool:
    """Returns the value of a text that must be ``true``, ``1``, ``false`` or ``0``."""
    text = perform_text(context, expression)
    value = {"true": True, "1": True, "false": False, "0": False}.get(text.strip().lower())
    if value is None:
        raise InvalidConditionExpressionError(
            f"expected condition expression to evaluate to 'true', 'false', '1' or '0', but got '{text}'"
        )
    return value


def parse_condition(entity: Entity, parser: ElementParser) -> Condition | None:
    """Returns the condition in the attributes of an element of a launch file, or ``None``."""
    found = {name: entity.get_attr(name, optional=True) for name in ("if", "unless")}
    if None not in found.values():
        raise RuntimeError(f"`if` and `unless` of `{entity.type_name}` can't be used together")
    for kind, name in ((IfCondition, "if"), (UnlessCondition, "unless")):
        if found[name] is not None:
            return kind(parser.parse_substitution(found[name]))
    return None
