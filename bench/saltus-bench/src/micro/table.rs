//! Tables of figures, as Markdown and as JSON.

use std::{fmt::Write as _, fs, path::Path};

use serde::Serialize;

use crate::{error::RunError, machine::Machine};

/// A table: rows with a name, and the same columns in each row.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Table {
    /// The title: the subject of the table, and the units.
    pub(super) title: String,
    pub(super) columns: Vec<String>,
    pub(super) rows: Vec<(String, Vec<Cell>)>,
}

/// A figure. It is printed with this number of decimals, and not at all if it is not a number.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(transparent)]
pub(super) struct Cell {
    value: f64,
    #[serde(skip)]
    decimals: usize,
}

impl Cell {
    pub(super) fn whole(value: f64) -> Self {
        Self { value, decimals: 0 }
    }

    pub(super) fn fine(value: f64) -> Self {
        Self { value, decimals: 1 }
    }

    pub(super) fn ratio(value: f64) -> Self {
        Self { value, decimals: 2 }
    }

    fn to_text(self) -> String {
        let Self { value, decimals } = self;
        if value.is_nan() { String::new() } else { format!("{value:.decimals$}") }
    }
}

impl Table {
    pub(super) fn new(title: &str, columns: &[&str]) -> Self {
        let columns = columns.iter().map(|column| (*column).to_owned()).collect();
        Self { title: title.into(), columns, rows: Vec::new() }
    }

    pub(super) fn row(&mut self, name: impl Into<String>, cells: Vec<Cell>) {
        self.rows.push((name.into(), cells));
    }

    pub(super) fn to_markdown(&self) -> String {
        let mut text = format!("{}\n\n| | {} |\n|---|", self.title, self.columns.join(" | "));
        text += &"---|".repeat(self.columns.len());
        text.push('\n');
        for (name, cells) in &self.rows {
            let cells: Vec<String> = cells.iter().copied().map(Cell::to_text).collect();
            // Writing to a string can't fail.
            let _ = writeln!(text, "| {name} | {} |", cells.join(" | "));
        }
        text
    }
}

/// Writes the tables and the figures into a folder.
pub(super) fn write(folder: &Path, machine: &Machine, tables: &[Table]) -> Result<(), RunError> {
    let failed = |error: std::io::Error| RunError::Start(folder.display().to_string(), error);
    fs::create_dir_all(folder).map_err(failed)?;
    let mut text = format!("# Microcontrollers\n\n{}\n", machine.one_line());
    tables.iter().for_each(|table| text += &format!("\n{}", table.to_markdown()));
    fs::write(folder.join("tables.md"), text).map_err(failed)?;
    let json = serde_json::json!({ "machine": machine, "tables": tables });
    fs::write(folder.join("figures.json"), format!("{json:#}\n")).map_err(failed)
}
