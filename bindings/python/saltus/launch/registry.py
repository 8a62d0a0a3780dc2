"""The objects of launch files that the launcher knows by numbers."""

from __future__ import annotations

from typing import Any

__all__ = ["Registry"]


class Registry:
    """Gives numbers to objects, so that the launcher can ask for them later."""

    def __init__(self) -> None:
        self._objects: list[Any] = []
        self._numbers: dict[int, int] = {}

    def number(self, item: Any) -> int:
        """Returns the number of an object. The object is kept alive."""
        known = self._numbers.get(id(item))
        if known is None:
            known = self._numbers[id(item)] = len(self._objects)
            self._objects.append(item)
        return known

    def call(self, item: Any) -> dict[str, Any]:
        """Returns the call of an object as a part of a text."""
        return {"name": f"#{self.number(item)}", "arguments": []}

    def item(self, number: int) -> Any:
        """Returns the object with a number."""
        return self._objects[number]
