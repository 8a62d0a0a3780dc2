"""Texts with substitutions, such as ``$(var robot)_base``, in the form of launch files in XML and YAML."""

from __future__ import annotations

from typing import Any

from saltus.launch.frontend.expose import instantiate_substitution
from saltus.launch.substitution import Substitution, TextSubstitution, literal
from saltus.launch.type_utils import normalize_typed_substitution

__all__ = ["parse_if_substitutions", "parse_substitution"]

_BEGIN = "$("


def parse_substitution(string_value: str) -> list[Substitution]:
    """Returns the parts of a text. A text without substitutions has one part."""
    return _Reader(string_value).template(None)


def parse_if_substitutions(value: Any) -> Any:
    """Returns a value, or a list of values, in which texts with substitutions are lists of their parts.

    The values of a list must have one type. Otherwise ``ValueError`` is raised.
    """
    if isinstance(value, list):
        try:
            return normalize_typed_substitution([parse_if_substitutions(item) for item in value], None)
        except TypeError as error:
            raise ValueError(str(error)) from None
    if not isinstance(value, str):
        return value
    subs = parse_substitution(value)
    text = literal(subs)
    return subs if text is None else text


class _Parts:
    """Collects characters and substitutions."""

    def __init__(self) -> None:
        self._parts: list[Substitution] = []
        self._characters = ""

    def add(self, part: str | Substitution) -> None:
        """Adds characters or a substitution."""
        if isinstance(part, str):
            self._characters += part
        else:
            self._end_text()
            self._parts.append(part)

    def end(self) -> list[Substitution]:
        """Returns all parts, at least one."""
        if self._characters or not self._parts:
            self._parts.append(TextSubstitution(text=self._characters))
        return self._parts

    def _end_text(self) -> None:
        if self._characters:
            self._parts.append(TextSubstitution(text=self._characters))
        self._characters = ""


class _Reader:
    """Reads a text from its beginning to its end.

    Within ``$(``, arguments are separated by spaces. An argument is a word, in which substitutions may be nested, or a
    quoted text. Within quotes, the arguments of nested substitutions are words.
    """

    def __init__(self, text: str) -> None:
        self._text, self._position = text, 0

    def _peek(self) -> str:
        return self._text[self._position : self._position + 1]

    def _error(self, message: str) -> ValueError:
        return ValueError(f"character {self._position + 1} of `{self._text}`: {message}")

    def _begins_call(self) -> bool:
        is_escaped = self._position > 0 and self._text[self._position - 1] == "\\"
        return not is_escaped and self._text.startswith(_BEGIN, self._position)

    def _character(self) -> str:
        """Reads a character. One after a backslash stands for itself, and so does a backslash at the end."""
        found = self._peek()
        self._position += 1
        if found == "\\" and self._peek():
            found = self._peek()
            self._position += 1
        return found

    def template(self, quote: str | None) -> list[Substitution]:
        """Reads until the end of the text, or until the quote."""
        parts = _Parts()
        while (found := self._peek()) != (quote or ""):
            if found == "":
                raise self._error("the closing quote is missing")
            parts.add(self._call(quote) if self._begins_call() else self._character())
        self._position += 1
        return parts.end()

    def _call(self, quote: str | None) -> Substitution:
        self._position += len(_BEGIN)
        name = self._name()
        arguments: list[list[Substitution]] = []
        while True:
            begin = self._position
            while self._peek() == " ":
                self._position += 1
            found = self._peek()
            if found == ")":
                self._position += 1
                substitution: Substitution = instantiate_substitution(name, arguments)
                return substitution
            if found == "":
                raise self._error(f"`)` of `$({name}` is missing")
            if self._position == begin:
                raise self._error("expected a space or `)`")
            if found in "'\"" and quote is None:
                self._position += 1
                arguments.append(self.template(found))
            else:
                arguments.append(self._word(quote))

    def _name(self) -> str:
        begin = self._position
        while self._peek().isalnum() or self._peek() in ("_", "-"):
            self._position += 1
        if begin == self._position:
            raise self._error("expected the name of a substitution, as in `$(var robot)`; write `\\$(` for a shell")
        return self._text[begin : self._position]

    def _word(self, quote: str | None) -> list[Substitution]:
        """Reads an argument without quotes."""
        parts = _Parts()
        while (found := self._peek()) not in ("", " ", ")"):
            if self._begins_call():
                parts.add(self._call(quote))
                continue
            if found == "(" or (found in "'\"" and quote in (None, found)):
                raise self._error(f"`{found}` must be written as `\\{found}`")
            parts.add(self._character())
        return parts.end()
