"""The substitutions of bools: their values are ``true`` and ``false``."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from saltus.launch.substitution import (
    SomeSubstitutionsType,
    Substitution,
    SubstitutionFailure,
    WithArguments,
    argument,
    bool_text,
    number_text,
    perform_substitutions,
)
from saltus.launch.type_utils import coerce_to_type

if TYPE_CHECKING:
    from saltus.launch.context import LaunchContext

__all__ = [
    "AllSubstitution", "AndSubstitution", "AnySubstitution", "EqualsSubstitution", "IfElseSubstitution",
    "NotEqualsSubstitution", "NotSubstitution", "OrSubstitution",
]  # fmt: skip


class _OfBools(WithArguments):
    """A substitution of bools: ``True`` and ``False`` are also allowed as values of Python."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*("" if value is None else number_text(bool_text(value)) for value in arguments))

    def bools(self, context: LaunchContext) -> list[bool]:
        """Returns the values of the arguments."""
        return [_bool(context, value) for value in self.arguments()]


def _bool(context: LaunchContext, subs: list[Substitution]) -> bool:
    try:
        return bool(coerce_to_type(perform_substitutions(context, subs), bool))
    except ValueError as error:
        raise SubstitutionFailure(str(error)) from None


class NotSubstitution(_OfBools):
    """Whether a value is false."""

    tag = "not"
    value = argument(0, "The value.")

    def __init__(self, value: Any) -> None:
        super().__init__(value)

    def evaluate(self, context: LaunchContext) -> str:
        return bool_text(not self.bools(context)[0])


class _OfTwo(_OfBools):
    """A substitution of two values."""

    left, right = argument(0, "The first value."), argument(1, "The second value.")

    def __init__(self, left: Any, right: Any) -> None:
        super().__init__(left, right)


class AndSubstitution(_OfTwo):
    """Whether both values are true."""

    tag = "and"

    def evaluate(self, context: LaunchContext) -> str:
        return bool_text(all(self.bools(context)))


class OrSubstitution(_OfTwo):
    """Whether one of the values is true."""

    tag = "or"

    def evaluate(self, context: LaunchContext) -> str:
        return bool_text(any(self.bools(context)))


class _OfMany(_OfBools):
    """A substitution of any number of values."""

    @classmethod
    def parse(cls, data: list[list[Substitution]]) -> tuple[Any, dict[str, Any]]:
        return lambda: cls(*data), {}

    @property
    def args(self) -> list[Any]:
        """The values."""
        return self.arguments()


class AnySubstitution(_OfMany):
    """Whether one of the values is true."""

    tag = "any"

    def evaluate(self, context: LaunchContext) -> str:
        return bool_text(any(self.bools(context)))


class AllSubstitution(_OfMany):
    """Whether all values are true."""

    tag = "all"

    def evaluate(self, context: LaunchContext) -> str:
        return bool_text(all(self.bools(context)))


_DIGITS_AND_WORDS = {"true": True, "1": True, "false": False, "0": False}


def _are_equal(left: str, right: str) -> bool:
    """Compares two texts as bools, then as numbers, then as texts."""
    bools = [_DIGITS_AND_WORDS.get(text.lower()) for text in (left, right)]
    if None not in bools:
        return bools[0] == bools[1]
    try:
        return math.isclose(float(left), float(right))
    except ValueError:
        return left == right


class EqualsSubstitution(_OfTwo):
    """Whether two values are equal: as bools, as numbers, or as texts."""

    tag = "equals"

    def are_equal(self, context: LaunchContext) -> bool:
        """Returns whether the values are equal."""
        left, right = (perform_substitutions(context, value) for value in self.arguments())
        return _are_equal(left, right)

    def evaluate(self, context: LaunchContext) -> str:
        return bool_text(self.are_equal(context))


class NotEqualsSubstitution(EqualsSubstitution):
    """Whether two values are not equal."""

    tag = "not-equals"

    def evaluate(self, context: LaunchContext) -> str:
        return bool_text(not self.are_equal(context))


class IfElseSubstitution(_OfBools):
    """One of two values."""

    tag = "if"
    condition = argument(0, "The condition.")
    if_value = argument(1, "The value if the condition is true.")
    else_value = argument(2, "The value if the condition is false.")

    def __init__(
        self, condition: Any, if_value: SomeSubstitutionsType = "", else_value: SomeSubstitutionsType = ""
    ) -> None:
        if if_value == else_value == "":
            raise RuntimeError("One of if_value and else_value must be specified")
        super().__init__(condition, if_value, else_value)

    def evaluate(self, context: LaunchContext) -> str:
        return perform_substitutions(context, self.if_value if _bool(context, self.condition) else self.else_value)
