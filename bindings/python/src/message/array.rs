//! Arrays of numbers: NumPy's over received memory, and those of Python's `array`.

use std::{os::raw::c_int, ptr};

use numpy::{
    PyArrayDescr, PyArrayDescrMethods, PyUntypedArray, PyUntypedArrayMethods, dtype,
    npyffi::{NPY_ARRAY_CARRAY, NPY_ARRAY_CARRAY_RO, NpyTypes, PY_ARRAY_API, get_type_object},
};
use pyo3::{ffi, intern, prelude::*, sync::PyOnceLock, types::PyBytes};
use saltus_dynamic::Primitive;

/// `PyBUF_READ` of CPython: a view that lets nobody write.
const BUFFER_READ: c_int = 0x100;
/// From so many bytes on, a copy on the way costs more than the calls that spare it.
const LARGE: usize = 4096;

/// The NumPy type of a number.
pub(crate) fn dtype_of(py: Python<'_>, primitive: Primitive) -> Bound<'_, PyArrayDescr> {
    match primitive {
        Primitive::Bool => dtype::<bool>(py),
        Primitive::Byte | Primitive::Char | Primitive::Uint8 => dtype::<u8>(py),
        Primitive::Int8 => dtype::<i8>(py),
        Primitive::Int16 => dtype::<i16>(py),
        Primitive::Uint16 => dtype::<u16>(py),
        Primitive::Int32 => dtype::<i32>(py),
        Primitive::Uint32 => dtype::<u32>(py),
        Primitive::Int64 => dtype::<i64>(py),
        Primitive::Uint64 => dtype::<u64>(py),
        Primitive::Float32 => dtype::<f32>(py),
        Primitive::Float64 => dtype::<f64>(py),
    }
}

/// The type code of Python's `array`; `None` for what ROS 2 keeps in lists.
pub(crate) fn type_code(primitive: Primitive) -> Option<&'static str> {
    Some(match primitive {
        Primitive::Bool | Primitive::Byte => return None,
        Primitive::Char | Primitive::Uint8 => "B",
        Primitive::Int8 => "b",
        Primitive::Int16 => "h",
        Primitive::Uint16 => "H",
        Primitive::Int32 => "i",
        Primitive::Uint32 => "I",
        Primitive::Int64 => "q",
        Primitive::Uint64 => "Q",
        Primitive::Float32 => "f",
        Primitive::Float64 => "d",
    })
}

/// Python's `array.array`.
fn array_class(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    static CLASS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let class =
        CLASS.get_or_try_init(py, || Ok::<_, PyErr>(py.import("array")?.getattr("array")?.unbind()))?;
    Ok(class.bind(py))
}

/// Whether it is an `array.array`, or of a class derived from it.
pub(crate) fn is_array(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    value.is_instance(array_class(value.py())?)
}

/// An `array.array` of what is given: its bytes, or an iterable of numbers.
pub(crate) fn new_array<'py>(
    py: Python<'py>,
    code: &str,
    content: impl IntoPyObject<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    array_class(py)?.call1((code, content))
}

/// An `array.array` with a copy of numbers.
pub(crate) fn array_of<'py>(py: Python<'py>, code: &str, bytes: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    if bytes.len() < LARGE {
        return new_array(py, code, PyBytes::new(py, bytes));
    }
    let array = array_class(py)?.call1((code,))?;
    // SAFETY: `bytes` outlive the view, which is used in the next call alone and lets nobody write.
    let view = unsafe {
        let start = bytes.as_ptr().cast_mut().cast();
        let len = bytes.len() as ffi::Py_ssize_t;
        Bound::from_owned_ptr_or_err(py, ffi::PyMemoryView_FromMemory(start, len, BUFFER_READ))?
    };
    array.call_method1(intern!(py, "frombytes"), (view,))?;
    Ok(array)
}

/// A NumPy array of numbers that nobody may change, where they lie. `owner` keeps them there.
///
/// # Safety
/// The bytes must stay where and as they are for as long as `owner` lives.
pub(crate) unsafe fn borrowed<'py>(
    bytes: &[u8],
    primitive: Primitive,
    owner: Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    // SAFETY: as the caller promises; without the flag for writing NumPy lets nobody write.
    unsafe { over(bytes.as_ptr().cast_mut(), bytes.len(), primitive, NPY_ARRAY_CARRAY_RO, owner) }
}

