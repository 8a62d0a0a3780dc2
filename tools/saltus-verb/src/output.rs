//! Prints results and messages.

use std::{
    fmt::Display,
    io::{self, BufWriter, Write},
};

use crate::error::Error;

/// Prints lines. Many lines are written at once, because one write per line takes longer than reading a graph.
pub fn print_lines<T: Display>(lines: impl IntoIterator<Item = T>) -> Result<(), Error> {
    let mut out = BufWriter::new(io::stdout().lock());
    for line in lines {
        writeln!(out, "{line}")?;
    }
    Ok(out.flush()?)
}

/// Prints a text.
///
/// # Errors
///
/// Returns an error if it can't be written, also if its reader has closed the pipe. `print!` would panic.
pub fn print_text(text: &str) -> Result<(), Error> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

/// Tells the user something beside the results, as `eprintln!` does. If nobody can read it, it is lost.
///
/// ```
/// saltus_verb::output::tell!("waiting for {}", "/chatter");
/// ```
#[macro_export]
macro_rules! tell {
    ($($text:tt)*) => {{
        use std::io::Write;
        let _ = writeln!(std::io::stderr(), $($text)*);
    }};
}
pub use crate::tell;

/// Returns a number of bytes as text with a unit.
pub fn bytes(count: u64) -> String {
    match count {
        0..1_000_000 => format!("{:.1} KB", count as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", count as f64 / 1e6),
        _ => format!("{:.1} GB", count as f64 / 1e9),
    }
}
