"""Loggers of launch files and of processes, with the names of ROS 2's ``launch.logging``."""

from __future__ import annotations

import datetime
import itertools
import logging
import os
import socket
import sys
from logging import Logger
from typing import Any, Callable, Literal

from saltus.launch import log_handlers as handlers

__all__ = ["LaunchConfig", "get_logger", "get_output_loggers", "handlers", "launch_config", "reset"]

_Style = Literal["%", "{", "$"]
_TIME = "{created:.7f} "
_FORMATS = {"default": "[{levelname}] [{name}]: {message}"}
_FORMATS["default_with_timestamp"] = _TIME + _FORMATS["default"]

#: The places to which each stream of a process goes, for the names of common cases.
_OUTPUTS: dict[str, dict[str, set[str]]] = {
    "screen": {"both": {"screen"}},
    "log": {"both": {"log"}, "stderr": {"screen"}},
    "both": {"both": {"log", "screen"}},
    "own_log": {"stdout": {"own_log"}, "stderr": {"own_log"}, "both": {"own_log"}},
    "full": {"stdout": {"own_log"}, "stderr": {"own_log"}, "both": {"log", "own_log", "screen"}},
}


class LaunchConfig:
    """Where loggers write to, and how."""

    def __init__(self) -> None:
        self._loggers: dict[str | None, Logger] = {}
        #: The levels of the loggers before, and whether they propagated.
        self._before: dict[str | None, tuple[int, bool]] = {}
        self._file_handlers: dict[str, Any] = {}
        self.reset()

    def reset(self) -> None:
        """Restores the state at the start. Loggers lose the handlers that they have from here."""
        for name, logger in self._loggers.items():
            for handler in list(logger.handlers):
                logger.removeHandler(handler)
            level, logger.propagate = self._before.pop(name)
            logger.setLevel(level)
        for handler in self._file_handlers.values():
            handler.close()
        self._loggers, self._file_handlers = {}, {}
        self._log_dir: str | None = None
        self._screen_handler: Any = None
        #: Creates the handlers of files.
        self.log_handler_factory: Callable[..., Any] = handlers.FileHandler
        self._level = logging.INFO
        self.set_screen_format("default")
        self.set_log_format("default_with_timestamp")

    @property
    def level(self) -> int:
        """The level of the loggers."""
        return self._level

    @level.setter
    def level(self, level: int) -> None:
        self._level = level
        for logger in self._loggers.values():
            logger.setLevel(level)

    def _create_log_dir(self) -> str:
        folder = _make_unique_log_dir(base_path=_base_log_dir())
        _renew_latest_log_dir(log_dir=folder)
        return folder

    @property
    def log_dir(self) -> str:
        """The folder of the files. It is created when it is read first."""
        if self._log_dir is None:
            self._log_dir = self._create_log_dir()
        return self._log_dir

    @log_dir.setter
    def log_dir(self, folder: str | None) -> None:
        if folder is not None and not os.path.isdir(folder):
            raise ValueError(f"the folder of the logs does not exist: {folder}")
        self._log_dir = folder

    def set_screen_format(self, screen_format: str, *, screen_style: _Style | None = None) -> None:
        """Sets the format of lines on the screen: ``default``, ``default_with_timestamp``, or one of ``logging``."""
        self._screen_formatter = _formatter("OVERRIDE_LAUNCH_SCREEN_FORMAT", screen_format, screen_style)
        if self._screen_handler is not None:
            self._screen_handler.setFormatter(self._screen_formatter)

    def set_log_format(self, log_format: str, *, log_style: _Style | None = None) -> None:
        """Sets the format of lines in files: ``default``, ``default_with_timestamp``, or one of ``logging``."""
        self._log_formatter = _formatter("OVERRIDE_LAUNCH_LOG_FORMAT", log_format, log_style)
        for handler in self._file_handlers.values():
            handler.setFormatter(self._log_formatter)

    def get_screen_handler(self) -> Any:
        """Returns the handler that writes to the standard output."""
        if self._screen_handler is None:
            self._screen_handler = handlers.StreamHandler(sys.stdout)
            self._screen_handler.setFormatter(self._screen_formatter)
        return self._screen_handler

    def get_log_file_path(self, file_name: str = "launch.log") -> str:
        """Returns the path of a file in the folder of the logs."""
        return os.path.join(self.log_dir, file_name)

    def get_log_file_handler(self, file_name: str = "launch.log") -> Any:
        """Returns the handler that writes to a file in the folder of the logs."""
        if file_name not in self._file_handlers:
            handler = self.log_handler_factory(self.get_log_file_path(file_name), encoding="utf-8")
            handler.setFormatter(self._log_formatter)
            self._file_handlers[file_name] = handler
        return self._file_handlers[file_name]

    def logger(self, name: str | None) -> Logger:
        """Returns a logger that has the level, and none of the handlers of other loggers."""
        logger = logging.getLogger(name)
        if name not in self._loggers:
            self._loggers[name] = logger
            self._before[name] = (logger.level, logger.propagate)
            logger.propagate = False
            logger.setLevel(self._level)
        return logger


