"""Modules that can be imported under other names: ``rclpy.qos`` is ``saltus.qos``."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import sys
import types
from typing import Any


class AliasLoader(importlib.abc.Loader):
    """Loads a module under another name."""

    def __init__(self, target: str) -> None:
        self._target = target

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        module = importlib.import_module(self._target)
        self._own = module.__spec__
        return module

    def exec_module(self, module: types.ModuleType) -> None:
        # The import machinery has set the spec of the alias. The module keeps the spec of the target.
        module.__spec__ = self._own


class AliasFinder(importlib.abc.MetaPathFinder):
    """Finds modules by a table of names and their targets."""

    def __init__(self, targets: dict[str, str]) -> None:
        self.targets = targets

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        found = self.targets.get(fullname)
        if found is None:
            return None
        is_package = any(name.startswith(f"{fullname}.") for name in self.targets)
        return importlib.machinery.ModuleSpec(fullname, AliasLoader(found), is_package=is_package)

    def install(self, *, first: bool = False) -> None:
        """Adds this finder to the imports, before or after all other finders."""
        if self not in sys.meta_path:
            sys.meta_path.insert(0 if first else len(sys.meta_path), self)