/// A NumPy array of numbers to be written where they lie: `len` bytes from `start` on. `owner` keeps them there.
///
/// # Safety
/// They must lie within `memory`, which must stay where it is for as long as `owner` lives; nobody else may read
/// or write them while the array can be written.
pub(crate) unsafe fn writable<'py>(
    memory: *mut [u8],
    start: usize,
    len: usize,
    primitive: Primitive,
    owner: Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    // SAFETY: as the caller promises.
    unsafe { over(memory.cast::<u8>().add(start), len, primitive, NPY_ARRAY_CARRAY, owner) }
}

/// # Safety
/// `len` bytes from `start` on must stay for as long as `owner` lives, and be the caller's to write if the flags
/// say so.
unsafe fn over<'py>(
    start: *mut u8,
    len: usize,
    primitive: Primitive,
    flags: c_int,
    owner: Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = owner.py();
    let descr = dtype_of(py, primitive);
    let mut dims = [(len / primitive.size()) as numpy::npyffi::npy_intp];
    // SAFETY: NumPy is given a type, dimensions that fit the bytes, and an owner that keeps them. References are
    // handed over as it documents: it takes those to the type and to the owner, and returns a new one, or null
    // with an exception set.
    unsafe {
        let array = PY_ARRAY_API.PyArray_NewFromDescr(
            py,
            get_type_object(py, NpyTypes::PyArray_Type),
            descr.into_dtype_ptr(),
            1 as c_int,
            dims.as_mut_ptr(),
            ptr::null_mut(),
            start.cast(),
            flags,
            ptr::null_mut(),
        );
        let array = Bound::from_owned_ptr_or_err(py, array)?;
        match PY_ARRAY_API.PyArray_SetBaseObject(py, array.as_ptr().cast(), owner.into_ptr()) {
            0 => Ok(array),
            _ => Err(PyErr::fetch(py)),
        }
    }
}

/// A NumPy array with a copy of numbers.
pub(crate) fn copied<'py>(
    py: Python<'py>,
    bytes: &[u8],
    primitive: Primitive,
) -> PyResult<Bound<'py, PyAny>> {
    let frombuffer = numpy_function(py, "frombuffer")?;
    let array = frombuffer.call1((PyBytes::new(py, bytes), dtype_of(py, primitive)))?;
    array.call_method0(intern!(py, "copy"))
}

/// A NumPy array of zeros.
pub(crate) fn zeros(py: Python<'_>, count: usize, primitive: Primitive) -> PyResult<Bound<'_, PyAny>> {
    numpy_function(py, "zeros")?.call1((count, dtype_of(py, primitive)))
}

/// A function of NumPy.
pub(crate) fn numpy_function<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    static NUMPY: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    NUMPY.get_or_try_init(py, || py.import("numpy").map(Bound::unbind))?.bind(py).getattr(name)
}

/// The numbers of an array, where they lie: its owner, and the bytes.
#[derive(Debug)]
pub(crate) struct Numbers {
    /// Held, not used: keeps the memory, and the array from being resized.
    _owner: Py<PyAny>,
    start: *const u8,
    len: usize,
}

// SAFETY: it is read only, by one thread at a time, while it holds the memory's owner.
unsafe impl Send for Numbers {}
// SAFETY: as above.
unsafe impl Sync for Numbers {}

impl Numbers {
    /// Those of a NumPy array, or of anything that NumPy can make one of without a copy.
    pub(crate) fn of(array: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = array.py();
        let array = match array.cast::<PyUntypedArray>() {
            Ok(array) if array.is_c_contiguous() => array.clone(),
            _ => numpy_function(py, "ascontiguousarray")?.call1((array,))?.cast_into::<PyUntypedArray>()?,
        };
        let len = array.len() * array.dtype().itemsize();
        // SAFETY: the array object is alive, and is NumPy's.
        let start = unsafe { (*array.as_array_ptr()).fields.data.cast::<u8>().cast_const() };
        Ok(Self { _owner: array.into_any().unbind(), start, len })
    }

    /// The bytes. Another thread of the program may write them meanwhile, as it may in any library that
    /// copies without the interpreter's lock: what is read then is one or the other, byte by byte.
    pub(crate) fn copy_to(&self, place: &mut [u8]) {
        assert_eq!(place.len(), self.len, "an array does not change its size while it is held");
        if self.len > 0 {
            // SAFETY: the owner keeps `len` bytes at `start`; `place` is as long, and memory of another kind.
            unsafe { ptr::copy_nonoverlapping(self.start, place.as_mut_ptr(), self.len) };
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }
}
