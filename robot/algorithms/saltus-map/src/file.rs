//! The YAML file of a map.

use saltus_yaml::{Node, YamlError};

use crate::error::MapError;

/// How the shades of an image are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Free, occupied or unknown.
    #[default]
    Trinary,
    /// Free, occupied, or something between.
    Scale,
    /// A shade from 0 to 100 is the value of the cell.
    Raw,
}

impl Mode {
    /// All modes.
    pub const ALL: [Self; 3] = [Self::Trinary, Self::Scale, Self::Raw];

    /// Returns its name in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Trinary => "trinary",
            Self::Scale => "scale",
            Self::Raw => "raw",
        }
    }
}

/// What the YAML file of a map says.
#[derive(Clone, Debug, PartialEq)]
pub struct MapFile {
    /// The path of the image: absolute, or relative to the folder of the file.
    pub image: String,
    /// How its shades are read.
    pub mode: Mode,
    /// The edge of a cell, in metres.
    pub resolution: f64,
    /// The position x, y in metres and the angle in radians of the lower left corner in the frame of the map.
    pub origin: [f64; 3],
    /// Whether white is occupied, and not black.
    pub negate: bool,
    /// From this share of black on, a cell is occupied.
    pub occupied_thresh: f64,
    /// Up to this share of black, a cell is free.
    pub free_thresh: f64,
}

impl MapFile {
    /// Parses the text of a file.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is no YAML, or if a key is missing or has a wrong value.
    pub fn parse(text: &str) -> Result<Self, MapError> {
        let document = saltus_yaml::parse(text)?;
        let entries = document
            .as_mapping()
            .ok_or_else(|| document.error("expected a mapping with `image`, `resolution`, `origin`, `negate`, `occupied_thresh` and `free_thresh`"))?;
        let find = |name: &str| entries.iter().find(|(key, _)| key == name).map(|(_, node)| node);
        let get =
            |name: &str| find(name).ok_or_else(|| document.error(format!("the key `{name}` is missing")));
        let image = get("image")?;
        let path = image.as_text().filter(|path| !path.is_empty());
        let resolution = get("resolution")?;
        Ok(Self {
            image: path.ok_or_else(|| image.error("`image` must be the path of an image"))?.into(),
            mode: find("mode").map_or(Ok(Mode::Trinary), mode)?,
            resolution: number(resolution, "resolution")
                .ok()
                .filter(|edge| is_resolution(*edge))
                .ok_or_else(|| resolution.error("`resolution` must be a positive number of metres"))?,
            origin: origin(get("origin")?)?,
            negate: negate(get("negate")?)?,
            occupied_thresh: number(get("occupied_thresh")?, "occupied_thresh")?,
            free_thresh: number(get("free_thresh")?, "free_thresh")?,
        })
    }

    /// Returns the text of the file.
    pub fn text(&self) -> String {
        let Self { image, mode, resolution, origin: [x, y, angle], negate, occupied_thresh, free_thresh } =
            self;
        let image = word(image);
        let [resolution, x, y, angle, occupied, free] =
            [resolution, x, y, angle, occupied_thresh, free_thresh].map(|number| decimal(*number));
        format!(
            "image: {image}\nmode: {}\nresolution: {resolution}\norigin: [{x}, {y}, {angle}]\nnegate: {}\n\
             occupied_thresh: {occupied}\nfree_thresh: {free}\n",
            mode.name(),
            i32::from(*negate)
        )
    }
}

/// Whether cells can have this edge, in metres. In messages it is a `float`.
pub(crate) fn is_resolution(edge: f64) -> bool {
    let edge = edge as f32;
    edge.is_finite() && edge > 0.0
}

/// Returns a text as a plain word, or in quotes if YAML could read it as something else.
fn word(text: &str) -> String {
    let starts_plain = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/');
    if starts_plain
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "._/-".contains(c))
        && text.contains('.')
    {
        return text.into();
    }
    let escaped = |c: char| match c {
        '"' | '\\' => format!("\\{c}"),
        c if c.is_control() || "\u{2028}\u{2029}".contains(c) => format!("\\u{:04x}", u32::from(c)),
        c => c.into(),
    };
    format!("\"{}\"", text.chars().map(escaped).collect::<String>())
}

/// Returns a number with a point and without an exponent. In YAML 1.1, `1e-17` is a text.
fn decimal(number: f64) -> String {
    let text = number.to_string();
    if text.contains('.') { text } else { text + ".0" }
}

fn number(node: &Node, name: &str) -> Result<f64, YamlError> {
    let whole = || node.as_integer().map(|number| number as f64);
    let value = node.as_float().or_else(whole).filter(|value| value.is_finite());
    value.ok_or_else(|| node.error(format!("`{name}` must be a number")))
}

fn mode(node: &Node) -> Result<Mode, YamlError> {
    let is_named = |mode: &Mode| node.as_text().is_some_and(|text| text.eq_ignore_ascii_case(mode.name()));
    let found = Mode::ALL.into_iter().find(is_named);
    found.ok_or_else(|| node.error("`mode` must be trinary, scale or raw"))
}

fn origin(node: &Node) -> Result<[f64; 3], YamlError> {
    let wrong = || node.error("`origin` must be a list of three numbers: x, y and the angle");
    match node.as_sequence() {
        Some([x, y, angle]) => Ok([number(x, "origin")?, number(y, "origin")?, number(angle, "origin")?]),
        _ => Err(wrong()),
    }
}

fn negate(node: &Node) -> Result<bool, YamlError> {
    let digit = node.as_integer().map(|number| number != 0);
    digit.or_else(|| node.as_bool()).ok_or_else(|| node.error("`negate` must be 0 or 1"))
}
