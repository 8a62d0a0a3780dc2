"""The types of fields of messages, for the stubs of `saltus.msgs`: what a field is read as, and set to."""

import array
from collections.abc import Sequence
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

_N = TypeVar("_N", bound=np.generic)

#: Numbers that an array field may be set to.
Floats: TypeAlias = Sequence[float] | array.array[float] | NDArray[Any]
Ints: TypeAlias = Sequence[int] | array.array[int] | NDArray[Any]
#: The value of an array field when it is read. In a received message it is a NumPy array. Otherwise it is the value
#: that the field was set to, or a Python array.
FloatArray: TypeAlias = array.array[float] | NDArray[_N]
IntArray: TypeAlias = array.array[int] | NDArray[_N]
