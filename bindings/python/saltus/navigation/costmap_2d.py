"""A costmap in Python.

Source: ``nav2_simple_commander.costmap_2d``, whose class and methods these are.
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["PyCostmap2D"]


class PyCostmap2D:
    """A costmap that was made from a ``nav_msgs/msg/OccupancyGrid`` or a ``nav2_msgs/msg/Costmap``."""

    def __init__(self, occupancy_map: Any) -> None:
        info = getattr(occupancy_map, "info", None)
        if info is None:
            info = occupancy_map.metadata
            self.size_x, self.size_y = int(info.size_x), int(info.size_y)
        else:
            self.size_x, self.size_y = int(info.width), int(info.height)
        self.resolution = float(info.resolution)
        self.origin_x, self.origin_y = float(info.origin.position.x), float(info.origin.position.y)
        self.global_frame_id = occupancy_map.header.frame_id
        self.costmap_timestamp = occupancy_map.header.stamp
        self.costmap = np.array(occupancy_map.data).astype(np.uint8)

    def getSizeInCellsX(self) -> int:
        """Returns the number of columns."""
        return self.size_x

    def getSizeInCellsY(self) -> int:
        """Returns the number of rows."""
        return self.size_y

    def getSizeInMetersX(self) -> float:
        """Returns the width in metres, to the centre of the last cell."""
        return (self.size_x - 1 + 0.5) * self.resolution

    def getSizeInMetersY(self) -> float:
        """Returns the height in metres, to the centre of the last cell."""
        return (self.size_y - 1 + 0.5) * self.resolution

    def getOriginX(self) -> float:
        """Returns x of the lower left corner."""
        return self.origin_x

    def getOriginY(self) -> float:
        """Returns y of the lower left corner."""
        return self.origin_y

    def getResolution(self) -> float:
        """Returns the edge of a cell in metres."""
        return self.resolution

    def getGlobalFrameID(self) -> str:
        """Returns the frame."""
        return self.global_frame_id

    def getCostmapTimestamp(self) -> Any:
        """Returns the stamp."""
        return self.costmap_timestamp

    def getCostXY(self, mx: int, my: int) -> int:
        """Returns the cost of a cell."""
        return int(self.costmap[self.getIndex(mx, my)])

    def getCostIdx(self, index: int) -> int:
        """Returns the cost at an index of the data."""
        return int(self.costmap[index])

    def setCost(self, mx: int, my: int, cost: int) -> None:
        """Sets the cost of a cell."""
        self.costmap[self.getIndex(mx, my)] = cost

    def mapToWorld(self, mx: int, my: int) -> tuple[float, float]:
        """Returns the centre of a cell."""
        return (self.origin_x + (mx + 0.5) * self.resolution, self.origin_y + (my + 0.5) * self.resolution)

    def worldToMapValidated(self, wx: float, wy: float) -> tuple[int | None, int | None]:
        """Returns the cell of a point, or ``(None, None)`` outside."""
        if wx < self.origin_x or wy < self.origin_y:
            return (None, None)
        mx = int((wx - self.origin_x) // self.resolution)
        my = int((wy - self.origin_y) // self.resolution)
        if mx < self.size_x and my < self.size_y:
            return (mx, my)
        return (None, None)

    def getIndex(self, mx: int, my: int) -> int:
        """Returns the index of a cell in the data."""
        return my * self.size_x + mx
