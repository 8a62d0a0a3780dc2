"""Names of ROS 2's ``launch`` that only programs use which start a launch themselves."""

from __future__ import annotations

from typing import Any

__all__ = ["LaunchIntrospector", "LaunchService"]

_INSTEAD = "run the launch file with `saltus launch FILE`"


class LaunchService:
    """Exists so that launch files can be imported that are also programs. The launcher is ``saltus launch``."""

    def __init__(self, **kwargs: Any) -> None:
        raise NotImplementedError(f"there is no LaunchService: {_INSTEAD}")


class LaunchIntrospector:
    """Exists so that launch files can be imported that are also programs; see ``saltus launch --dry-run``."""

    def __init__(self) -> None:
        raise NotImplementedError("there is no LaunchIntrospector: use `saltus launch --dry-run FILE`")
