//! Reads the fields of mappings in YAML.

use std::cell::RefCell;

use saltus_yaml::{Node, YamlError};

use crate::pose::Point;

pub(crate) type Result<T, E = YamlError> = std::result::Result<T, E>;

/// A function that reads a file by the path in a world or a robot.
pub(crate) type FileLoader<'a> = &'a mut dyn FnMut(&str) -> Result<Vec<u8>, String>;

/// Reads a text file by its path. Errors have the position of `node`.
pub(crate) fn text_file(node: &Node, path: &str, load: FileLoader<'_>) -> Result<String> {
    let bytes = load(path).map_err(|text| node.error(text))?;
    String::from_utf8(bytes).map_err(|_| node.error(format!("{path} is not UTF-8")))
}

/// Returns the path of a file from its name in the file `path`. A relative name is relative to the folder of that file.
pub(crate) fn relative_path(path: &str, name: &str) -> String {
    match path.rsplit_once('/') {
        Some((folder, _)) if !name.starts_with('/') => format!("{folder}/{name}"),
        _ => name.into(),
    }
}

/// The fields of a mapping. A key that was never read is an error, because it is probably misspelt.
pub(crate) struct Fields<'a> {
    node: &'a Node,
    entries: &'a [(String, Node)],
    /// The keys that were read.
    known: RefCell<Vec<&'static str>>,
}

impl<'a> Fields<'a> {
    pub(crate) fn new(node: &'a Node) -> Result<Self> {
        let entries = node
            .as_mapping()
            .ok_or_else(|| node.error(format!("expected a mapping, found {}", node.kind())))?;
        Ok(Self { node, entries, known: RefCell::default() })
    }

    pub(crate) fn error(&self, text: impl Into<String>) -> YamlError {
        self.node.error(text)
    }

    /// Returns the value of a key, if it is there.
    pub(crate) fn find(&self, key: &'static str) -> Option<&'a Node> {
        self.known.borrow_mut().push(key);
        self.entries.iter().find(|(name, _)| name == key).map(|(_, node)| node)
    }

    /// Returns the value of a required key.
    pub(crate) fn get(&self, key: &'static str) -> Result<&'a Node> {
        self.find(key).ok_or_else(|| {
            let names: Vec<_> = self.entries.iter().map(|(name, _)| &**name).collect();
            // The error lists the keys, because the required one may be misspelt.
            let found = if names.is_empty() { "nothing".into() } else { names.join(", ") };
            self.node.error(format!("the key `{key}` is missing; found {found}"))
        })
    }

    /// Fails if there is a key that was not read.
    pub(crate) fn finish(self) -> Result<()> {
        let known = self.known.into_inner();
        match self.entries.iter().find(|(name, _)| !known.contains(&&**name)) {
            Some((name, node)) => {
                Err(node.error(format!("the key `{name}` is not known; expected {}", known.join(", "))))
            }
            None => Ok(()),
        }
    }

    /// Returns a number in a range.
    pub(crate) fn number(&self, key: &'static str, range: (f64, f64)) -> Result<f64> {
        number(self.get(key)?, key, range)
    }

    pub(crate) fn number_or(&self, key: &'static str, range: (f64, f64), default: f64) -> Result<f64> {
        self.find(key).map_or(Ok(default), |node| number(node, key, range))
    }

    pub(crate) fn count(&self, key: &'static str, range: (u32, u32)) -> Result<u32> {
        let node = self.get(key)?;
        let (min, max) = range;
        let value = node.as_integer().and_then(|value| u32::try_from(value).ok());
        let value = value.filter(|value| (min..=max).contains(value));
        value.ok_or_else(|| node.error(format!("`{key}` must be a whole number from {min} to {max}")))
    }

    pub(crate) fn bool_or(&self, key: &'static str, default: bool) -> Result<bool> {
        let node = self.find(key);
        node.map_or(Ok(default), |node| {
            node.as_bool().ok_or_else(|| node.error(format!("`{key}` must be true or false")))
        })
    }

    pub(crate) fn text_or(&self, key: &'static str, default: &str) -> Result<String> {
        let node = self.find(key);
        node.map_or(Ok(default.into()), |node| text(node, key))
    }

    pub(crate) fn point(&self, key: &'static str) -> Result<Point> {
        point(self.get(key)?, key)
    }

    pub(crate) fn point_or(&self, key: &'static str, default: Point) -> Result<Point> {
        self.find(key).map_or(Ok(default), |node| point(node, key))
    }

    /// Returns the items of a list; none if the key is missing.
    pub(crate) fn list(&self, key: &'static str) -> Result<&'a [Node]> {
        let Some(node) = self.find(key).filter(|node| !node.is_null()) else { return Ok(&[]) };
        node.as_sequence().ok_or_else(|| node.error(format!("`{key}` must be a list")))
    }
}

/// The range of coordinates and lengths. Larger ones lose precision.
pub(crate) const ANY: (f64, f64) = (-1e7, 1e7);
/// The range of lengths and masses that must be positive.
pub(crate) const POSITIVE: (f64, f64) = (1e-6, 1e6);
/// The range of lengths and masses that may be 0.
pub(crate) const NOT_NEGATIVE: (f64, f64) = (0.0, 1e6);

pub(crate) fn number(node: &Node, name: &str, (min, max): (f64, f64)) -> Result<f64> {
    let value = node.as_float().or_else(|| node.as_integer().map(|value| value as f64));
    let value = value.filter(|value| (min..=max).contains(value));
    value.ok_or_else(|| node.error(format!("`{name}` must be a number from {min} to {max}")))
}

pub(crate) fn text(node: &Node, name: &str) -> Result<String> {
    let text = node.as_text().or_else(|| node.as_word());
    text.map(str::to_owned).ok_or_else(|| node.error(format!("`{name}` must be a text")))
}

/// Reads a list of `N` numbers.
pub(crate) fn numbers<const N: usize>(node: &Node, name: &str) -> Result<[f64; N]> {
    let error = || node.error(format!("`{name}` must be a list of {N} numbers"));
    let list = node.as_sequence().ok_or_else(error)?;
    let numbers = list.iter().map(|node| number(node, name, ANY)).collect::<Result<Vec<_>>>()?;
    numbers.try_into().map_err(|_| error())
}

pub(crate) fn point(node: &Node, name: &str) -> Result<Point> {
    numbers::<2>(node, name).map(Point::from_array)
}

pub(crate) fn points(node: &Node, name: &str) -> Result<Vec<Point>> {
    let list = node.as_sequence().ok_or_else(|| node.error(format!("`{name}` must be a list of points")))?;
    list.iter().map(|node| point(node, name)).collect()
}
