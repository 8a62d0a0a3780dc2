"""Reads launch files in XML, YAML and the formats of extensions."""

from __future__ import annotations

import importlib
import os
import pathlib
import warnings
from typing import Any, ClassVar, Iterable, TextIO

from saltus.launch.elements import Entity
from saltus.launch.entity import Action, LaunchDescription
from saltus.launch.errors import InvalidFrontendLaunchFileError
from saltus.launch.frontend.expose import instantiate_action
from saltus.launch.frontend.parse_substitution import parse_if_substitutions, parse_substitution
from saltus.launch.substitution import Substitution

__all__ = ["Parser"]

#: The modules of this package that have parsers, and those that have tags and substitutions.
_PARSERS = {"xml": "saltus.launch.frontend.xml", "yaml": "saltus.launch.frontend.yaml"}
_EXTENSIONS = ("saltus.launch.actions", "saltus.launch.ros")


def __getattr__(name: str) -> Any:
    """Returns the module with the entry points of packages. It loads many others, and most programs do not need it."""
    if name == "importlib_metadata":
        return importlib.import_module("importlib.metadata")
    raise AttributeError(name)


def _entry_points(group: str) -> Iterable[Any]:
    found: Any = importlib.import_module("importlib.metadata").entry_points()
    of_group: Iterable[Any] = found.select(group=group) if hasattr(found, "select") else found.get(group, [])
    return of_group


def _load_all(group: str, what: str) -> dict[str, Any]:
    """Loads what other packages offer. One that can't be loaded is a warning."""
    loaded = {}
    for entry_point in _entry_points(group):
        try:
            loaded[entry_point.name] = entry_point.load()
        except Exception as error:
            warnings.warn(f"Failed to load the {what} '{entry_point.name}': {error}", stacklevel=3)
    return loaded


class Parser:
    """Creates the actions of a launch file. The parsers of formats are derived from this class."""

    #: The parsers by the names of their formats, when they were loaded.
    frontend_parsers: ClassVar[dict[str, type[Parser]] | None] = None
    _extensions_are_loaded: ClassVar[bool] = False

    @classmethod
    def load_launch_extensions(cls) -> None:
        """Loads the modules that have tags and substitutions, once."""
        if not Parser._extensions_are_loaded:
            Parser._extensions_are_loaded = True
            for module in _EXTENSIONS:
                importlib.import_module(module)
            _load_all("launch.frontend.launch_extension", "launch extension")

    @classmethod
    def load_parser_implementations(cls) -> None:
        """Loads the parsers of all formats, once."""
        if Parser.frontend_parsers is None:
            own = {name: importlib.import_module(module).Parser for name, module in _PARSERS.items()}
            Parser.frontend_parsers = {**_load_all("launch.frontend.parser", "parser"), **own}

    @classmethod
    def _parsers(cls) -> list[type[Parser]]:
        """Returns the parsers of all formats, sorted by name."""
        cls.load_parser_implementations()
        return [parser for _, parser in sorted((Parser.frontend_parsers or {}).items())]

    @classmethod
    def load(cls, file: str | TextIO) -> tuple[Entity, Parser]:
        """Reads a file, of which the path or a stream is given. Returns its root and the parser for it.

        The parsers that are for the ending of the path are tried first.
        """
        cls.load_launch_extensions()
        name = os.fspath(getattr(file, "name", "") if hasattr(file, "read") else file)
        errors: list[BaseException] = []
        for parser in sorted(cls._parsers(), key=lambda one: not one.may_parse(name)):
            try:
                return parser.load(file if hasattr(file, "read") else name)
            except Exception as error:
                errors.append(error)
                if hasattr(file, "seek"):
                    file.seek(0)
        raise InvalidFrontendLaunchFileError(pathlib.Path(name).suffix, likely_errors=errors)

    @classmethod
    def get_file_extensions(cls) -> set[str]:
        """Returns the endings of the files that the parser is for, without a dot."""
        return set()

    @classmethod
    def may_parse(cls, filename: str) -> bool:
        """Returns whether the parser is for the ending of a file."""
        return any(filename.endswith(f".{extension}") for extension in cls.get_file_extensions())

    @classmethod
    def get_available_extensions(cls) -> list[str]:
        """Returns the endings of the files of all parsers."""
        return sorted(extension for parser in cls._parsers() for extension in parser.get_file_extensions())

    @classmethod
    def is_extension_valid(cls, extension: str) -> bool:
        """Returns whether there is a parser for an ending."""
        return extension in cls.get_available_extensions()

    @classmethod
    def is_filename_valid(cls, filename: str) -> bool:
        """Returns whether there is a parser for the ending of a file."""
        return any(parser.may_parse(filename) for parser in cls._parsers())

    def parse_action(self, entity: Entity) -> Action:
        """Returns the action of an element."""
        self.load_launch_extensions()
        action: Action = instantiate_action(entity, self)
        entity.assert_entity_completely_parsed()
        return action

    def parse_substitution(self, value: str) -> list[Substitution]:
        """Returns the parts of a text."""
        return parse_substitution(value)

    def parse_if_substitutions(self, value: Any) -> Any:
        """Returns a value, or a list of values, in which texts with substitutions are lists of their parts."""
        return parse_if_substitutions(value)

    def escape_characters(self, value: str) -> str:
        """Returns a text that is read as these characters."""
        return value.replace("\\", "\\\\").replace("$(", "\\$(")

    def parse_description(self, entity: Entity) -> LaunchDescription:
        """Returns the launch description of the root of a file."""
        if entity.type_name != "launch":
            raise RuntimeError(f"expected the root `launch`, found `{entity.type_name}`")
        reason = entity.get_attr("deprecated", optional=True)
        actions = [self.parse_action(child) for child in entity.children]
        entity.assert_entity_completely_parsed()
        return LaunchDescription(actions, deprecated_reason=reason)
