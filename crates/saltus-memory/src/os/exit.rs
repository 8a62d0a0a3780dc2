//! Being told of the process's orderly end.

use std::sync::Once;

/// Calls `function` when the process exits, after `main` has returned or `exit` was called.
///
/// For what was not dropped by then: handles in statics, or in threads that still ran.
pub fn at_exit(function: extern "C" fn()) {
    static REGISTERED: Once = Once::new();
    REGISTERED.call_once(|| {
        // SAFETY: the function has the type that `atexit` expects and lives for ever. If there is no
        // room for it, what it would remove is swept by the next process instead.
        unsafe { libc::atexit(function) };
    });
}
