//! Callbacks: a context, a function, and a function that drops the context.

use std::{ffi::c_void, ops::Deref, panic::resume_unwind, sync::Arc};

use saltus::cdr::CdrError;

use crate::{
    gate::Gate,
    status::{Failure, Stop},
};

/// What a callback tells its executor: SALTUS_CONTINUE or SALTUS_STOP.
pub type Next = i32;

/// The executor goes on.
pub const SALTUS_CONTINUE: Next = 0;
/// The function that runs the callbacks returns SALTUS_STOPPED at once, and runs no other callback before it.
pub const SALTUS_STOP: Next = 1;

/// Drops the context of a callback. It is called once, on any thread, when the callback is not called any more.
pub type DropFunction = Option<extern "C" fn(context: *mut c_void)>;

/// The context of a callback, and how it is dropped.
#[derive(Debug)]
pub(crate) struct CallbackContext {
    pointer: *mut c_void,
    drop: DropFunction,
}

// SAFETY: the header demands that a callback and its drop function may be called on any thread.
unsafe impl Send for CallbackContext {}
// SAFETY: as above. The functions of C get the pointer, and nothing here reads what it points to.
unsafe impl Sync for CallbackContext {}

impl CallbackContext {
    pub(crate) fn new(pointer: *mut c_void, drop: DropFunction) -> Self {
        Self { pointer, drop }
    }

    pub(crate) fn pointer(&self) -> *mut c_void {
        self.pointer
    }
}

impl Drop for CallbackContext {
    fn drop(&mut self) {
        if let Some(drop) = self.drop {
            drop(self.pointer);
        }
    }
}

/// A callback that was given, with its context.
#[derive(Debug)]
pub(crate) struct Closure<F> {
    pub(crate) context: CallbackContext,
    pub(crate) call: F,
}

impl<F> Closure<F> {
    /// Takes a callback over from the caller. The context is dropped even if the function is NULL.
    ///
    /// # Errors
    /// Returns an error if the function is NULL.
    pub(crate) fn given(call: Option<F>, context: CallbackContext, what: &str) -> Result<Self, Failure> {
        match call {
            Some(call) => Ok(Self { context, call }),
            None => Err(Failure::argument(format!("expected a function for {what}, found NULL"))),
        }
    }
}

/// Writes the bytes of a request or response: as many as the size that was given with it. Their values before are unspecified.
pub type WriteFunction = Option<extern "C" fn(context: *const c_void, bytes: *mut u8)>;

/// A function that was given to write bytes, with its context.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Writer {
    call: extern "C" fn(*const c_void, *mut u8),
    context: *const c_void,
}

impl Writer {
    /// # Errors
    /// Returns an error if the function is NULL.
    pub(crate) fn given(write: WriteFunction, context: *const c_void) -> Result<Self, Failure> {
        let call = write.ok_or_else(|| Failure::argument("expected a function that writes, found NULL"))?;
        Ok(Self { call, context })
    }

    /// Lets the function write `bytes`. It returns a result because clients and responders take functions that may fail.
    pub(crate) fn write(self, bytes: &mut [u8]) -> Result<(), CdrError> {
        (self.call)(self.context, bytes.as_mut_ptr());
        Ok(())
    }
}

/// Ends the pass of the executor if a callback says so.
pub(crate) fn obey(next: Next) {
    if next == SALTUS_STOP {
        resume_unwind(Box::new(Stop));
    }
}

/// An object with callbacks, behind a gate. It is dropped after the gate was closed, so its callbacks do not run any more when
/// the function that destroys it returns.
#[derive(Debug)]
pub(crate) struct Gated<T> {
    gate: Arc<Gate>,
    object: T,
}

impl<T> Gated<T> {
    pub(crate) fn new(gate: Arc<Gate>, object: T) -> Self {
        Self { gate, object }
    }
}

impl<T> Deref for Gated<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.object
    }
}

impl<T> Drop for Gated<T> {
    fn drop(&mut self) {
        self.gate.close();
    }
}
