"""Where launch descriptions come from."""

from __future__ import annotations

from typing import Any

from saltus.launch.substitution import SomeSubstitutionsType, parts

__all__ = [
    "AnyLaunchDescriptionSource", "FrontendLaunchDescriptionSource", "LaunchDescriptionSource",
    "PythonLaunchDescriptionSource", "XMLLaunchDescriptionSource", "YAMLLaunchDescriptionSource",
]  # fmt: skip


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
