"""Nodes whose received arrays have the types of ROS 2's message classes."""

from __future__ import annotations

import saltus.node
from saltus.exceptions import ParameterNotDeclaredException
from saltus.node import HIDDEN_NODE_PREFIX, NodeNameNonExistentError
from saltus.parameter import Parameter
from saltus.publisher import Publisher
from saltus.subscription import Subscription


class Node(saltus.node.Node):
    """Same as :class:`saltus.Node`, but received arrays of numbers are copies."""

    _copies_arrays = True


__all__ = [
    "HIDDEN_NODE_PREFIX", "Node", "NodeNameNonExistentError", "Parameter", "ParameterNotDeclaredException",
    "Publisher", "Subscription",
]  # fmt: skip
