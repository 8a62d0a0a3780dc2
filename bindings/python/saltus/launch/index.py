"""Installed packages, with the functions of ROS 2's ``ament_index_python``."""

from __future__ import annotations

import os
import pathlib

__all__ = [
    "PackageNotFoundError", "get_package_prefix", "get_package_share_directory", "get_package_share_path",
    "get_packages_with_prefixes", "get_resource", "get_resources", "get_search_paths", "has_resource",
]  # fmt: skip

_INDEX = pathlib.Path("share/ament_index/resource_index")


#: Where the packages are that the command ``saltus`` itself contains.
_bundled: list[str] = []


class PackageNotFoundError(KeyError):
    """A package is not installed."""


def get_search_paths() -> list[str]:
    """Returns the prefixes in which packages are searched."""
    values = (os.environ.get(name, "") for name in ("SALTUS_PREFIX_PATH", "AMENT_PREFIX_PATH"))
    return [path for value in values for path in value.split(os.pathsep) if path] + _bundled


def get_packages_with_prefixes() -> dict[str, str]:
    """Returns all packages with their prefixes."""
    return get_resources("packages")


def get_package_prefix(package_name: str) -> str:
    """Returns the prefix in which a package is installed."""
    for prefix in get_search_paths():
        if (_resource(prefix, "packages") / package_name).exists():
            return prefix
    raise PackageNotFoundError(f"package '{package_name}' not found, searching: {get_search_paths()}")


def get_package_share_directory(package_name: str, print_warning: bool = True) -> str:
    """Returns the share folder of a package."""
    return os.path.join(get_package_prefix(package_name), "share", package_name)


def get_package_share_path(package_name: str, print_warning: bool = True) -> pathlib.Path:
    """Returns the share folder of a package as a path."""
    return pathlib.Path(get_package_share_directory(package_name, print_warning))


def has_resource(resource_type: str, resource_name: str) -> str | bool:
    """Returns the first prefix whose index has a resource, or ``False``."""
    found = (prefix for prefix in get_search_paths() if (_resource(prefix, resource_type) / resource_name).is_file())
    return next(found, False)


def get_resource(resource_type: str, resource_name: str) -> tuple[str, str]:
    """Returns the content of a resource, and its prefix."""
    prefix = has_resource(resource_type, resource_name)
    if not isinstance(prefix, str):
        raise LookupError(f"Could not find the resource '{resource_name}' of type '{resource_type}'")
    return (_resource(prefix, resource_type) / resource_name).read_text(), prefix


def get_resources(resource_type: str) -> dict[str, str]:
    """Returns the names of all resources of a type, with their prefixes."""
    resources: dict[str, str] = {}
    for prefix in get_search_paths():
        folder = _resource(prefix, resource_type)
        for file in sorted(folder.iterdir()) if folder.is_dir() else []:
            resources.setdefault(file.name, prefix)
    return resources


def _resource(prefix: str, resource_type: str) -> pathlib.Path:
    return pathlib.Path(prefix) / _INDEX / resource_type
