"""Namespaces of nodes, with the functions of ROS 2's ``launch_ros.utilities``."""

from __future__ import annotations

from typing import overload

__all__ = ["is_namespace_absolute", "is_root_namespace", "make_namespace_absolute", "prefix_namespace"]


def is_root_namespace(ns: str) -> bool:
    """Returns whether a namespace is the root."""
    return ns == "/"


def is_namespace_absolute(ns: str) -> bool:
    """Returns whether a namespace begins at the root."""
    return ns.startswith("/")


@overload
def make_namespace_absolute(ns: str) -> str: ...
@overload
def make_namespace_absolute(ns: None) -> None: ...
def make_namespace_absolute(ns: str | None) -> str | None:
    """Returns a namespace that begins at the root; ``None`` stays ``None``."""
    return ns if ns is None or is_namespace_absolute(ns) else f"/{ns}"


def prefix_namespace(base_ns: str | None, ns: str | None) -> str | None:
    """Returns a namespace within another one. An absolute namespace stays as it is."""
    if ns is None:
        return base_ns
    if base_ns and not is_namespace_absolute(ns):
        ns = f"{base_ns.rstrip('/')}/{ns}"
    return ns if is_root_namespace(ns) else ns.rstrip("/")
