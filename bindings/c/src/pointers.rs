//! Reads texts, arrays and structs that a caller passes.
//!
//! The header demands of a caller that each pointer is NULL or valid for the time of the call. The functions here turn such
//! pointers into references, and NULL into an error. The other modules need no `unsafe` for that.

use std::ffi::{CStr, c_char};

use crate::status::Failure;

/// Returns a text.
///
/// # Errors
/// Returns an error if it is NULL or not UTF-8. `what` is what it names.
pub(crate) fn text<'a>(text: *const c_char, what: &str) -> Result<&'a str, Failure> {
    optional_text(text, what)?.ok_or_else(|| Failure::argument(format!("expected a {what}, found NULL")))
}

/// Returns a text, or `None` for NULL.
///
/// # Errors
/// Returns an error if it is not UTF-8.
pub(crate) fn optional_text<'a>(text: *const c_char, what: &str) -> Result<Option<&'a str>, Failure> {
    if text.is_null() {
        return Ok(None);
    }
    // SAFETY: the header demands that a text ends with a zero byte, and stays valid during the call.
    let text = unsafe { CStr::from_ptr(text) };
    let text = text
        .to_str()
        .map_err(|_| Failure::argument(format!("expected a {what} in UTF-8, found {text:?}")))?;
    Ok(Some(text))
}

/// Returns an array. It is empty if its length is 0.
///
/// # Errors
/// Returns an error if it is NULL and its length is not 0. `what` is what it contains.
pub(crate) fn array<'a, T>(first: *const T, len: usize, what: &str) -> Result<&'a [T], Failure> {
    if len == 0 {
        return Ok(&[]);
    }
    if first.is_null() {
        return Err(Failure::argument(format!("expected {len} {what}, found NULL")));
    }
    // SAFETY: the header demands that an array has as many elements as its length says, and stays valid during the call.
    Ok(unsafe { std::slice::from_raw_parts(first, len) })
}

/// Returns a list of texts.
///
/// # Errors
/// Returns an error if it is NULL and not empty, or if a text of it is NULL or not UTF-8.
pub(crate) fn texts<'a>(
    first: *const *const c_char,
    len: usize,
    what: &str,
) -> Result<Vec<&'a str>, Failure> {
    array(first, len, &format!("{what}s"))?.iter().map(|one| text(*one, what)).collect()
}

/// A struct of options. Its first field is its size, with which an older caller says that it does not know the last fields.
///
/// # Safety
/// It is `repr(C)`, its first field is a `usize`, and any bytes are a valid value of it.
pub(crate) unsafe trait Options: Copy {
    /// The name of the struct in C.
    const NAME: &str;

    /// The options that a caller has who knows none of them.
    fn defaults() -> Self;
}

/// Reads a struct of options. NULL means the default of each.
///
/// # Errors
/// Returns an error if its size is not set, or if a field that this library does not know is not 0.
pub(crate) fn options<T: Options>(options: *const T) -> Result<T, Failure> {
    let mut read = T::defaults();
    if options.is_null() {
        return Ok(read);
    }
    // SAFETY: the header demands that the struct is valid, and its first field is its size.
    let size = unsafe { options.cast::<usize>().read() };
    if size < size_of::<usize>() {
        return Err(Failure::argument(format!(
            "expected the size of {name} in its field struct_size, found {size}: begin with the function that initializes it",
            name = T::NAME
        )));
    }
    let known = size.min(size_of::<T>());
    // SAFETY: the caller's struct has `size` bytes, and any bytes are a valid value of it.
    unsafe { options.cast::<u8>().copy_to_nonoverlapping((&raw mut read).cast(), known) };
    // SAFETY: as above; these are the bytes behind the fields that this library knows.
    let rest = unsafe { std::slice::from_raw_parts(options.cast::<u8>().add(known), size - known) };
    if rest.iter().any(|byte| *byte != 0) {
        return Err(Failure::argument(format!(
            "{name} has options that this version of libsaltus does not have",
            name = T::NAME
        )));
    }
    Ok(read)
}

/// Reads a struct that has no defaults.
///
/// # Errors
/// Returns an error if it is NULL, and those of [`options`].
pub(crate) fn required<T: Options>(given: *const T) -> Result<T, Failure> {
    if given.is_null() {
        return Err(Failure::argument(format!("expected a {name}, found NULL", name = T::NAME)));
    }
    options(given)
}

/// Writes the defaults of options into a struct of a caller, as far as the caller knows its fields.
pub(crate) fn write_defaults<T: Options>(place: *mut T, size: usize) {
    let (defaults, known) = (T::defaults(), size.min(size_of::<T>()));
    if place.is_null() || size < size_of::<usize>() {
        return;
    }
    // SAFETY: the header demands that the caller's struct has `size` bytes.
    unsafe {
        place.cast::<u8>().write_bytes(0, size);
        place.cast::<u8>().copy_from_nonoverlapping((&raw const defaults).cast(), known);
        place.cast::<usize>().write(size);
    }
}

/// Writes a struct of results, as far as the caller knows its fields. The caller has set the size in it.
///
/// # Errors
/// Returns an error if the size is not set.
pub(crate) fn write_known<T: Options>(place: *mut T, value: &T) -> Result<(), Failure> {
    // SAFETY: the header demands that the struct is valid, and its first field is its size.
    let size = unsafe { place.cast::<usize>().read() };
    if size < size_of::<usize>() {
        return Err(Failure::argument(format!("the field struct_size of {} is not set", T::NAME)));
    }
    let value: *const T = value;
    // SAFETY: the caller's struct has `size` bytes, and `value` has `size_of::<T>()`. The size itself is not overwritten.
    unsafe {
        let skipped = size_of::<usize>();
        let count = size.min(size_of::<T>()) - skipped;
        value.cast::<u8>().add(skipped).copy_to_nonoverlapping(place.cast::<u8>().add(skipped), count);
    }
    Ok(())
}

/// Returns a text of which each part that is not UTF-8 is replaced: a message that is logged must not be lost for that.
///
/// # Errors
/// Returns an error if it is NULL.
pub(crate) fn lossy_text(text: *const c_char, what: &str) -> Result<String, Failure> {
    if text.is_null() {
        return Err(Failure::argument(format!("expected a {what}, found NULL")));
    }
    // SAFETY: the header demands that a text ends with a zero byte, and stays valid during the call.
    Ok(unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
}
