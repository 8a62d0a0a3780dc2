//! Arrays of numbers: NumPy arrays over received memory, and Python's `array.array`.

use std::{os::raw::c_int, ptr};

use numpy::{
    PyArrayDescr, PyArrayDescrMethods, PyUntypedArray, PyUntypedArrayMethods, dtype,
    npyffi::{NPY_ARRAY_CARRAY, NPY_ARRAY_CARRAY_RO, NpyTypes, PY_ARRAY_API, get_type_object},
};
use pyo3::{
    ffi, intern,
    prelude::*,
    sync::PyOnceLock,
    types::{PyByteArray, PyBytes, PyMemoryView},
};
use saltus_dynamic::Primitive;

/// `PyBUF_READ` of CPython: a read-only view.
const BUFFER_READ: c_int = 0x100;
/// From this size in bytes on, an intermediate copy takes longer than the calls that avoid it.
const LARGE: usize = 4096;

/// Returns the NumPy type of a number.
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

/// Returns the type code of Python's `array`, or `None` for types whose arrays are lists in ROS 2.
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

/// Returns Python's `array.array`.
fn array_class(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    static CLASS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let class =
        CLASS.get_or_try_init(py, || Ok::<_, PyErr>(py.import("array")?.getattr("array")?.unbind()))?;
    Ok(class.bind(py))
}

/// Returns whether a value is an `array.array` or an instance of a derived class.
pub(crate) fn is_array(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    value.is_instance(array_class(value.py())?)
}

/// Creates an `array.array` from its bytes, or from an iterable of numbers.
pub(crate) fn new_array<'py>(
    py: Python<'py>,
    code: &str,
    content: impl IntoPyObject<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    array_class(py)?.call1((code, content))
}

/// Creates an `array.array` that contains a copy of the numbers.
pub(crate) fn array_of<'py>(py: Python<'py>, code: &str, bytes: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    if bytes.len() < LARGE {
        return new_array(py, code, PyBytes::new(py, bytes));
    }
    let array = array_class(py)?.call1((code,))?;
    // SAFETY: `bytes` outlive the view, because only the next call uses it. The view is read-only.
    let view = unsafe {
        let start = bytes.as_ptr().cast_mut().cast();
        let len = bytes.len() as ffi::Py_ssize_t;
        Bound::from_owned_ptr_or_err(py, ffi::PyMemoryView_FromMemory(start, len, BUFFER_READ))?
    };
    array.call_method1(intern!(py, "frombytes"), (view,))?;
    Ok(array)
}

/// Creates a read-only NumPy array over the numbers, without a copy. `owner` keeps their memory alive.
///
/// # Safety
/// The bytes must not move or change for as long as `owner` lives.
pub(crate) unsafe fn borrowed<'py>(
    bytes: &[u8],
    primitive: Primitive,
    owner: Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    // SAFETY: the caller guarantees it. Without the flag for writing, the NumPy array is read-only.
    unsafe { over(bytes.as_ptr().cast_mut(), bytes.len(), primitive, NPY_ARRAY_CARRAY_RO, owner) }
}

/// Creates a writable NumPy array over `len` bytes of `memory`, from `start` on. `owner` keeps the memory alive.
///
/// # Safety
/// The bytes must lie within `memory`, which must not move for as long as `owner` lives. No other code may read or
/// write them while the array is writable.
pub(crate) unsafe fn writable<'py>(
    memory: *mut [u8],
    start: usize,
    len: usize,
    primitive: Primitive,
    owner: Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    // SAFETY: the caller guarantees it.
    unsafe { over(memory.cast::<u8>().add(start), len, primitive, NPY_ARRAY_CARRAY, owner) }
}

/// # Safety
/// `len` bytes from `start` on must not move for as long as `owner` lives. If the flags allow writing, the caller must
/// have the right to write them.
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
    // SAFETY: NumPy is given a type, dimensions that fit the bytes, and an owner that keeps the bytes alive. As NumPy
    // documents, it takes over the references to the type and to the owner. It returns a new reference, or null with an
    // exception set.
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

/// Creates a NumPy array that contains a copy of the numbers.
pub(crate) fn copied<'py>(
    py: Python<'py>,
    bytes: &[u8],
    primitive: Primitive,
) -> PyResult<Bound<'py, PyAny>> {
    let frombuffer = numpy_function(py, "frombuffer")?;
    let array = frombuffer.call1((PyBytes::new(py, bytes), dtype_of(py, primitive)))?;
    array.call_method0(intern!(py, "copy"))
}

