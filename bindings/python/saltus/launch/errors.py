"""The errors of launch files that can't be used."""

from __future__ import annotations

from typing import Iterable

__all__ = ["InvalidFrontendLaunchFileError", "InvalidLaunchFileError", "InvalidPythonLaunchFileError"]


class InvalidLaunchFileError(Exception):
    """A launch file can't be used. The likely errors are those of the programs that have tried to read it."""

    def __init__(self, extension: str = "", *, likely_errors: Iterable[BaseException] | None = None) -> None:
        self._extension = extension
        self._likely_errors = list(likely_errors or [])
        super().__init__(self._text())

    def _text(self) -> str:
        if not self._likely_errors:
            return self._extension or "the launch file can't be read"
        errors = "\n".join(f" - {type(error).__name__}: {error}" for error in self._likely_errors)
        kind = f"the launch file (ending '{self._extension}')" if self._extension else "the launch file"
        return f"{kind} can't be read:\n{errors}"


class InvalidPythonLaunchFileError(InvalidLaunchFileError):
    """A launch file in Python does not have the function that it needs."""


class InvalidFrontendLaunchFileError(InvalidLaunchFileError):
    """A launch file is neither XML nor YAML, or has an unknown format."""