def _formatter(variable: str, text: str, style: _Style | None) -> logging.Formatter:
    """Returns a formatter. An environment variable has priority over the format of the program."""
    if text in _FORMATS and style is not None:
        raise ValueError(f"the format {text!r} has a style of its own")
    if override := os.environ.get(variable):
        return logging.Formatter(override, style="{")
    if text in _FORMATS:
        return logging.Formatter(_FORMATS[text], style="{")
    return logging.Formatter(text, style=style or "%")


def _base_log_dir() -> str:
    """Returns the folder of the logs of all launches."""
    folder = os.environ.get("ROS_LOG_DIR") or os.path.join(os.environ.get("ROS_HOME") or "~/.ros", "log")
    return os.path.normpath(os.path.expanduser(folder))


def _make_unique_log_dir(*, base_path: str) -> str:
    """Creates a folder that no other launch has. Returns its path."""
    name = f"{datetime.datetime.now():%Y-%m-%d-%H-%M-%S-%f}-{socket.gethostname()}-{os.getpid()}"
    for suffix in itertools.chain([""], (f"-{number}" for number in itertools.count(1))):
        path = os.path.join(base_path, name + suffix)
        try:
            os.makedirs(path)
            return path
        except FileExistsError:
            continue
    raise AssertionError("the numbers have no end")


def _renew_latest_log_dir(*, log_dir: str) -> bool:
    """Makes the link ``latest`` to a folder. Returns whether it could."""
    link = os.path.join(os.path.dirname(log_dir), "latest")
    try:
        if os.path.islink(link):
            os.unlink(link)
        os.symlink(os.path.basename(log_dir), link)
    except OSError:
        return False
    return True


#: Where loggers write to, and how.
launch_config = LaunchConfig()


def reset() -> None:
    """Restores the state at the start."""
    launch_config.reset()


def get_logger(name: str | None = None) -> Logger:
    """Returns a logger that writes to the screen and to the file of the launch."""
    logger = launch_config.logger(name)
    logger.addHandler(launch_config.get_screen_handler())
    logger.addHandler(launch_config.get_log_file_handler())
    return logger


def _places(output_config: Any) -> dict[str, set[str]]:
    """Returns the places to which each stream goes."""
    if isinstance(output_config, str):
        if output_config not in _OUTPUTS:
            raise ValueError(f"expected one of {', '.join(_OUTPUTS)}, found {output_config!r}")
        output_config = _OUTPUTS[output_config]
    found = {stream: {given} if isinstance(given, str) else set(given) for stream, given in output_config.items()}
    for stream, places in found.items():
        if stream not in ("stdout", "stderr", "both"):
            raise ValueError(f"expected stdout, stderr or both, found {stream!r}")
        if unknown := places - {"screen", "log", "own_log"}:
            raise ValueError(f"expected screen, log or own_log for {stream}, found {sorted(unknown)[0]!r}")
    return {stream: found.get(stream, set()) for stream in ("stdout", "stderr", "both")}


def get_output_loggers(process_name: str, output_config: Any) -> tuple[Logger, Logger]:
    """Returns the loggers of the standard output and of the standard error of a process.

    The configuration is ``screen``, ``log``, ``both``, ``own_log`` or ``full``, or a dictionary with the places of
    ``stdout``, ``stderr`` and ``both``: a set of ``screen``, ``log`` and ``own_log``.
    """
    places = _places(output_config)
    loggers = (_output_logger(process_name, stream, places) for stream in ("stdout", "stderr"))
    return next(loggers), next(loggers)


def _output_logger(process_name: str, stream: str, places: dict[str, set[str]]) -> Logger:
    name = f"{process_name}-{stream}"
    logger = launch_config.logger(name)
    logger.setLevel(logging.DEBUG)
    for handler in list(logger.handlers):
        logger.removeHandler(handler)
    bare = logging.Formatter("{message}", style="{")
    wanted: list[tuple[Any, logging.Formatter]] = []
    if "screen" in places[stream] | places["both"]:
        wanted.append((launch_config.get_screen_handler(), bare))
    if "log" in places[stream] | places["both"]:
        wanted.append((launch_config.get_log_file_handler(), logging.Formatter(_TIME + "{message}", style="{")))
    if "own_log" in places[stream]:
        wanted.append((launch_config.get_log_file_handler(f"{name}.log"), bare))
    if "own_log" in places["both"]:
        wanted.append((launch_config.get_log_file_handler(f"{process_name}.log"), bare))
    for handler, formatter in wanted:
        handler.setFormatterFor(logger, formatter)
        logger.addHandler(handler)
    return logger
