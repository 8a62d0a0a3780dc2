"""Substitutions for packages and parameters, with the classes of ROS 2's ``launch_ros.substitutions``."""

from __future__ import annotations

from typing import Any

from saltus.launch import index
from saltus.launch.substitution import SomeSubstitutionsType
from saltus.launch.substitutions import PathJoinSubstitution, _WithArguments

__all__ = ["ExecutableInPackage", "FindPackage", "FindPackagePrefix", "FindPackageShare", "Parameter"]


class FindPackage(_WithArguments):
    """The base of substitutions that find packages."""

    name = "find-pkg-prefix"

    def __init__(self, package: SomeSubstitutionsType) -> None:
        super().__init__(package)

    @property
    def package(self) -> Any:
        """The name of the package."""
        return self._arguments[0]


class FindPackagePrefix(FindPackage):
    """The prefix in which a package is installed."""

    def find(self, package_name: str) -> str:
        """Returns the prefix of a package now."""
        return index.get_package_prefix(package_name)


class FindPackageShare(FindPackage):
    """The share folder of a package."""

    name = "find-pkg-share"

    def find(self, package_name: str) -> str:
        """Returns the share folder of a package now."""
        return index.get_package_share_directory(package_name)

    def __truediv__(self, other: SomeSubstitutionsType) -> Any:
        return PathJoinSubstitution([self, other])


class ExecutableInPackage(_WithArguments):
    """The path of a program of a package."""

    name = "exec-in-pkg"

    def __init__(self, executable: SomeSubstitutionsType, package: SomeSubstitutionsType) -> None:
        super().__init__(executable, package)


class Parameter(_WithArguments):
    """A parameter that was set for all nodes."""

    def __init__(self, name: SomeSubstitutionsType, *, default: SomeSubstitutionsType | None = None) -> None:
        super().__init__(name, *([] if default is None else [default]))


Parameter.name = "param"
