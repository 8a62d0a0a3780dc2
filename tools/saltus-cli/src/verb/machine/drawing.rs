//! Draws the states and transitions of a machine: as SVG, which any browser shows, or as a text for Graphviz.
//!
//! States are placed in columns, by their distance in transitions from the initial state. The states within another
//! state are placed in its box in the same way.

use std::{
    collections::{BTreeMap, VecDeque},
    fmt::Write,
};

use saltus::machine::{Definition, Destination, StateId};

/// The height of a line of text and the width of a character, in pixels. They are constants, because no font is read.
const LINE: f64 = 18.0;
const CHARACTER: f64 = 8.0;
/// The space around text in a box, and around boxes in a box.
const PADDING: f64 = 10.0;
const MARGIN: f64 = 36.0;
/// The space between the boxes of a column.
const ROW_GAP: f64 = 46.0;
/// The label of the source of transitions that may start in any state.
const ANYWHERE: &str = "*";

/// The position and size of a box, in pixels from the upper left corner.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Area {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
}

impl Area {
    fn right(&self) -> f64 {
        self.x + self.width
    }

    fn bottom(&self) -> f64 {
        self.y + self.height
    }

    fn middle(&self) -> (f64, f64) {
        (self.x + self.width / 2.0, self.y + self.height / 2.0)
    }

    fn shifted(self, (x, y): (f64, f64)) -> Self {
        Self { x: self.x + x, y: self.y + y, ..self }
    }

    fn has_within(&self, other: &Self) -> bool {
        self != other
            && self.x <= other.x
            && self.y <= other.y
            && self.right() >= other.right()
            && self.bottom() >= other.bottom()
    }
}

/// Boxes that are arranged side by side: their total size, and the area of each box.
#[derive(Default)]
struct Arranged {
    size: (f64, f64),
    areas: BTreeMap<usize, Area>,
}

impl Arranged {
    /// Returns the boxes in or between the columns of two boxes, except boxes that contain one of the two.
    fn between(&self, a: &Area, b: &Area) -> Vec<Area> {
        let (left, right) = (a.x.min(b.x), a.right().max(b.right()));
        let is_between = |area: &&Area| {
            area.right() > left && area.x < right && !area.has_within(a) && !area.has_within(b)
        };
        self.areas.values().filter(is_between).copied().collect()
    }
}

/// The drawing of a definition.
struct Drawing<'a> {
    definition: &'a Definition,
    states: Vec<StateId>,
    /// The current state of the machine, and the states that contain it.
    current: Vec<StateId>,
    /// The labels of the transitions for each pair of a source box and a destination box. The source `None` is the box
    /// for any state.
    edges: BTreeMap<(Option<usize>, Option<usize>), Vec<String>>,
}

/// Draws a machine, and marks its current state.
///
/// ```text
/// <svg …> a box per state, an arrow per pair of states with its triggers </svg>
/// ```
pub(crate) fn svg(definition: &Definition, current: Option<StateId>) -> String {
    let drawing = Drawing::new(definition, current);
    let mut arranged = drawing.arrange(None);
    let top = if drawing.starts_anywhere() { 2.0 * MARGIN + 2.0 * LINE } else { MARGIN };
    // The labels of upward arrows in the first column are on the left of the column.
    let left = MARGIN + CHARACTER * drawing.longest_upwards() / 2.0;
    arranged.areas.values_mut().for_each(|area| *area = area.shifted((left, top)));
    let right = MARGIN + CHARACTER * drawing.longest_label(None) / 2.0;
    let (width, height) = (arranged.size.0 + left + right, arranged.size.1 + top + 2.0 * MARGIN);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\">\n{STYLE}\n<title>{}</title>\n",
        escaped(definition.name())
    );
    drawing.draw_states(&arranged, &mut text);
    drawing.draw_edges(&arranged, &mut text);
    text + "</svg>\n"
}

