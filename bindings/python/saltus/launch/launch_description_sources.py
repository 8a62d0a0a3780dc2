"""Where launch descriptions come from."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
from typing import Any

from saltus.launch.context import LaunchContext
from saltus.launch.entity import Action, LaunchDescription
from saltus.launch.errors import InvalidFrontendLaunchFileError, InvalidLaunchFileError, InvalidPythonLaunchFileError
from saltus.launch.frontend.parser import Parser
from saltus.launch.substitution import Known, SomeSubstitutionsType, parts, perform_substitutions, text_json

__all__ = [
    "AnyLaunchDescriptionSource", "FrontendLaunchDescriptionSource", "InvalidFrontendLaunchFileError",
    "InvalidLaunchFileError", "InvalidPythonLaunchFileError", "LaunchDescriptionSource", "PythonLaunchDescriptionSource",
    "XMLLaunchDescriptionSource", "YAMLLaunchDescriptionSource", "get_launch_description_from_any_launch_file",
    "get_launch_description_from_frontend_launch_file", "get_launch_description_from_python_launch_file",
    "load_python_launch_file_as_module",
]  # fmt: skip


class _LaunchFile(Action):
    """Performs the actions of a launch file in XML or YAML, which the launcher reads."""

    def __init__(self, path: str) -> None:
        super().__init__()
        self._path = path

    def kind(self, registry: Any) -> dict[str, Any]:
        return {"include": {"file": text_json(self._path, registry), "arguments": []}}


class LaunchDescriptionSource:
    """A launch description, or the path of a launch file."""

    def __init__(
        self,
        launch_description: Any = None,
        location: SomeSubstitutionsType = "<string>",
        method: str = "unspecified mechanism from a script",
    ) -> None:
        self.description = launch_description
        self.path = parts(location)
        self.method = method
        self._loaded: Any = None
        self._location: str | None = None

    @property
    def location(self) -> str:
        """Where the description is. It is a description of the path until the description was loaded."""
        return str(self.path) if self._location is None else self._location

    def get_launch_description(self, context: Any) -> Any:
        """Returns the launch description. It is loaded the first time."""
        if self._location is None:
            self._location = perform_substitutions(context, self.path)
        if self.description is not None:
            return self.description
        if self._loaded is None:
            self._loaded = self._load(self._location)
        return self._loaded

    def _load(self, path: str) -> Any:
        raise RuntimeError("the source has neither a launch description nor a file")

    def try_get_launch_description_without_context(self) -> Any:
        """Returns the launch description, or ``None`` if it needs variables, can't be loaded, or if the launcher reads it."""
        if self.description is not None:
            return self.description
        try:
            path = perform_substitutions(LaunchContext(), self.path)
            return self._load(path) if path.endswith(".py") or Known.launcher is None else None
        except Exception:
            return None


class AnyLaunchDescriptionSource(LaunchDescriptionSource):
    """A launch file in any form."""

    def __init__(self, launch_file_path: SomeSubstitutionsType) -> None:
        super().__init__(None, launch_file_path, "interpreted launch file")

    def _load(self, path: str) -> Any:
        return get_launch_description_from_any_launch_file(path)


class PythonLaunchDescriptionSource(LaunchDescriptionSource):
    """A launch file in Python."""

    def __init__(self, launch_file_path: SomeSubstitutionsType) -> None:
        super().__init__(None, launch_file_path, "interpreted python launch file")

    def _load(self, path: str) -> Any:
        return get_launch_description_from_python_launch_file(path)


class FrontendLaunchDescriptionSource(AnyLaunchDescriptionSource):
    """A launch file in XML or YAML."""

    def __init__(self, launch_file_path: SomeSubstitutionsType, **kwargs: Any) -> None:
        super().__init__(launch_file_path)


class XMLLaunchDescriptionSource(FrontendLaunchDescriptionSource):
    """A launch file in XML."""


class YAMLLaunchDescriptionSource(FrontendLaunchDescriptionSource):
    """A launch file in YAML."""


def get_launch_description_from_any_launch_file(launch_file_path: str, *, parser: type[Parser] = Parser) -> Any:
    """Returns the launch description of a file. Its name determines its format."""
    if launch_file_path.endswith(".py"):
        return get_launch_description_from_python_launch_file(launch_file_path)
    return get_launch_description_from_frontend_launch_file(launch_file_path, parser=parser)


def get_launch_description_from_frontend_launch_file(
    frontend_launch_file_path: str, *, parser: type[Parser] = Parser
) -> Any:
    """Returns the launch description of a file in XML or YAML. In a launch it includes the file: the launcher reads it."""
    if not os.path.isfile(frontend_launch_file_path):
        raise InvalidLaunchFileError(f"there is no file {frontend_launch_file_path}")
    if Known.launcher is not None:
        return LaunchDescription([_LaunchFile(frontend_launch_file_path)])
    root, reader = parser.load(frontend_launch_file_path)
    return reader.parse_description(root)


def load_python_launch_file_as_module(python_launch_file_path: str) -> Any:
    """Runs a launch file in Python. Returns its module."""
    loader = importlib.machinery.SourceFileLoader("python_launch_file", python_launch_file_path)
    spec = importlib.util.spec_from_loader(loader.name, loader)
    assert spec is not None, "the loader is given"
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def get_launch_description_from_python_launch_file(python_launch_file_path: str) -> Any:
    """Returns the launch description of a launch file in Python."""
    module = load_python_launch_file_as_module(python_launch_file_path)
    generate = getattr(module, "generate_launch_description", None)
    if generate is None:
        raise InvalidPythonLaunchFileError(
            f"launch file at '{python_launch_file_path}' does not contain the required function "
            "'generate_launch_description()'"
        )
    description = generate()
    if description is None:
        raise InvalidPythonLaunchFileError(
            f"generate_launch_description() of the launch file at '{python_launch_file_path}' has returned nothing"
        )
    return description
