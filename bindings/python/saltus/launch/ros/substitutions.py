"""Substitutions for packages and parameters, with the classes of ROS 2's ``launch_ros.substitutions``."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from saltus.launch import index
from saltus.launch.frontend.expose import expose_substitution
from saltus.launch.substitution import (
    SomeSubstitutionsType,
    SubstitutionFailure,
    WithArguments,
    argument,
    perform_substitutions,
)
from saltus.launch.substitutions import PathJoinSubstitution, value_or_fail

if TYPE_CHECKING:
    from saltus.launch.context import LaunchContext

__all__ = ["ExecutableInPackage", "FindPackage", "FindPackagePrefix", "FindPackageShare", "Parameter"]


class FindPackage(WithArguments):
    """The base of substitutions that find packages."""

    tag = "find-pkg-prefix"
    package = argument(0, "The name of the package.")

    def __init__(self, package: SomeSubstitutionsType) -> None:
        super().__init__(package)

    def find(self, package_name: str) -> str:
        """Returns the folder of a package now."""
        raise NotImplementedError

    def evaluate(self, context: LaunchContext) -> str:
        return self.find(perform_substitutions(context, self.package))


class FindPackagePrefix(FindPackage):
    """The prefix in which a package is installed."""

    def find(self, package_name: str) -> str:
        """Returns the prefix of a package now."""
        return index.get_package_prefix(package_name)


class FindPackageShare(FindPackage):
    """The share folder of a package."""

    tag = "find-pkg-share"

    def find(self, package_name: str) -> str:
        """Returns the share folder of a package now."""
        return index.get_package_share_directory(package_name)

    def __truediv__(self, other: SomeSubstitutionsType) -> Any:
        return PathJoinSubstitution([self, other])


class ExecutableInPackage(WithArguments):
    """The path of a program of a package."""

    tag = "exec-in-pkg"
    executable, package = argument(0, "The name of the program."), argument(1, "The name of the package.")

    def __init__(self, executable: SomeSubstitutionsType, package: SomeSubstitutionsType) -> None:
        super().__init__(executable, package)

    def evaluate(self, context: LaunchContext) -> str:
        executable, package = (perform_substitutions(context, text) for text in self.arguments())
        path = os.path.join(index.get_package_prefix(package), "lib", package, executable)
        if not os.access(path, os.X_OK):
            raise SubstitutionFailure(
                f"the package '{package}' has no program '{executable}' in {os.path.dirname(path)}"
            )
        return path


class Parameter(WithArguments):
    """A parameter that was set for all nodes."""

    tag = "param"
    name = argument(0, "The name of the parameter.")
    default = argument(1, "The value if the parameter was not set.")

    def __init__(self, name: SomeSubstitutionsType, *, default: SomeSubstitutionsType | None = None) -> None:
        super().__init__(name, *([] if default is None else [default]))

    def evaluate(self, context: LaunchContext) -> str:
        name = perform_substitutions(context, self.name)
        for parameter in context.launch_configurations.get("global_params", []):
            if isinstance(parameter, tuple) and parameter[0] == name:
                return str(parameter[1])
        return value_or_fail(context, self.default, f"no parameter '{name}' was set with SetParameter")


for _class in (ExecutableInPackage, FindPackagePrefix, FindPackageShare, Parameter):
    expose_substitution(_class.tag)(_class)