const STYLE: &str = "<style>
rect, circle { fill: white; stroke: #333; }
.current > rect { fill: #ffd866; stroke-width: 2.5; }
path { fill: none; stroke: #555; marker-end: url(#arrow); }
text { font: 13px monospace; text-anchor: middle; dominant-baseline: middle; }
.label { fill: #135; stroke: white; stroke-width: 4; paint-order: stroke; }
.begin { fill: #333; }
</style>
<defs><marker id=\"arrow\" viewBox=\"0 0 10 8\" refX=\"10\" refY=\"4\" markerWidth=\"10\" markerHeight=\"8\" orient=\"auto\">\
<polygon points=\"0 0, 10 4, 0 8\" fill=\"#555\"/></marker></defs>";

impl<'a> Drawing<'a> {
    fn new(definition: &'a Definition, current: Option<StateId>) -> Self {
        let states: Vec<StateId> = definition.states().map(|(id, _)| id).collect();
        let index_of = |id: StateId| states.iter().position(|other| *other == id);
        let mut edges = BTreeMap::<_, Vec<String>>::new();
        for transition in definition.transitions() {
            let source = transition.source.and_then(index_of);
            let (dest, note) = match transition.dest {
                Destination::State(dest) => (index_of(dest), ""),
                Destination::Source => (source, ""),
                Destination::Internal => (source, " (internal)"),
            };
            let labels = edges.entry((source, dest)).or_default();
            let label = format!("{}{note}", transition.trigger);
            if !labels.contains(&label) {
                labels.push(label);
            }
        }
        let current = current.into_iter().flat_map(|id| definition.path(id)).collect();
        Self { definition, states, current, edges }
    }

    fn starts_anywhere(&self) -> bool {
        self.edges.keys().any(|(source, _)| source.is_none())
    }

    /// Returns the states directly within another state, or the outermost states for `None`.
    fn children(&self, outer: Option<StateId>) -> Vec<usize> {
        let is_child = |index: &usize| self.definition.state(self.states[*index]).parent == outer;
        (0..self.states.len()).filter(is_child).collect()
    }

    /// Returns the state directly within `outer` that is the given state or contains it.
    fn lifted(&self, index: usize, outer: Option<StateId>) -> Option<usize> {
        let mut path = self.definition.path(self.states[index]);
        let found = path.find(|id| self.definition.state(*id).parent == outer)?;
        self.states.iter().position(|id| *id == found)
    }

    /// Returns the state directly within `outer` that is entered first.
    fn first(&self, outer: Option<StateId>) -> Option<usize> {
        let given = match outer {
            Some(outer) => self.definition.state(outer).initial,
            None => Some(self.definition.initial()),
        };
        self.lifted(self.states.iter().position(|id| Some(*id) == given)?, outer)
    }

    /// Returns the states directly within `outer`, in columns.
    fn columns(&self, outer: Option<StateId>) -> Vec<Vec<usize>> {
        let children = self.children(outer);
        let pairs: Vec<(usize, usize)> =
            self.edges.keys().filter_map(|(a, b)| Some(((*a)?, (*b)?))).collect();
        let lifted = |index| self.lifted(index, outer);
        let pairs: Vec<_> = pairs.iter().filter_map(|(a, b)| Some((lifted(*a)?, lifted(*b)?))).collect();
        let mut columns: Vec<Vec<usize>> = Vec::new();
        let mut seen = Vec::new();
        for start in self.first(outer).into_iter().chain(children) {
            let mut next = VecDeque::from([(start, 0)]);
            while let Some((index, column)) = next.pop_front() {
                if seen.contains(&index) {
                    continue;
                }
                seen.push(index);
                columns.resize_with(columns.len().max(column + 1), Vec::new);
                columns[column].push(index);
                next.extend(pairs.iter().filter(|(a, _)| *a == index).map(|(_, b)| (*b, column + 1)));
            }
        }
        columns
    }

    /// Arranges the states within `outer` side by side.
    fn arrange(&self, outer: Option<StateId>) -> Arranged {
        let columns = self.columns(outer);
        let boxes: BTreeMap<usize, Arranged> =
            columns.iter().flatten().map(|index| (*index, self.state_box(*index))).collect();
        let height_of = |column: &[usize]| {
            let heights: f64 = column.iter().map(|index| boxes[index].size.1).sum();
            heights + ROW_GAP * (column.len() as f64 - 1.0)
        };
        let height = columns.iter().map(|column| height_of(column)).fold(0.0, f64::max);
        let gap = MARGIN + CHARACTER * self.longest_label(outer);
        let (mut areas, mut x) = (BTreeMap::new(), 0.0);
        for column in &columns {
            let width = column.iter().map(|index| boxes[index].size.0).fold(0.0, f64::max);
            let mut y = (height - height_of(column)) / 2.0;
            for index in column {
                let size = boxes[index].size;
                let corner = (x + (width - size.0) / 2.0, y);
                let area = Area { width: size.0, height: size.1, ..Area::default() };
                areas.insert(*index, area.shifted(corner));
                areas.extend(boxes[index].areas.iter().map(|(inner, area)| (*inner, area.shifted(corner))));
                y += size.1 + ROW_GAP;
            }
            x += width + gap;
        }
        Arranged { size: ((x - gap).max(0.0), height), areas }
    }

    /// Returns the number of characters of the longest label of an upward arrow in the first column.
    fn longest_upwards(&self) -> f64 {
        let first = self.columns(None).into_iter().next().unwrap_or_default();
        let row = |index: &Option<usize>| {
            let lifted = index.and_then(|index| self.lifted(index, None));
            first.iter().position(|other| Some(*other) == lifted)
        };
        let is_upwards =
            |(a, b): &(Option<usize>, Option<usize>)| row(a).zip(row(b)).is_some_and(|(a, b)| a > b);
        let labels = self.edges.iter().filter(|(ends, _)| is_upwards(ends)).flat_map(|(_, labels)| labels);
        labels.map(|label| label.chars().count()).max().unwrap_or(0) as f64
    }

    /// Returns the number of characters of the longest label between states within `outer`.
    fn longest_label(&self, outer: Option<StateId>) -> f64 {
        let is_here = |(a, b): &(Option<usize>, Option<usize>)| {
            let lifted = |index: &Option<usize>| index.and_then(|index| self.lifted(index, outer));
            lifted(a).is_some() && lifted(b).is_some() && lifted(a) != lifted(b)
        };
        let labels = self.edges.iter().filter(|(ends, _)| is_here(ends)).flat_map(|(_, labels)| labels);
        labels.map(|label| label.chars().count()).max().unwrap_or(0) as f64
    }

    /// Returns the box of a state, with the boxes within it.
    fn state_box(&self, index: usize) -> Arranged {
        let lines = self.lines(index);
        let longest = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0) as f64;
        let (width, height) =
            (longest * CHARACTER + 2.0 * PADDING, lines.len() as f64 * LINE + 2.0 * PADDING);
        let mut inner = self.arrange(Some(self.states[index]));
        if inner.areas.is_empty() {
            return Arranged { size: (width, height), ..inner };
        }
        inner.areas.values_mut().for_each(|area| *area = area.shifted((MARGIN, height + MARGIN / 2.0)));
        let (inner_width, inner_height) = inner.size;
        inner.size = (width.max(inner_width + 2.0 * MARGIN), height + inner_height + 1.5 * MARGIN);
        inner
    }

    /// Returns the lines of text in the box of a state.
    fn lines(&self, index: usize) -> Vec<String> {
        let state = self.definition.state(self.states[index]);
        let timeout = state.timeout.iter().map(|(after, trigger)| format!("{after:?}: {trigger}"));
        let enters = state.on_enter.iter().map(|trigger| format!("enter: {trigger}"));
        std::iter::once(state.name.clone()).chain(timeout).chain(enters).collect()
    }

    fn draw_states(&self, arranged: &Arranged, text: &mut String) {
        // Outer boxes are drawn first, because the inner boxes must be on top of them.
        for (index, area) in &arranged.areas {
            let class = if self.current.contains(&self.states[*index]) { "state current" } else { "state" };
            let Area { x, y, width, height } = area;
            *text += &format!(
                "<g class=\"{class}\"><rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"8\"/>"
            );
            for (i, line) in self.lines(*index).iter().enumerate() {
                let at = (area.middle().0, y + PADDING + LINE * (i as f64 + 0.5));
                *text += &format!("<text x=\"{:.1}\" y=\"{:.1}\">{}</text>", at.0, at.1, escaped(line));
            }
            *text += "</g>\n";
        }
        let outers = std::iter::once(None).chain(self.states.iter().map(|id| Some(*id)));
        for area in
            outers.filter_map(|outer| self.first(outer)).filter_map(|first| arranged.areas.get(&first))
        {
            let (x, y) = (area.x - 22.0, area.middle().1);
            *text += &format!("<circle class=\"begin\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"5\"/>");
            *text += &format!("<path d=\"M {:.1} {y:.1} L {:.1} {y:.1}\"/>\n", x + 5.0, area.x);
        }
    }

    fn draw_edges(&self, arranged: &Arranged, text: &mut String) {
        let anywhere = Area { x: MARGIN, y: MARGIN, width: 2.0 * LINE, height: 2.0 * LINE };
        if self.starts_anywhere() {
            let (x, y) = anywhere.middle();
            *text += &format!(
                "<g><circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{LINE}\"/><text x=\"{x:.1}\" y=\"{y:.1}\">{ANYWHERE}</text>\
                 <title>from any state</title></g>\n"
            );
        }
        let area_of = |index: &Option<usize>| index.map_or(anywhere, |index| arranged.areas[&index]);
        for (i, ((source, dest), labels)) in self.edges.iter().enumerate() {
            let (a, b) = (area_of(source), area_of(dest));
            // Edges between the same columns use different lanes, so that the edges and their labels do not overlap.
            let lane = LINE * (i % 3) as f64;
            draw_edge(curve(&a, &b, &arranged.between(&a, &b), lane), labels, text);
        }
    }
}

type Point = (f64, f64);

/// Returns the curve from one box to another, which avoids the boxes between them: the start, two control points, the
/// end.
fn curve(a: &Area, b: &Area, between: &[Area], lane: f64) -> [Point; 4] {
    let ((ax, ay), (bx, by)) = (a.middle(), b.middle());
    if a == b {
        let x = a.right() - 2.0 * PADDING;
        return [(x - 16.0, a.y), (x - 20.0, a.y - 34.0), (x + 20.0, a.y - 34.0), (x + 16.0, a.y)];
    }
    if a.has_within(b) {
        return [(a.x, by + 12.0), (a.x + 8.0, by + 12.0), (b.x - 8.0, by + 12.0), (b.x, by + 12.0)];
    }
    if b.has_within(a) {
        return [(a.right(), ay), (a.right() + 8.0, ay), (b.right() - 8.0, ay), (b.right(), ay)];
    }
    let is_in_the_way = |area: &Area| area.x > a.right() && area.right() < b.x;
    if b.x >= a.right() && !between.iter().any(is_in_the_way) {
        let bend = (b.x - a.right()) / 2.0;
        return [(a.right(), ay), (a.right() + bend, ay), (b.x - bend, by), (b.x, by)];
    }
    if b.right() <= a.x || b.x >= a.right() {
        let lowest = between.iter().map(Area::bottom).fold(0.0, f64::max) + LINE + lane;
        let ends = (a.bottom() + b.bottom()) / 2.0;
        // A curve reaches only three quarters of the distance to its control points.
        let low = ends + (lowest - ends) * 4.0 / 3.0;
        return [(ax, a.bottom()), (ax, low), (bx, low), (bx, b.bottom())];
    }
    // Both boxes are in one column. The curve is on the right if it goes down, and on the left if it goes up.
    let side = |area: &Area| if ay < by { area.right() } else { area.x };
    let far = if ay < by { a.right().max(b.right()) + 30.0 } else { a.x.min(b.x) - 30.0 };
    [(side(a), ay), (far, ay), (far, by), (side(b), by)]
}

fn draw_edge(points: [Point; 4], labels: &[String], text: &mut String) {
    let [p, q, r, s] = points.map(|(x, y)| format!("{x:.1} {y:.1}"));
    *text += &format!("<path d=\"M {p} C {q}, {r}, {s}\"/>");
    let middle = |of: fn(&Point) -> f64| {
        let [p, q, r, s] = points.map(|point| of(&point));
        (p + 3.0 * q + 3.0 * r + s) / 8.0
    };
    let (x, y) = (middle(|point| point.0), middle(|point| point.1));
    for (i, label) in labels.iter().enumerate() {
        let y = y + LINE * (i as f64 - (labels.len() as f64 - 1.0) / 2.0);
        *text += &format!("<text class=\"label\" x=\"{x:.1}\" y=\"{y:.1}\">{}</text>", escaped(label));
    }
    *text += "\n";
}

/// Escapes a text for XML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Draws a machine as a text for Graphviz. States that contain other states are clusters.
pub(crate) fn dot(definition: &Definition, current: Option<StateId>) -> String {
    let drawing = Drawing::new(definition, current);
    let mut text = format!("digraph {} {{\n  compound=true;\n  rankdir=LR;\n", quoted(definition.name()));
    text += "  node [shape=box, style=\"rounded,filled\", fillcolor=white];\n";
    drawing.dot_states(None, 1, &mut text);
    if drawing.starts_anywhere() {
        text += "  \"*\" [shape=circle];\n";
    }
    for ((source, dest), labels) in &drawing.edges {
        let (from, tail) = drawing.dot_end(*source, "ltail");
        let (to, head) = drawing.dot_end(*dest, "lhead");
        let label = quoted(&labels.join("\n"));
        let _ = writeln!(text, "  {from} -> {to} [label={label}{tail}{head}];");
    }
    text + "}\n"
}

impl Drawing<'_> {
    fn dot_states(&self, outer: Option<StateId>, depth: usize, text: &mut String) {
        let indent = "  ".repeat(depth);
        for index in self.children(outer) {
            let id = self.states[index];
            let label = quoted(&self.lines(index).join("\n"));
            let fill = if self.current.contains(&id) { "\"#ffd866\"" } else { "white" };
            if self.children(Some(id)).is_empty() {
                let name = quoted(&self.definition.state(id).name);
                let _ = writeln!(text, "{indent}{name} [label={label}, fillcolor={fill}];");
                continue;
            }
            let cluster = quoted(&format!("cluster_{}", self.definition.state(id).name));
            let _ = writeln!(text, "{indent}subgraph {cluster} {{");
            let _ = writeln!(text, "{indent}  label={label}; style=\"rounded,filled\"; fillcolor={fill};");
            self.dot_states(Some(id), depth + 1, text);
            let _ = writeln!(text, "{indent}}}");
        }
    }

    /// Returns the state that an edge is attached to, and the attribute that makes the edge end at the border of a
    /// cluster. Graphviz can attach an edge only to a state that contains no other states.
    fn dot_end(&self, index: Option<usize>, attribute: &str) -> (String, String) {
        let Some(index) = index else { return (quoted(ANYWHERE), String::new()) };
        let mut inner = index;
        while let Some(first) = self.children(Some(self.states[inner])).first() {
            inner = *first;
        }
        let name = |index: usize| &self.definition.state(self.states[index]).name;
        let cluster = if inner == index {
            String::new()
        } else {
            format!(", {attribute}={}", quoted(&format!("cluster_{}", name(index))))
        };
        (quoted(name(inner)), cluster)
    }
}

/// Quotes a text for Graphviz.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROBOT: &str = "
states: [idle, {name: busy, initial: slow, children: [slow, fast]}, {name: held, timeout: 2, on_timeout: '<go>'}]
transitions: [[go, idle, busy], [hurry, busy_slow, busy_fast], [stop, busy, idle], [stop, '*', held], ['<go>', held, idle], [look, idle, null]]
";

    fn areas(definition: &Definition) -> BTreeMap<String, Area> {
        let drawing = Drawing::new(definition, None);
        let arranged = drawing.arrange(None);
        let named = |(index, area)| (definition.state(drawing.states[index]).name.clone(), area);
        arranged.areas.into_iter().map(named).collect()
    }

    #[test]
    fn states_are_placed_in_columns_or_within_each_other_and_do_not_overlap() {
        let robot = Definition::from_yaml(ROBOT).unwrap();
        let areas = areas(&robot);
        assert!(
            areas["busy"].has_within(&areas["busy_slow"]) && areas["busy"].has_within(&areas["busy_fast"])
        );
        assert!(areas["idle"].right() < areas["busy"].x && areas["busy_slow"].right() < areas["busy_fast"].x);
        for (name, a) in &areas {
            for (other, b) in areas.iter().filter(|(other, _)| *other != name) {
                let apart = a.right() <= b.x || b.right() <= a.x || a.bottom() <= b.y || b.bottom() <= a.y;
                assert!(apart || a.has_within(b) || b.has_within(a), "{name} and {other}: {a:?}, {b:?}");
            }
        }
    }

    #[test]
    fn the_picture_has_all_states_and_triggers_and_marks_the_current_state() {
        let robot = Definition::from_yaml(ROBOT).unwrap();
        let text = svg(&robot, robot.find("busy_fast"));
        assert_eq!(text.matches("class=\"state").count(), 5);
        assert_eq!(text.matches("class=\"state current\"").count(), 2);
        for word in [">busy_slow<", ">hurry<", ">2s: &lt;go&gt;<", ">look (internal)<", ">*<"] {
            assert!(text.contains(word), "{word}");
        }
        assert!(!svg(&robot, None).contains("state current"));
    }

    #[test]
    fn the_text_for_graphviz_has_clusters_and_quoted_names() {
        let robot = Definition::from_yaml(ROBOT).unwrap();
        let text = dot(&robot, robot.find("idle"));
        assert!(text.contains("subgraph \"cluster_busy\" {"), "{text}");
        assert!(text.contains("\"idle\" -> \"busy_slow\" [label=\"go\", lhead=\"cluster_busy\"];"), "{text}");
        assert!(text.contains("\"held\" [label=\"held\\n2s: <go>\", fillcolor=white];"), "{text}");
        assert_eq!(quoted("a\"b\\"), "\"a\\\"b\\\\\"");
    }
}
