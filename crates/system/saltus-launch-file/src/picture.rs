//! A plan as a picture, as `--graph` writes it: nested boxes in SVG.

use std::{fmt::Write, path::Path};

use crate::tree::{Entry, EntryKind};

/// The width of a character in pixels, for the font of 12 pixels.
const CHARACTER: f64 = 7.3;
/// The height of a line.
const LINE: f64 = 16.0;
/// The space between a box and what is in it.
const SPACE: f64 = 8.0;
/// The maximum number of characters of a line. A longer line is cut.
const MAX_LENGTH: usize = 80;

/// Returns the tree of a launch file as a picture in SVG.
pub fn picture(file: &Path, entries: &[Entry]) -> String {
    let children = entries.iter().map(Shape::of).collect();
    let root = Shape::new(file.display().to_string(), Vec::new(), children, "#f4f4f4");
    let mut body = String::new();
    root.draw(SPACE, SPACE, root.width, &mut body);
    let (width, height) = (root.width + 2.0 * SPACE, root.height + 2.0 * SPACE);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" font-family=\"monospace\" \
         font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n{body}</svg>\n"
    )
}

/// A box with a title, lines, and boxes in it.
struct Shape {
    title: String,
    lines: Vec<String>,
    children: Vec<Shape>,
    color: &'static str,
    width: f64,
    height: f64,
}

impl Shape {
    fn of(entry: &Entry) -> Self {
        let line = |(name, value): &(&str, String)| cut(&format!("{name}: {value}"));
        let file = entry.origin.file.file_name().unwrap_or_default().display().to_string();
        let title = format!("{}  ({file}:{})", cut(&entry.title), entry.origin.line);
        let color = match entry.kind {
            EntryKind::Process => "#dcebff",
            EntryKind::Container => "#e2f5dc",
            EntryKind::Component => "#fff3cf",
            EntryKind::Step => "#f4f4f4",
        };
        let children = entry.children.iter().map(Self::of).collect();
        Self::new(title, entry.details.iter().map(line).collect(), children, color)
    }

    fn new(title: String, lines: Vec<String>, children: Vec<Self>, color: &'static str) -> Self {
        let longest = lines.iter().chain([&title]).map(|line| line.chars().count()).max().unwrap_or_default();
        let widest = children.iter().map(|child| child.width).fold(0.0, f64::max);
        let text = LINE * (lines.len() + 1) as f64;
        let inner: f64 = children.iter().map(|child| child.height + SPACE).sum();
        Self {
            width: (longest as f64 * CHARACTER).max(widest) + 2.0 * SPACE,
            height: text + inner + 2.0 * SPACE,
            title,
            lines,
            children,
            color,
        }
    }

    fn draw(&self, x: f64, y: f64, width: f64, out: &mut String) {
        let Self { height, color, .. } = self;
        let _ = writeln!(
            out,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"4\" fill=\"{color}\" stroke=\"#888\"/>"
        );
        let mut text = |line: usize, weight: &str, text: &str| {
            let (x, y) = (x + SPACE, y + SPACE + LINE * (line as f64 + 0.75));
            let text = escaped(text);
            let _ = writeln!(out, "<text x=\"{x}\" y=\"{y}\" font-weight=\"{weight}\">{text}</text>");
        };
        text(0, "bold", &self.title);
        self.lines.iter().enumerate().for_each(|(index, line)| text(index + 1, "normal", line));
        let mut below = y + SPACE + LINE * (self.lines.len() + 1) as f64;
        for child in &self.children {
            child.draw(x + SPACE, below, width - 2.0 * SPACE, out);
            below += child.height + SPACE;
        }
    }
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(MAX_LENGTH) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.into(),
    }
}

fn escaped(text: &str) -> String {
    let clean = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect::<String>();
    clean.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
