"""Steps along a line.

Source: ``nav2_simple_commander.line_iterator``, whose class these rules are from.
"""

from __future__ import annotations

from math import hypot

__all__ = ["LineIterator"]


class LineIterator:
    """Steps along a line from a point to another one. The x coordinate changes by ``step_size``, or y if the line is
    vertical."""

    def __init__(self, x0: float, y0: float, x1: float, y1: float, step_size: float = 1.0) -> None:
        if not all(isinstance(value, (int, float)) for value in (x0, y0, x1, y1, step_size)):
            raise TypeError("x0, y0, x1, y1 and step_size must be numbers")
        if step_size <= 0:
            raise ValueError("step_size must be a positive number")
        if (x0, y0) == (x1, y1):
            raise ValueError("Line has zero length (All 4 points have same coordinates)")
        self.x0_, self.y0_, self.x1_, self.y1_ = x0, y0, x1, y1
        self.x_, self.y_ = x0, y0
        self.step_size_ = step_size
        self.valid_ = True
        self.m_ = None if x0 == x1 else (y1 - y0) / (x1 - x0)

    def isValid(self) -> bool:
        """Whether the current point is on the line."""
        return self.valid_

    def advance(self) -> None:
        """Goes to the next point."""
        if (self.y_ == self.y1_) if self.m_ is None else (self.x_ == self.x1_):
            self.valid_ = False
        elif self.m_ is None:
            self.y_ = self._next(self.y_, self.y1_)
        else:
            self.x_ = self._next(self.x_, self.x1_)
            self.y_ = round(self.y0_ + self.m_ * (self.x_ - self.x0_), 5)

    def _next(self, value: float, end: float) -> float:
        # The end itself is not rounded, so that it is reached.
        if abs(end - value) <= self.step_size_:
            return end
        return round(value + (self.step_size_ if value < end else -self.step_size_), 5)

    def getX(self) -> float:
        """Returns x of the current point."""
        return self.x_

    def getY(self) -> float:
        """Returns y of the current point."""
        return self.y_

    def getX0(self) -> float:
        """Returns x of the first point."""
        return self.x0_

    def getY0(self) -> float:
        """Returns y of the first point."""
        return self.y0_

    def getX1(self) -> float:
        """Returns x of the last point."""
        return self.x1_

    def getY1(self) -> float:
        """Returns y of the last point."""
        return self.y1_

    def get_line_length(self) -> float:
        """Returns the length of the line."""
        return hypot(self.x1_ - self.x0_, self.y1_ - self.y0_)

    def clamp(self, n: float, min_n: float, max_n: float) -> float:
        """Returns the nearest number between two others."""
        return max(min_n, min(n, max_n))
