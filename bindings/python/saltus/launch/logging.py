"""Loggers of launch files, with the function of ROS 2's ``launch.logging``."""

from __future__ import annotations

from logging import Logger, getLogger

__all__ = ["get_logger"]


def get_logger(name: str | None = None) -> Logger:
    """Returns a logger with a name."""
    return getLogger(name)
