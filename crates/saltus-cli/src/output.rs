//! Printing of lists.

use std::{
    fmt::Display,
    io::{self, BufWriter, Write},
};

use crate::error::Error;

/// Prints lines, many with one write. One write per line would take longer than reading a graph.
pub(crate) fn print_lines<T: Display>(lines: impl IntoIterator<Item = T>) -> Result<(), Error> {
    let mut out = BufWriter::new(io::stdout().lock());
    for line in lines {
        writeln!(out, "{line}")?;
    }
    Ok(out.flush()?)
}
