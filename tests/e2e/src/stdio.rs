//! The standard input and output of actors: the test reads `ready`, and closes the standard input at the end.

use std::io::{Read, Write};

use saltus::Context;

/// Any error that ends an actor early.
pub(crate) type Error = Box<dyn std::error::Error>;

/// Prints `ready`. The test waits for this line.
pub(crate) fn ready() -> Result<(), Error> {
    println!("ready");
    Ok(std::io::stdout().flush()?)
}

/// Calls `end` when the test closes the standard input.
pub(crate) fn at_end_of_stdin(end: impl FnOnce() + Send + 'static) {
    std::thread::spawn(move || {
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        end();
    });
}

/// Shuts the context down when the test closes the standard input.
pub(crate) fn shut_down_at_end_of_stdin(context: &Context) {
    let context = context.clone();
    at_end_of_stdin(move || context.shut_down());
}
