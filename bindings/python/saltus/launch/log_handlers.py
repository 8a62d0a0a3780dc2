"""The handlers of the standard module ``logging``, which can have another format for some loggers."""

from __future__ import annotations

import importlib
import logging
from typing import Any


class _WithFormatters:
    """A handler with a formatter for some loggers."""

    _formatters: dict[str, logging.Formatter] | None = None

    def setFormatterFor(self, logger: logging.Logger, formatter: logging.Formatter) -> None:
        """Sets the formatter for the records of a logger."""
        self._formatters = {**(self._formatters or {}), logger.name: formatter}

    def format(self, record: logging.LogRecord) -> str:
        """Returns the text of a record."""
        formatter = (self._formatters or {}).get(record.name)
        return super().format(record) if formatter is None else formatter.format(record)  # type: ignore[misc]  # a mixin


def __getattr__(name: str) -> Any:
    """Returns the class that has the name of a handler of ``logging`` or ``logging.handlers``."""
    base = getattr(logging, name, None)
    if base is None:
        # The module loads many others, and the usual handlers are not in it.
        base = getattr(importlib.import_module("logging.handlers"), name, None)
    if not isinstance(base, type) or not issubclass(base, logging.Handler):
        raise AttributeError(f"there is no handler {name!r}")
    globals()[name] = found = type(name, (_WithFormatters, base), {"__module__": __name__})
    return found
