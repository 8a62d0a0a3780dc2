"""Checks what the footprint of a robot touches.

Source: ``nav2_simple_commander.footprint_collision_checker``, whose class and methods these are.
"""

from __future__ import annotations

from math import cos, sin
from typing import Any

from saltus.msgs.geometry_msgs.msg import Point32, Polygon
from saltus.navigation.costmap_2d import PyCostmap2D
from saltus.navigation.line_iterator import LineIterator

__all__ = [
    "FREE_SPACE",
    "FootprintCollisionChecker",
    "INSCRIBED",
    "LETHAL_OBSTACLE",
    "MAX_NON_OBSTACLE",
    "NO_INFORMATION",
]

NO_INFORMATION = 255
LETHAL_OBSTACLE = 254
INSCRIBED = 253
MAX_NON_OBSTACLE = 252
FREE_SPACE = 0


class FootprintCollisionChecker:
    """Checks what the footprint of a robot touches in a costmap."""

    def __init__(self) -> None:
        self.costmap_: PyCostmap2D | None = None

    def setCostmap(self, costmap: PyCostmap2D) -> None:
        """Sets the costmap."""
        self.costmap_ = costmap

    def _costmap(self) -> PyCostmap2D:
        if self.costmap_ is None:
            raise ValueError("Costmap not specified, use setCostmap to specify the costmap first")
        return self.costmap_

    def footprintCost(self, footprint: Polygon) -> float:
        """Returns the highest cost under the outline of a footprint; that of an obstacle if a corner is outside."""
        cells = [self.worldToMapValidated(float(point.x), float(point.y)) for point in footprint.points]
        highest = 0.0
        for (x0, y0), (x1, y1) in zip(cells, cells[1:] + cells[:1]):
            if x0 is None or y0 is None or x1 is None or y1 is None:
                return float(LETHAL_OBSTACLE)
            highest = max(highest, self.lineCost(x0, x1, y0, y1))
            if highest == LETHAL_OBSTACLE:
                return highest
        return highest

    def lineCost(self, x0: int, x1: int, y0: int, y1: int, step_size: float = 0.5) -> float:
        """Returns the highest cost under a line of cells."""
        if (x0, y0) == (x1, y1):
            return self.pointCost(x0, y0)
        line = LineIterator(x0, y0, x1, y1, step_size)
        highest = 0.0
        while line.isValid():
            highest = max(highest, self.pointCost(int(line.getX()), int(line.getY())))
            if highest == LETHAL_OBSTACLE:
                return highest
            line.advance()
        return max(highest, self.pointCost(x1, y1))

    def worldToMapValidated(self, wx: float, wy: float) -> tuple[int | None, int | None]:
        """Returns the cell of a point, or ``(None, None)`` outside."""
        return self._costmap().worldToMapValidated(wx, wy)

    def pointCost(self, x: int, y: int) -> float:
        """Returns the cost of a cell."""
        return float(self._costmap().getCostXY(x, y))

    def footprintCostAtPose(self, x: float, y: float, theta: float, footprint: Polygon) -> float:
        """Returns the highest cost under the outline of a footprint at a pose."""
        cosine, sine = cos(theta), sin(theta)

        def moved(point: Any) -> Point32:
            return Point32(x=x + point.x * cosine - point.y * sine, y=y + point.x * sine + point.y * cosine)

        return self.footprintCost(Polygon(points=[moved(point) for point in footprint.points]))
