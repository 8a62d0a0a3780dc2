"""Where launch descriptions come from."""

from __future__ import annotations

import importlib.util
from typing import Any

from saltus.launch.substitution import SomeSubstitutionsType, parts

__all__ = [
    "AnyLaunchDescriptionSource", "FrontendLaunchDescriptionSource", "InvalidLaunchFileError",
    "InvalidPythonLaunchFileError", "LaunchDescriptionSource", "PythonLaunchDescriptionSource",
    "XMLLaunchDescriptionSource", "YAMLLaunchDescriptionSource", "get_launch_description_from_python_launch_file",
    "load_python_launch_file_as_module",
]  # fmt: skip


class InvalidLaunchFileError(Exception):
    """A launch file can't be used."""


class InvalidPythonLaunchFileError(InvalidLaunchFileError):
    """A launch file in Python does not have the function that it needs."""


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

    @property
    def location(self) -> str:
        """Where the description is."""
        return "".join(part if isinstance(part, str) else part.describe() for part in self.path)


class AnyLaunchDescriptionSource(LaunchDescriptionSource):
    """A launch file in any form."""

    def __init__(self, launch_file_path: SomeSubstitutionsType) -> None:
        super().__init__(None, launch_file_path, "interpreted launch file")


class PythonLaunchDescriptionSource(AnyLaunchDescriptionSource):
    """A launch file in Python."""


class FrontendLaunchDescriptionSource(AnyLaunchDescriptionSource):
    """A launch file in XML or YAML."""

    def __init__(self, launch_file_path: SomeSubstitutionsType, **kwargs: Any) -> None:
        super().__init__(launch_file_path)


class XMLLaunchDescriptionSource(FrontendLaunchDescriptionSource):
    """A launch file in XML."""


class YAMLLaunchDescriptionSource(FrontendLaunchDescriptionSource):
    """A launch file in YAML."""


def load_python_launch_file_as_module(python_launch_file_path: str) -> Any:
    """Runs a launch file in Python. Returns its module."""
    spec = importlib.util.spec_from_file_location("python_launch_file", python_launch_file_path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{python_launch_file_path} is no file in Python")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
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
