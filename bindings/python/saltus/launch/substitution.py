"""Substitutions: texts whose values are known when an action is performed."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, ClassVar, Iterable, Union, overload

if TYPE_CHECKING:
    from saltus.launch.context import LaunchContext
    from saltus.launch.registry import Registry

__all__ = [
    "SomeSubstitutionsType", "SomeSubstitutionsType_types_tuple", "Substitution", "SubstitutionFailure",
    "perform_substitutions",
]  # fmt: skip


class SubstitutionFailure(RuntimeError):
    """A substitution has no value."""


class Substitution:
    """A text whose value is known when an action is performed.

    A class of a launch file defines ``perform``. While the launcher runs a file, it evaluates the classes of this package.
    """

    def perform(self, context: LaunchContext) -> str:
        """Returns the value."""
        raise NotImplementedError(f"{type(self).__name__} has no method perform")

    def describe(self) -> str:
        """Returns a description for the user."""
        return repr(self)

    def to_json(self, registry: Registry) -> list[Any]:
        """Returns the parts of the text for the launcher. Those of other classes are performed here."""
        return [registry.call(self)]


class TextSubstitution(Substitution):
    """A text without substitutions."""

    def __init__(self, *, text: str) -> None:
        if not isinstance(text, str):
            raise TypeError(f"TextSubstitution expected Text object got '{type(text)}' instead.")
        self.text = text

    def perform(self, context: LaunchContext) -> str:
        return self.text

    def __repr__(self) -> str:
        # The name is ROS 2's.
        return f"<launch.substitutions.text_substitution.TextSubstitution {self.text!r}>"

    def describe(self) -> str:
        return f"'{self.text}'"

    def to_json(self, registry: Registry) -> list[Any]:
        return [self.text]


class _Invalid(Substitution):
    """A value that is no text. As in ROS 2, this is an error only when the value is needed."""

    def __init__(self, error: TypeError) -> None:
        self._error = error

    def perform(self, context: LaunchContext) -> str:
        raise self._error


class Known(Substitution):
    """A substitution of this package: its tag in launch files and its arguments.

    Its classes define ``evaluate``. A class of a launch file that is derived from one of them defines ``perform``.
    """

    tag: ClassVar[str]

    #: Asks the launcher for the value of a substitution, with the variables of a context. ``None`` if there is no launcher.
    launcher: ClassVar[Callable[[Any, Known], str] | None] = None

    @classmethod
    def parse(cls, data: list[list[Substitution]]) -> tuple[Any, dict[str, Any]]:
        """Returns the class and its arguments for the arguments of a substitution in a launch file."""
        parameters = list(inspect.signature(cls).parameters.values())
        required = sum(parameter.default is parameter.empty for parameter in parameters)
        if not required <= len(data) <= len(parameters):
            raise TypeError(f"`$({cls.tag})` takes {required} to {len(parameters)} arguments, found {len(data)}")
        return cls, {parameter.name: value for parameter, value in zip(parameters, data)}

    def arguments(self) -> list[Any]:
        """Returns the arguments: texts with substitutions."""
        raise NotImplementedError

    def evaluate(self, context: LaunchContext) -> str:
        """Returns the value in a program that has no launcher."""
        raise NotImplementedError

    def perform(self, context: LaunchContext) -> str:
        launcher = Known.launcher
        return self.evaluate(context) if launcher is None or context is None else launcher(context, self)

    def to_json(self, registry: Registry) -> list[Any]:
        # A class that is derived from this one may have a method of its own.
        if type(self).perform is not Known.perform:
            return [registry.call(self)]
        return self.call_json(registry)

    def call_json(self, registry: Registry) -> list[Any]:
        """Returns the substitution as the launcher evaluates it."""
        return [{"name": self.tag, "arguments": [text_json(argument, registry) for argument in self.arguments()]}]

    def describe(self) -> str:
        return f"{type(self).__name__}({' '.join(describe(argument) for argument in self.arguments())})"


SomeSubstitutionsType = Union[str, Path, Substitution, Iterable[Union[str, Path, Substitution]]]
SomeSubstitutionsType_types_tuple = (str, Path, Substitution, Iterable)


def parts(text: Any) -> list[Substitution]:
    """Returns the parts of a text, which is a string, a path, a substitution or an iterable of these."""
    if isinstance(text, (str, Path)):
        return [TextSubstitution(text=str(text))]
    if isinstance(text, Substitution):
        return [text]
    if isinstance(text, Iterable) and not isinstance(text, (bytes, dict)):
        items = list(text)
        if all(isinstance(item, (str, Path, Substitution)) for item in items):
            return [item if isinstance(item, Substitution) else TextSubstitution(text=str(item)) for item in items]
    raise TypeError(f"expected a str, a Substitution or a list of both, found {text!r}")


def literal(text: Any) -> str | None:
    """Returns a text in which there are no substitutions, and otherwise ``None``."""
    found = parts(text)
    texts = [part.text for part in found if isinstance(part, TextSubstitution)]
    return "".join(texts) if len(texts) == len(found) else None


def perform_substitutions(context: LaunchContext, subs: Iterable[Substitution]) -> str:
    """Returns the values of substitutions as one text."""
    return "".join(sub.perform(context) for sub in subs)


def perform_text(context: LaunchContext, text: Any) -> str:
    """Returns the value of a text, which is a string, a substitution or an iterable of both."""
    return perform_substitutions(context, parts(text))


class WithArguments(Known):
    """A substitution whose arguments are all given to its constructor."""

    def __init__(self, *arguments: Any) -> None:
        self._arguments: list[Any] = [parts(argument) for argument in arguments]

    def arguments(self) -> list[Any]:
        return self._arguments


def argument(index: int, doc: str) -> Any:
    """Returns a property with the parts of an argument, or with ``None`` if it was not given."""
    return property(lambda self: self._arguments[index] if index < len(self._arguments) else None, doc=doc)


@overload
def bool_text(value: bool) -> str: ...
@overload
def bool_text(value: Any) -> Any: ...
def bool_text(value: Any) -> Any:
    """Returns a bool as a text, and anything else as it is."""
    return str(value).lower() if isinstance(value, bool) else value


def number_text(value: Any) -> Any:
    """Returns a number as a text, and anything else as it is."""
    return str(value) if isinstance(value, (int, float)) else value


def text_json(text: Any, registry: Registry) -> list[Any]:
    """Returns a text for the launcher."""
    return [item for part in parts(text) for item in part.to_json(registry)]


def late_text_json(text: Any, registry: Registry) -> list[Any]:
    """Returns a text for the launcher. If it is no text, that is an error when the launcher needs it."""
    try:
        return text_json(text, registry)
    except TypeError as error:
        return [registry.call(_Invalid(error))]


def describe(text: Any) -> str:
    """Describes a text for the user."""
    return " + ".join(part.describe() for part in parts(text))
