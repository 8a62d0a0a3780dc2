//! Trees as text, and as a drawing in SVG.

use std::fmt::Write;

/// The size of a box and the spaces around it, in pixels. They are constants, because no font is read.
const WIDTH: f64 = 200.0;
const HEIGHT: f64 = 30.0;
const SPACE: f64 = 24.0;
/// The space for the lines of an edge.
const EDGE: f64 = 64.0;

/// The largest number of levels that are shown. A hostile sender can make a tree that is as deep as it has names.
pub const DEEPEST: usize = 100;

/// A node of a tree, with its children.
#[derive(Debug)]
pub struct Branch {
    /// The name of the node.
    pub name: String,
    /// The texts at the edge to the parent; empty for a root.
    pub details: Vec<String>,
    /// The children.
    pub below: Vec<Branch>,
}

/// Returns the trees as text.
pub fn text(roots: &[Branch]) -> String {
    fn add(text: &mut String, branches: &[Branch], indent: &str) {
        for (index, branch) in branches.iter().enumerate() {
            let is_last = index + 1 == branches.len();
            let (line, rest) = if is_last { ("└── ", "    ") } else { ("├── ", "│   ") };
            text.push_str(&format!("{indent}{line}{}  ({})\n", branch.name, branch.details.join(", ")));
            add(text, &branch.below, &format!("{indent}{rest}"));
        }
    }
    let mut all = String::new();
    for root in roots {
        all.push_str(&format!("{}\n", root.name));
        add(&mut all, &root.below, "");
    }
    all
}

/// Draws the trees side by side: what is below is drawn below.
pub fn drawing(roots: &[Branch]) -> String {
    let (mut body, mut x, mut height) = (String::new(), SPACE, 0.0_f64);
    for root in roots {
        let (_, right, bottom) = draw(&mut body, root, x, SPACE);
        (x, height) = (right, height.max(bottom));
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{x}\" height=\"{height}\" font-family=\"sans-serif\" \
         font-size=\"12\" text-anchor=\"middle\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n{body}</svg>\n"
    )
}

/// Draws a branch and those below it. Returns the middle of its box, and where the next one may begin to its right and below.
fn draw(body: &mut String, branch: &Branch, left: f64, top: f64) -> (f64, f64, f64) {
    let bottom = top + HEIGHT;
    let (mut right, mut lowest) = (left, bottom + SPACE);
    let mut middles = Vec::new();
    for child in &branch.below {
        let (middle, next, below) = draw(body, child, right, bottom + EDGE);
        (right, lowest) = (next, lowest.max(below));
        middles.push((middle, child));
    }
    right = right.max(left + WIDTH + SPACE);
    let middle = match (middles.first(), middles.last()) {
        (Some((first, _)), Some((last, _))) => f64::midpoint(*first, *last),
        _ => left + WIDTH / 2.0,
    };
    let end = bottom + EDGE;
    for (x, child) in middles {
        // Writing to a text does not fail.
        let _ = writeln!(body, "<path d=\"M{middle} {bottom}L{x} {end}\" stroke=\"#888\" fill=\"none\"/>");
        for (line, detail) in child.details.iter().enumerate() {
            let y = end - 38.0 + 14.0 * line as f64;
            let detail = escaped(detail);
            let _ =
                writeln!(body, "<text x=\"{x}\" y=\"{y}\" fill=\"#555\" font-size=\"11\">{detail}</text>");
        }
    }
    let (x, y, name) = (middle - WIDTH / 2.0, top + 20.0, escaped(&branch.name));
    let _ = writeln!(
        body,
        "<rect x=\"{x}\" y=\"{top}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" rx=\"6\" fill=\"#eef4fb\" stroke=\"#5b84b1\"/>\n\
         <text x=\"{middle}\" y=\"{y}\">{name}</text>"
    );
    (middle, right, lowest)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_drawing_is_xml_with_a_box_for_each_name() {
        let leaf =
            |name: &str| Branch { name: name.into(), details: vec!["by a & b".into()], below: Vec::new() };
        let root =
            Branch { below: vec![leaf("laser<2>"), leaf("camera")], details: Vec::new(), ..leaf("base") };
        let svg = drawing(&[root]);
        assert_eq!(svg.matches("<rect x=").count(), 3);
        assert_eq!(svg.matches("<path").count(), 2);
        assert!(svg.contains(">laser&lt;2&gt;</text>") && svg.contains(">by a &amp; b</text>"));
    }
}
