//! Calls a function when the process exits in an orderly way.

use std::sync::Once;

/// Calls `function` when the process exits, after `main` has returned or `exit` was called.
///
/// This is for handles that are not dropped before the exit: those in statics, and those of threads that still run.
pub(crate) fn at_exit(function: extern "C" fn()) {
    static REGISTERED: Once = Once::new();
    REGISTERED.call_once(|| {
        // SAFETY: the function has the type that `atexit` expects and lives for ever. If there is no
        // room for it, the next process removes what this function would have removed.
        unsafe { libc::atexit(function) };
    });
}
