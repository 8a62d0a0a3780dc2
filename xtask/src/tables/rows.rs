//! Rows of a kept run, and single figures of them.

/// A row of `rows.csv`.
pub(super) struct Row {
    /// Pairs of a column's name and its value.
    fields: Vec<(String, String)>,
}

/// A column of a table: one figure of the row with this pace and this size.
pub(super) struct Column {
    pub(super) title: &'static str,
    pub(super) size: u64,
    pub(super) pace: &'static str,
    pub(super) pin: &'static str,
    /// The name of the column in `rows.csv`.
    pub(super) figure: &'static str,
}

impl Row {
    /// Returns a field, or an empty text if the run has no such column.
    pub(super) fn text(&self, name: &str) -> &str {
        self.fields.iter().find(|(field, _)| field == name).map_or("", |(_, value)| value)
    }

    /// Whether the run has a column with this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.fields.iter().any(|(field, _)| field == name)
    }

    /// Returns what distinguishes the rows of a table: peer, mode, data and wait strategy.
    pub(super) fn head(&self) -> [&str; 4] {
        ["peer", "mode", "data", "wait"].map(|name| self.text(name))
    }

    fn is_of(&self, column: &Column) -> bool {
        self.text("size") == column.size.to_string()
            && self.text("pace") == column.pace
            && (column.pin.is_empty() || self.text("pin") == column.pin)
    }
}

/// Reads comma-separated values. No field of a kept run contains a comma.
pub(super) fn read_rows(text: &str) -> Result<Vec<Row>, String> {
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    let row = |line: &str| {
        let values: Vec<&str> = line.split(',').collect();
        if values.len() != names.len() {
            return Err(format!("expected {} fields, found {}: `{line}`", names.len(), values.len()));
        }
        let fields = names.iter().zip(values).map(|(name, value)| ((*name).to_owned(), value.to_owned()));
        Ok(Row { fields: fields.collect() })
    };
    lines.map(row).collect()
}

/// Returns a figure with three significant digits, and the number of lost messages if there are any.
pub(super) fn cell(rows: &[&Row], column: &Column) -> String {
    let Some(row) = rows.iter().find(|row| row.is_of(column)) else { return "-".into() };
    let Ok(value) = row.text(column.figure).parse::<f64>() else { return "-".into() };
    let lost: u64 = row.text("lost").parse().unwrap_or_default();
    match (column.figure, lost) {
        ("lost" | "n" | "feedback", _) => row.text(column.figure).to_owned(),
        (_, 0) => figure(value),
        (_, lost) => format!("{} ({lost} lost)", figure(value)),
    }
}

/// Formats a figure with three significant digits, or all digits before the point.
fn figure(value: f64) -> String {
    match value {
        value if value < 9.995 => format!("{value:.2}"),
        value if value < 99.95 => format!("{value:.1}"),
        value => format!("{value:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMN: Column = Column { title: "", size: 64, pace: "full speed", pin: "apart", figure: "p50_us" };

    #[test]
    fn a_cell_is_the_figure_of_the_row_with_its_size_pace_and_placement() {
        let text = "pin,pace,size,lost,p50_us\napart,1 kHz,64,0,1\napart,full speed,64,0,109.26\ntogether,full speed,64,0,2\n";
        let rows = read_rows(text).unwrap();
        let rows: Vec<&Row> = rows.iter().collect();
        assert_eq!(cell(&rows, &COLUMN), "109");
        assert_eq!(cell(&rows, &Column { pace: "1 kHz", ..COLUMN }), "1.00");
        assert_eq!(cell(&rows, &Column { pace: "5 Hz", ..COLUMN }), "-");
    }

    #[test]
    fn losses_are_shown_beside_the_figure() {
        let rows = read_rows("pin,pace,size,lost,p50_us\napart,full speed,64,3,12.34\n").unwrap();
        assert_eq!(cell(&[&rows[0]], &COLUMN), "12.3 (3 lost)");
        assert_eq!(cell(&[&rows[0]], &Column { figure: "lost", ..COLUMN }), "3");
    }

    #[test]
    fn a_line_with_a_wrong_number_of_fields_is_an_error() {
        assert!(read_rows("a,b\n1,2,3\n").is_err_and(|error| error.contains("expected 2 fields, found 3")));
    }
}
