//! Launch files in YAML.

use std::{path::Path, sync::Arc};

use saltus_yaml::Node;

use crate::{
    element::{Attribute, Element},
    origin::{LaunchError, Origin},
};

/// The key with the actions of an element that has attributes, too.
const CHILDREN: &str = "children";

/// Reads a file: a mapping with the only key `launch`.
pub(crate) fn parse(text: &str, file: &Arc<Path>) -> Result<Element, LaunchError> {
    let origin = |line: usize| Origin { file: file.clone(), line: line.try_into().unwrap_or(u32::MAX) };
    let document = saltus_yaml::parse(text).map_err(|error| {
        LaunchError::new(&origin(error.line), format!("column {}: {}", error.column, error.message))
    })?;
    match document.as_mapping() {
        Some([(key, root)]) if key == "launch" => Elements { file }.element("launch", root),
        _ => Err(LaunchError::new(&origin(document.line), "expected a mapping with the only key `launch`")),
    }
}

struct Elements<'a> {
    file: &'a Arc<Path>,
}

impl Elements<'_> {
    fn origin(&self, node: &Node) -> Origin {
        Origin { file: self.file.clone(), line: node.line.try_into().unwrap_or(u32::MAX) }
    }

    fn element(&self, tag: &str, node: &Node) -> Result<Element, LaunchError> {
        let mut element = Element {
            tag: tag.into(),
            attributes: Vec::new(),
            children: Vec::new(),
            origin: self.origin(node),
        };
        if let Some(items) = node.as_sequence() {
            self.children(items, &mut element)?;
        } else if let Some(pairs) = node.as_mapping() {
            for (key, value) in pairs {
                self.pair(key, value, &mut element)?;
            }
        } else if !node.is_null() {
            let text = format!("expected a mapping or a list for `{tag}`, found {}", node.kind());
            return Err(LaunchError::new(&element.origin, text));
        }
        Ok(element)
    }

    fn pair(&self, key: &str, value: &Node, element: &mut Element) -> Result<(), LaunchError> {
        match value.as_sequence() {
            Some(items) if key == CHILDREN => self.children(items, element),
            // Such as the parameters of a node: a list of mappings without tags.
            Some(items) if items.iter().any(|item| item.as_mapping().is_some()) => {
                for item in items {
                    element.children.push(self.element(key, item)?);
                }
                Ok(())
            }
            _ if value.as_mapping().is_some() => {
                element.children.push(self.element(key, value)?);
                Ok(())
            }
            _ => {
                element.attributes.push((key.into(), Attribute::Yaml(value.clone())));
                Ok(())
            }
        }
    }

    /// Reads a list of mappings, each of which has a tag as its only key.
    fn children(&self, items: &[Node], element: &mut Element) -> Result<(), LaunchError> {
        for item in items {
            let Some([(tag, value)]) = item.as_mapping() else {
                let text = format!("expected a mapping with one key, the tag, in `{}`", element.tag);
                return Err(LaunchError::new(&self.origin(item), text));
            };
            let mut child = self.element(tag, value)?;
            child.origin = self.origin(item);
            element.children.push(child);
        }
        Ok(())
    }
}
