//! Launch files in XML.

use std::{path::Path, sync::Arc};

use roxmltree::{Document, Node, ParsingOptions};

use crate::{
    element::{Attribute, Element},
    origin::{LaunchError, Origin},
};

/// The maximum number of elements in a file.
const MAX_ELEMENTS: u32 = 100_000;
/// The maximum depth of nested elements.
const MAX_DEPTH: usize = 100;

/// Reads a file, whose root is `<launch>`.
pub(crate) fn parse(text: &str, file: &Arc<Path>) -> Result<Element, LaunchError> {
    let options = ParsingOptions { nodes_limit: MAX_ELEMENTS, ..ParsingOptions::default() };
    let text = saltus_xml::repaired(text);
    let document = Document::parse_with_options(&text, options)
        .map_err(|error| LaunchError::new(&Origin { file: file.clone(), line: error.pos().row }, error))?;
    let root = element(document.root_element(), file, 0)?;
    if root.tag == "launch" {
        Ok(root)
    } else {
        Err(LaunchError::new(&root.origin, format!("expected the root `launch`, found `{}`", root.tag)))
    }
}

fn element(node: Node<'_, '_>, file: &Arc<Path>, depth: usize) -> Result<Element, LaunchError> {
    let attribute = |attribute: roxmltree::Attribute<'_, '_>| {
        (saltus_xml::attribute_name(node, &attribute).into(), Attribute::Characters(attribute.value().into()))
    };
    let line = node.document().text_pos_at(node.range().start).row;
    let origin = Origin { file: file.clone(), line };
    if depth == MAX_DEPTH {
        return Err(LaunchError::new(&origin, "too many elements are nested"));
    }
    let children = node.children().filter(Node::is_element).map(|child| element(child, file, depth + 1));
    Ok(Element {
        tag: saltus_xml::tag(node).into(),
        attributes: node.attributes().map(attribute).collect(),
        children: children.collect::<Result<_, _>>()?,
        origin,
    })
}
