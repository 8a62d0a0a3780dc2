//! What every actor does.

use std::io::{Read, Write};

use saltus::Context;

/// Whatever ends an actor early.
pub(crate) type Error = Box<dyn std::error::Error>;

/// Tells the test that it may go on.
pub(crate) fn ready() -> Result<(), Error> {
    println!("ready");
    Ok(std::io::stdout().flush()?)
}

/// Does something when the test closes the standard input.
pub(crate) fn at_end_of_stdin(end: impl FnOnce() + Send + 'static) {
    std::thread::spawn(move || {
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        end();
    });
}

/// Shuts the context down when the test closes the standard input.
pub(crate) fn end_with_stdin(context: &Context) {
    let context = context.clone();
    at_end_of_stdin(move || context.shut_down());
}
