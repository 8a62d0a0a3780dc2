//! Printing what is listed.

use std::{
    fmt::Display,
    io::{self, BufWriter, Write},
};

use crate::error::Error;

/// Prints lines, many with one write: a write each would take longer than to look at a graph.
pub(crate) fn print_lines<T: Display>(lines: impl IntoIterator<Item = T>) -> Result<(), Error> {
    let mut out = BufWriter::new(io::stdout().lock());
    for line in lines {
        writeln!(out, "{line}")?;
    }
    Ok(out.flush()?)
}