/// Creates a NumPy array of zeros.
pub(crate) fn zeros(py: Python<'_>, count: usize, primitive: Primitive) -> PyResult<Bound<'_, PyAny>> {
    numpy_function(py, "zeros")?.call1((count, dtype_of(py, primitive)))
}

/// Returns a function of NumPy.
pub(crate) fn numpy_function<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    static NUMPY: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    NUMPY.get_or_try_init(py, || py.import("numpy").map(Bound::unbind))?.bind(py).getattr(name)
}

/// The bytes of an array of numbers, without a copy, and the owner of their memory.
#[derive(Debug)]
pub(crate) struct Numbers {
    /// Never read. It keeps the memory alive, and prevents the array from being resized.
    _owner: Py<PyAny>,
    start: *const u8,
    len: usize,
}

// SAFETY: the bytes are only read, by one thread at a time, and `_owner` keeps their memory alive.
unsafe impl Send for Numbers {}
// SAFETY: as above.
unsafe impl Sync for Numbers {}

impl Numbers {
    /// Returns the numbers of a NumPy array, or of an object that NumPy can convert to a contiguous array.
    pub(crate) fn of(array: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = array.py();
        let array = match array.cast::<PyUntypedArray>() {
            Ok(array) if array.is_c_contiguous() => array.clone(),
            _ => numpy_function(py, "ascontiguousarray")?.call1((array,))?.cast_into::<PyUntypedArray>()?,
        };
        let len = array.len() * array.dtype().itemsize();
        // SAFETY: the object is alive, and it is a NumPy array.
        let start = unsafe { (*array.as_array_ptr()).fields.data.cast::<u8>().cast_const() };
        Ok(Self { _owner: array.into_any().unbind(), start, len })
    }

    /// Copies the bytes to `buffer`. Another thread of the program may write to the array meanwhile, as with any library
    /// that copies without the interpreter's lock. Then each copied byte is either the old or the new one.
    pub(crate) fn copy_to(&self, buffer: &mut [u8]) {
        assert_eq!(buffer.len(), self.len, "an array can't be resized while it is referred to");
        if self.len > 0 {
            // SAFETY: the owner keeps `len` bytes at `start` alive. `buffer` has the same length and does not overlap
            // with them.
            unsafe { ptr::copy_nonoverlapping(self.start, buffer.as_mut_ptr(), self.len) };
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }
}

/// Returns a view of a value that has its numbers in memory: `bytes`, a `bytearray`, or a `memoryview` with one dimension and
/// numbers of this type code. Returns `None` for other values, whose elements must be read one by one.
pub(crate) fn view_of<'py>(value: &Bound<'py, PyAny>, code: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
    let has_memory = value.is_instance_of::<PyBytes>()
        || value.is_instance_of::<PyByteArray>()
        || value.is_instance_of::<PyMemoryView>();
    if !has_memory {
        return Ok(None);
    }
    let (py, view) = (value.py(), PyMemoryView::from(value)?.into_any());
    let format: String = view.getattr(intern!(py, "format"))?.extract()?;
    let is_flat = view.getattr(intern!(py, "ndim"))?.extract::<usize>()? == 1;
    Ok((is_flat && is_format_of(&format, code)).then_some(view))
}

/// Whether the numbers of a buffer of this format are those of a type code.
fn is_format_of(format: &str, code: &str) -> bool {
    // NumPy writes `l` for 64 bits where that is C's `long`.
    let is_long = size_of::<std::os::raw::c_long>() == 8 && matches!((format, code), ("l", "q") | ("L", "Q"));
    format == code || is_long
}

/// Creates an `array.array` that contains a copy of the numbers of a view.
pub(crate) fn array_of_view<'py>(code: &str, view: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = view.py();
    let array = array_class(py)?.call1((code,))?;
    // `frombytes` takes only views of bytes, and only contiguous memory can be cast to them.
    let bytes = match view.getattr(intern!(py, "c_contiguous"))?.is_truthy()? {
        true => view.call_method1(intern!(py, "cast"), ("B",))?,
        false => view.call_method0(intern!(py, "tobytes"))?,
    };
    array.call_method1(intern!(py, "frombytes"), (bytes,))?;
    Ok(array)
}
