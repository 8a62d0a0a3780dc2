//! Prints lists.

use std::{
    fmt::Display,
    io::{self, BufWriter, Write},
};

use crate::error::Error;

/// Prints lines. Many lines are written at once, because one write per line takes longer than reading a graph.
pub(crate) fn print_lines<T: Display>(lines: impl IntoIterator<Item = T>) -> Result<(), Error> {
    let mut out = BufWriter::new(io::stdout().lock());
    for line in lines {
        writeln!(out, "{line}")?;
    }
    Ok(out.flush()?)
}

/// Returns a number of bytes as text with a unit.
pub(crate) fn bytes(count: u64) -> String {
    match count {
        0..1_000_000 => format!("{:.1} KB", count as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", count as f64 / 1e6),
        _ => format!("{:.1} GB", count as f64 / 1e9),
    }
}
