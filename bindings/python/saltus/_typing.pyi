"""The types that fields of messages are read as and written from, for the stubs of `saltus.msgs`."""

import array
from collections.abc import Sequence
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

_N = TypeVar("_N", bound=np.generic)

#: Numbers that may be written into an array.
Floats: TypeAlias = Sequence[float] | array.array[float] | NDArray[Any]
Ints: TypeAlias = Sequence[int] | array.array[int] | NDArray[Any]
#: An array of numbers as it is read. It is a NumPy array if the message was received. Otherwise it is what it was set
#: to, or a Python array.
FloatArray: TypeAlias = array.array[float] | NDArray[_N]
IntArray: TypeAlias = array.array[int] | NDArray[_N]
