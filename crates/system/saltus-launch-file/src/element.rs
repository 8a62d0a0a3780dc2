//! The elements of a launch file, as XML and YAML have them: a tag, attributes and children.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeSet,
};

use saltus_yaml::Node;

use crate::{
    origin::{LaunchError, Origin},
    text::Text,
};

/// An element of a launch file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Element {
    pub(crate) tag: String,
    pub(crate) attributes: Vec<(String, Attribute)>,
    /// Children with tags: nested elements of XML; of YAML the items of `children` and of keys with lists of mappings.
    pub(crate) children: Vec<Element>,
    pub(crate) origin: Origin,
}

/// The value of an attribute.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Attribute {
    /// Characters in XML. They are YAML where the type of the value is not known.
    Characters(String),
    /// A scalar or a list of scalars in YAML.
    Yaml(Node),
}

impl Attribute {
    /// Returns the characters of a scalar.
    pub(crate) fn characters(&self) -> Option<&str> {
        match self {
            Self::Characters(text) => Some(text),
            Self::Yaml(node) => node.as_text(),
        }
    }

    /// Returns the value as a node of YAML. Characters that are not valid YAML are a text.
    pub(crate) fn node(&self) -> Node {
        match self {
            Self::Yaml(node) => node.clone(),
            Self::Characters(text) => saltus_yaml::parse(text)
                .ok()
                .filter(|node| !text.trim().is_empty() && node.as_mapping().is_none())
                .unwrap_or_else(|| text_node(text)),
        }
    }
}

/// Returns a text as a node.
pub(crate) fn text_node(text: &str) -> Node {
    Node {
        value: saltus_yaml::Value::Scalar { text: text.into(), style: saltus_yaml::Style::Text },
        line: 1,
        column: 1,
    }
}

/// Reads the attributes and children of an element, and notes which ones were read.
pub(crate) struct Reader<'a> {
    element: &'a Element,
    known: RefCell<BTreeSet<&'static str>>,
    children: RefCell<BTreeSet<&'static str>>,
    has_actions: Cell<bool>,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(element: &'a Element) -> Self {
        Self {
            element,
            known: RefCell::default(),
            children: RefCell::default(),
            has_actions: Cell::new(false),
        }
    }

    pub(crate) fn origin(&self) -> Origin {
        self.element.origin.clone()
    }

    pub(crate) fn error(&self, message: impl std::fmt::Display) -> LaunchError {
        LaunchError::new(&self.element.origin, format!("`{}`: {message}", self.element.tag))
    }

    pub(crate) fn attribute(&self, name: &'static str) -> Option<&'a Attribute> {
        self.known.borrow_mut().insert(name);
        self.element.attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value)
    }

    fn characters(&self, name: &'static str) -> Result<Option<&'a str>, LaunchError> {
        let Some(attribute) = self.attribute(name) else { return Ok(None) };
        let text = attribute.characters();
        text.map(Some)
            .ok_or_else(|| self.error(format!("`{name}` must be a text, and not a list or a mapping")))
    }

    /// Returns an attribute with substitutions.
    pub(crate) fn text(&self, name: &'static str) -> Result<Option<Text>, LaunchError> {
        let text = self.characters(name)?.map(Text::parse).transpose();
        text.map_err(|error| self.error(format!("`{name}`: {error}")))
    }

    /// Returns an attribute with substitutions that must be there.
    pub(crate) fn required(&self, name: &'static str) -> Result<Text, LaunchError> {
        self.text(name)?.ok_or_else(|| self.error(format!("the attribute `{name}` is missing")))
    }

    /// Returns an attribute that must not have substitutions, such as the name of an argument.
    pub(crate) fn plain(&self, name: &'static str) -> Result<Option<String>, LaunchError> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        let plain = text.literal();
        plain.map(Some).ok_or_else(|| self.error(format!("`{name}` can't have substitutions: `{text}`")))
    }

    /// Returns the values of nested elements with this tag.
    pub(crate) fn nested(&self, tag: &'static str) -> impl Iterator<Item = &'a Element> + use<'a> {
        self.children.borrow_mut().insert(tag);
        self.element.children.iter().filter(move |child| child.tag == tag)
    }

    /// Returns all nested elements except those with these tags: they are actions. An element that is no action is found
    /// when it is read.
    pub(crate) fn actions(
        &self,
        others: &'static [&'static str],
    ) -> impl Iterator<Item = &'a Element> + use<'a> {
        self.has_actions.set(true);
        self.element.children.iter().filter(|child| !others.contains(&child.tag.as_str()))
    }

    /// Returns an error if there is an attribute that was not read.
    pub(crate) fn end_attributes(&self) -> Result<(), LaunchError> {
        let known = self.known.borrow();
        let unknown = self.element.attributes.iter().find(|(name, _)| !known.contains(name.as_str()));
        let names = || known.iter().copied().collect::<Vec<_>>().join(", ");
        match unknown {
            Some((name, _)) => {
                Err(self.error(format!("there is no attribute `{name}`; the attributes are {}", names())))
            }
            None => Ok(()),
        }
    }

    /// Returns an error if there is an attribute or a child that was not read.
    pub(crate) fn end(&self) -> Result<(), LaunchError> {
        self.end_attributes()?;
        let known = self.children.borrow();
        if self.has_actions.get() {
            return Ok(());
        }
        match self.element.children.iter().find(|child| !known.contains(child.tag.as_str())) {
            Some(child) => Err(LaunchError::new(
                &child.origin,
                format!("`{}` can't be within `{}`", child.tag, self.element.tag),
            )),
            None => Ok(()),
        }
    }
}
