"""What fields of messages are written from and read as, for the stubs of `saltus.msgs`."""

import array
from collections.abc import Sequence
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

_N = TypeVar("_N", bound=np.generic)

#: Numbers that may be written into an array.
Floats: TypeAlias = Sequence[float] | array.array[float] | NDArray[Any]
Ints: TypeAlias = Sequence[int] | array.array[int] | NDArray[Any]
#: An array of numbers as it is read: NumPy's if the message was received, else what it was set to, or Python's.
FloatArray: TypeAlias = array.array[float] | NDArray[_N]
IntArray: TypeAlias = array.array[int] | NDArray[_N]
