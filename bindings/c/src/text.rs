//! Texts that the library returns.

use std::ffi::{CString, c_char};

use crate::{
    pointers,
    status::{Failure, SALTUS_ERROR, Status, create, destroy, run},
};

/// A text that the library has made. Free it with saltus_text_destroy().
#[derive(Debug)]
pub struct Text(CString);

impl Text {
    /// Makes a text. A zero byte within it is left out, because the text would end there.
    pub(crate) fn new(text: &str) -> Self {
        let bytes: Vec<u8> = text.bytes().filter(|byte| *byte != 0).collect();
        Self(CString::new(bytes).unwrap_or_default())
    }

    pub(crate) fn pointer(&self) -> *const c_char {
        self.0.as_ptr()
    }
}

/// Writes a new text to `place`.
pub(crate) fn write(place: Option<&mut *mut Text>, make: impl FnOnce() -> Result<String, Failure>) -> Status {
    create(place, || Ok(Text::new(&make()?)))
}

/// Returns the text. It ends with a zero byte, and is valid until the object is destroyed.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_text_data(text: Option<&Text>) -> *const c_char {
    text.map_or(c"".as_ptr(), Text::pointer)
}

/// Frees a text.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_text_destroy(text: Option<Box<Text>>) {
    destroy(text);
}

/// Sets the text that saltus_error_message() returns on this thread. It is for libraries that are built on this one. NULL is the
/// empty text.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_set_error_message(text: *const c_char) -> Status {
    run(|| {
        let text = pointers::optional_text(text, "text of a failure")?.unwrap_or_default();
        Failure::new(SALTUS_ERROR, text).report();
        Ok(())
    })
}
