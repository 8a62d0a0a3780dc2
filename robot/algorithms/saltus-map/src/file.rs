//! The YAML file of a map.
//!
//! Source: `nav2_map_server`, whose format it is.

use saltus_yaml::{Node, YamlError};

use crate::error::MapError;

/// The interpretation of the shades of an image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Each cell is free, occupied or unknown, by the thresholds.
    #[default]
    Trinary,
    /// As trinary, but shades between the thresholds become values from 1 to 99.
    Scale,
    /// A shade from 0 to 100 is the value of the cell. Other shades are unknown.
    Raw,
}

impl Mode {
    /// All modes.
    pub const ALL: [Self; 3] = [Self::Trinary, Self::Scale, Self::Raw];

    /// Returns the name of the mode in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Trinary => "trinary",
            Self::Scale => "scale",
            Self::Raw => "raw",
        }
    }
}

/// The content of the YAML file of a map.
#[derive(Clone, Debug, PartialEq)]
pub struct MapFile {
    /// The path of the image: absolute, or relative to the folder of the YAML file.
    pub image: String,
    /// The interpretation of the shades.
    pub mode: Mode,
    /// The edge length of a cell, in metres.
    pub resolution: f64,
    /// The position x, y in metres and the angle in radians of the lower left corner in the frame of the map.
    pub origin: [f64; 3],
    /// Whether white means occupied. Otherwise black does.
    pub negate: bool,
    /// The share of black from which on a cell is occupied, from 0 to 1.
    pub occupied_thresh: f64,
    /// The share of black up to which a cell is free, from 0 to 1.
    pub free_thresh: f64,
}

/// The keys of a file.
const KEYS: [&str; 7] = ["image", "mode", "resolution", "origin", "negate", "occupied_thresh", "free_thresh"];

impl MapFile {
    /// Returns a text for each key of a file that has no meaning, with its line. ROS 2 ignores such keys.
    ///
    /// ```
    /// let told = saltus_map::MapFile::unknown_keys("image: a.png\nocupied_thresh: 0.7\n");
    /// assert_eq!(told, ["line 2: the key `ocupied_thresh` has no meaning; did you mean `occupied_thresh`?"]);
    /// ```
    pub fn unknown_keys(text: &str) -> Vec<String> {
        let Ok(document) = saltus_yaml::parse(text) else { return Vec::new() };
        let entries = document.as_mapping().into_iter().flatten();
        let unknown = entries.filter(|(key, _)| !KEYS.contains(&&**key));
        let told = unknown.map(|(key, node)| {
            let line = node.line;
            let meant = saltus_types::most_similar(key, KEYS);
            let meant = meant.map_or_else(String::new, |meant| format!("; did you mean `{meant}`?"));
            format!("line {line}: the key `{key}` has no meaning{meant}")
        });
        told.collect()
    }

    /// Parses the text of a file.
    ///
    /// # Errors
    ///
    /// Fails if the text is not YAML, or if a key is missing or has an invalid value.
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

    /// Returns the text of the YAML file.
    pub fn text(&self) -> String {
        let Self { image, mode, resolution, origin: [x, y, angle], negate, occupied_thresh, free_thresh } =
            self;
        let image = quoted(image);
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

/// Whether a resolution in metres is valid. It must also be positive and finite as a `float`, its type in messages.
pub(crate) fn is_resolution(edge: f64) -> bool {
    let edge = edge as f32;
    edge.is_finite() && edge > 0.0
}

/// Returns a text as a YAML scalar, in quotes if YAML could read the plain text as another type.
fn quoted(text: &str) -> String {
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

/// Formats a number with a decimal point and without an exponent, because `1e-17` is a string in YAML 1.1.
fn decimal(number: f64) -> String {
    let text = number.to_string();
    if text.contains('.') { text } else { text + ".0" }
}

fn number(node: &Node, name: &str) -> Result<f64, YamlError> {
    let integer = || node.as_integer().map(|number| number as f64);
    let value = node.as_float().or_else(integer).filter(|value| value.is_finite());
    value.ok_or_else(|| node.error(format!("`{name}` must be a number")))
}

fn mode(node: &Node) -> Result<Mode, YamlError> {
    let is_named = |mode: &Mode| node.as_text().is_some_and(|text| text.eq_ignore_ascii_case(mode.name()));
    let found = Mode::ALL.into_iter().find(is_named);
    found.ok_or_else(|| node.error("`mode` must be trinary, scale or raw"))
}

fn origin(node: &Node) -> Result<[f64; 3], YamlError> {
    let error = || node.error("`origin` must be a list of three numbers: x, y and the angle");
    match node.as_sequence() {
        Some([x, y, angle]) => Ok([number(x, "origin")?, number(y, "origin")?, number(angle, "origin")?]),
        _ => Err(error()),
    }
}

fn negate(node: &Node) -> Result<bool, YamlError> {
    let digit = node.as_integer().map(|number| number != 0);
    digit.or_else(|| node.as_bool()).ok_or_else(|| node.error("`negate` must be 0 or 1"))
}
