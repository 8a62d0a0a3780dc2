"""Message, service and action classes. Each class is created from its definition when it is first used.

``saltus.msgs.std_msgs.msg.String`` is one of them. After :mod:`saltus.ros` is imported, ``std_msgs.msg.String`` is the
same class.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import os
import sys
import types
from typing import Any

from saltus import _native
from saltus._aliases import AliasLoader
from saltus.exceptions import InterfaceError, NoTypeSupportImportedException

#: The package below which all interfaces are found.
HOME = "saltus.msgs"
KINDS = ("msg", "srv", "action")

interfaces = _native.Interfaces()
_classes: dict[str, type] = {}
_listed: dict[str, dict[str, list[str]]] = {}


def add_path(folder: str | os.PathLike[str]) -> None:
    """Adds a folder with interface definitions.

    The folder contains packages as ``<package>/{msg,srv,action}/<Name>.<kind>``, or is the root of a ROS 2 package. Its
    packages are used instead of bundled packages of the same name. Call this before you import types from them::

        saltus.interfaces.add_path("interfaces")
        from saltus.msgs.my_robot_msgs.msg import Gripper

    Raises :class:`~saltus.exceptions.InterfaceError` if the folder does not exist, or if its ``package.xml`` is wrong.
    """
    if not os.path.isdir(folder):
        raise InterfaceError(f"no folder {os.fspath(folder)}")
    interfaces.add_folder(folder)
    _listed.clear()


def packages() -> dict[str, dict[str, list[str]]]:
    """Returns the names of all definitions, by package and kind: ``packages()["std_msgs"]["msg"]`` is a list."""
    if not _listed:
        for package, kind, name in interfaces.definitions():
            _listed.setdefault(package, {}).setdefault(kind, []).append(name)
    return _listed


def class_of(name: str) -> Any:
    """Returns the class of a type by its full name, such as ``std_msgs/msg/String``.

    >>> class_of("geometry_msgs/msg/Point")(x=1.0)
    geometry_msgs.msg.Point(x=1.0, y=0.0, z=0.0)
    """
    found = _classes.get(name)
    if found is None:
        package, kind, short = name.split("/")
        known = packages().get(package, {})
        if short in known.get("srv", ()) and kind == "srv" or _is_implied_service(kind, short):
            made = _make_service(package, kind, short)
        elif kind == "action" and short in known.get("action", ()):
            made = _make_action(package, short)
        else:
            made = _make_message(package, kind, short)
        found = _classes.setdefault(name, made)
    return found


def _is_implied_service(kind: str, short: str) -> bool:
    return kind == "action" and short.endswith(("_SendGoal", "_GetResult"))


def _make_message(package: str, kind: str, short: str) -> type:
    support = interfaces.support(f"{package}/{kind}/{short}")
    namespace: dict[str, Any] = {
        "__slots__": (),
        "__module__": f"{HOME}.{package}.{kind}",
        "__doc__": f"``{support.name}``: {', '.join(f'{name}: {ty}' for name, ty in support.fields)}.",
        "_TYPE_SUPPORT": support,
        "_fields_and_field_types": dict(support.fields),
        "__hash__": None,
    }
    for index, (name, _) in enumerate(support.fields):
        field: Any = _native.Field(support, index)
        # Programs that read `__slots__` of ROS 2's message classes find the same names here.
        namespace[name] = namespace[f"_{name}"] = field
    for name, value in support.constants():
        namespace[name] = value
    made: Any = type(short, (_native.Message,), namespace)
    made.__slots__ = [f"_{name}" for name, _ in support.fields]
    return made


class _NotInstantiable:
    def __init__(self, *_args: object, **_kwargs: object) -> None:
        raise NotImplementedError(f"{type(self).__name__} has no instances: make an instance of one of its parts")


def _make_service(package: str, kind: str, short: str) -> type:
    full = f"{package}/{kind}/{short}"
    namespace = {
        "__module__": f"{HOME}.{package}.{kind}",
        "__doc__": f"``{full}``: a request and a response.",
        "_TYPE_SUPPORT": interfaces.support(full),
        "Request": class_of(f"{full}_Request"),
        "Response": class_of(f"{full}_Response"),
        "Event": class_of(f"{full}_Event"),
    }
    return type(short, (_NotInstantiable,), namespace)


def _make_action(package: str, short: str) -> type:
    full = f"{package}/action/{short}"
    implied = {
        "SendGoalService": class_of(f"{full}_SendGoal"),
        "GetResultService": class_of(f"{full}_GetResult"),
        "FeedbackMessage": class_of(f"{full}_FeedbackMessage"),
        "CancelGoalService": class_of("action_msgs/srv/CancelGoal"),
        "GoalStatusMessage": class_of("action_msgs/msg/GoalStatusArray"),
    }
    namespace = {
        "__module__": f"{HOME}.{package}.action",
        "__doc__": f"``{full}``: a goal, a result and feedback.",
        "_TYPE_SUPPORT": interfaces.support(full),
        "Goal": class_of(f"{full}_Goal"),
        "Result": class_of(f"{full}_Result"),
        "Feedback": class_of(f"{full}_Feedback"),
        "Impl": type("Impl", (_NotInstantiable,), implied),
    }
    return type(short, (_NotInstantiable,), namespace)


def parts_of(action_type: Any) -> Any:
    """Returns the services and messages of an action class."""
    parts = getattr(action_type, "Impl", None)
    if parts is None:
        raise NoTypeSupportImportedException(f"{action_type!r} is not an action class")
    return parts


class _KindModule(types.ModuleType):
    """A module such as ``std_msgs.msg``. Its classes are created when they are first used."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        _, package, kind = self.__name__.rsplit(".", 2)
        if name.split("_")[0] not in packages().get(package, {}).get(kind, ()):
            raise AttributeError(f"there is no {package}/{kind}/{name.split('_')[0]}")
        made = class_of(f"{package}/{kind}/{name}")
        setattr(self, name, made)
        return made

    def __dir__(self) -> list[str]:
        _, package, kind = self.__name__.rsplit(".", 2)
        return sorted({*super().__dir__(), *packages().get(package, {}).get(kind, ())})


class _Loader(importlib.abc.Loader):
    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        kind = spec.name.rpartition(".")[2]
        return _KindModule(spec.name) if kind in KINDS else types.ModuleType(spec.name)

    def exec_module(self, module: Any) -> None:
        name = module.__name__.removeprefix(f"{HOME}.")
        package, _, kind = name.partition(".")
        module.__doc__ = f"The {'interfaces' if not kind else kind} of ``{package}``."
        if kind:
            module.__all__ = packages()[package][kind]


class _Finder(importlib.abc.MetaPathFinder):
    """Finds interface packages below ``saltus.msgs``, and with ``by_own_name`` also as top-level packages."""

    by_own_name = False

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        below = fullname.startswith(f"{HOME}.")
        if not below and not self.by_own_name:
            return None
        package, _, kind = fullname.removeprefix(f"{HOME}.").partition(".")
        kinds = packages().get(package)
        if kinds is None or kind and kind not in kinds:
            return None
        loader = _Loader() if below else AliasLoader(f"{HOME}.{fullname}")
        return importlib.machinery.ModuleSpec(fullname, loader, is_package=not kind)


_finder = _Finder()


def find_by_own_name() -> None:
    """Makes ``import std_msgs.msg`` find the bundled interfaces, before other packages of that name."""
    _finder.by_own_name = True


interfaces.set_class_maker(class_of)
# This finder comes first, because the folders below `saltus.msgs` have only stubs for type checkers.
sys.meta_path.insert(0, _finder)
