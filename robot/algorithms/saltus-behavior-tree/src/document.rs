//! Trees in XML.

use roxmltree::{Document, Node, ParsingOptions};

use crate::{error::LoadError, status::NodeKind};

/// How many elements and texts a document may have.
const MOST_NODES: u32 = 100_000;
/// How deep elements may be nested.
const DEEPEST: usize = 200;

type Result<T, E = LoadError> = std::result::Result<T, E>;

/// An element that becomes a node.
#[derive(Clone, Debug)]
pub(crate) struct Element {
    /// The name of the registered node, or of the tree if it is a subtree.
    pub(crate) id: String,
    pub(crate) is_subtree: bool,
    pub(crate) name: Option<String>,
    /// The other attributes.
    pub(crate) attributes: Vec<(String, String)>,
    pub(crate) children: Vec<Element>,
    pub(crate) line: u32,
}

/// A port of a subtree, as `TreeNodesModel` describes it.
#[derive(Clone, Debug)]
pub(crate) struct ModelPort {
    pub(crate) name: String,
    pub(crate) default: Option<String>,
}

/// What a document has.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    pub(crate) main: Option<String>,
    /// The names of the trees, and their roots.
    pub(crate) trees: Vec<(String, Element)>,
    /// The names of subtrees, and their ports.
    pub(crate) models: Vec<(String, Vec<ModelPort>)>,
    /// The files to include, with the packages that they are in, and the lines.
    pub(crate) includes: Vec<(String, Option<String>, u32)>,
}

/// Reads a document. `kind` returns what a registered node is.
pub(crate) fn parse(text: &str, kind: &dyn Fn(&str) -> Option<NodeKind>) -> Result<Parts> {
    let options = ParsingOptions { nodes_limit: MOST_NODES, ..Default::default() };
    let document =
        Document::parse_with_options(text, options).map_err(|error| LoadError::Xml(error.to_string()))?;
    let root = document.root_element();
    if root.tag_name().name() != "root" {
        return Err(LoadError::Other("The XML must have a root node called <root>".into()));
    }
    let ends = text.match_indices('\n').map(|(place, _)| place).collect();
    let mut reader = Reader { ends, kind, parts: Parts::default() };
    reader.parts.main = root.attribute("main_tree_to_execute").map(Into::into);
    let is_alone = elements(root).count() == 1;
    for node in elements(root) {
        reader.part(node, is_alone)?;
    }
    Ok(reader.parts)
}

fn elements<'a>(node: Node<'a, 'a>) -> impl Iterator<Item = Node<'a, 'a>> {
    node.children().filter(Node::is_element)
}

struct Reader<'a> {
    /// Where lines end.
    ends: Vec<usize>,
    kind: &'a dyn Fn(&str) -> Option<NodeKind>,
    parts: Parts,
}

impl Reader<'_> {
    /// Returns the line of an element, from 1 on.
    fn line(&self, node: Node<'_, '_>) -> u32 {
        let start = node.range().start;
        u32::try_from(self.ends.partition_point(|end| *end < start))
            .map_or(u32::MAX, |line| line.saturating_add(1))
    }

    /// Reads a child of the root.
    fn part(&mut self, node: Node<'_, '_>, is_alone: bool) -> Result<()> {
        match node.tag_name().name() {
            "include" => {
                let path = node.attribute("path").ok_or_else(|| {
                    LoadError::at(self.line(node), "Invalid <include> tag: missing 'path' attribute")
                })?;
                let package = node.attribute("ros_pkg").map(Into::into);
                self.parts.includes.push((path.into(), package, self.line(node)));
            }
            "BehaviorTree" => self.tree(node, is_alone)?,
            "TreeNodesModel" => self.model(node)?,
            _ => {}
        }
        Ok(())
    }

    fn tree(&mut self, node: Node<'_, '_>, is_alone: bool) -> Result<()> {
        let id = match node.attribute("ID") {
            Some(id) => id.to_owned(),
            None if is_alone => "BehaviorTree_0".into(),
            None => {
                return Err(LoadError::at(
                    self.line(node),
                    "The tag <BehaviorTree> must have the attribute [ID]",
                ));
            }
        };
        if (self.kind)(&id).is_some() {
            let text = "The attribute [ID] of tag <BehaviorTree> must not use the name of a registered Node";
            return Err(LoadError::at(self.line(node), text));
        }
        let mut children = elements(node);
        let (Some(child), None) = (children.next(), children.next()) else {
            let text = format!("The tag <BehaviorTree> with ID '{id}' must have exactly 1 child");
            return Err(LoadError::at(self.line(node), text));
        };
        let root = self.element(child, 0)?;
        self.parts.trees.push((id, root));
        Ok(())
    }

    fn element(&self, node: Node<'_, '_>, depth: usize) -> Result<Element> {
        let wrong = |text: String| Err(LoadError::at(self.line(node), text));
        if depth > DEEPEST {
            return wrong(format!("Nodes may be nested {DEEPEST} times at most"));
        }
        let tag = node.tag_name().name();
        let is_explicit = matches!(tag, "Action" | "Condition" | "Control" | "Decorator" | "SubTree");
        let id = match (is_explicit, node.attribute("ID")) {
            (true, Some(id)) => id,
            (true, None) => return wrong(format!("The tag <{tag}> must have the attribute [ID]")),
            (false, Some(_)) => return wrong(format!("Attribute [ID] is not allowed in <{tag}>")),
            (false, None) => tag,
        };
        let is_reserved = |name: &str| name == "ID" || name == "name";
        let attributes =
            node.attributes().map(|attribute| (attribute.name().into(), attribute.value().into()));
        let element = Element {
            id: id.into(),
            is_subtree: tag == "SubTree",
            name: node.attribute("name").map(Into::into),
            attributes: attributes.filter(|(name, _): &(String, String)| !is_reserved(name)).collect(),
            children: elements(node).map(|child| self.element(child, depth + 1)).collect::<Result<_>>()?,
            line: self.line(node),
        };
        self.check(&element)?;
        Ok(element)
    }

    /// Checks that a node is known, and has as many children as its kind needs.
    fn check(&self, element: &Element) -> Result<()> {
        let (id, count) = (&element.id, element.children.len());
        let known = (self.kind)(id);
        let problem = match (element.is_subtree, known) {
            (true, Some(_)) => {
                Some("The attribute [ID] of tag <SubTree> must not use the name of a registered Node".into())
            }
            (true, None) if count > 0 => Some(format!("<SubTree> with ID '{id}' should not have any child")),
            (true, None) => None,
            (false, None) => Some(format!("Node not recognized: {id}")),
            (false, Some(NodeKind::Decorator)) if count != 1 => {
                Some(format!("The node '{id}' must have exactly 1 child"))
            }
            (false, Some(NodeKind::Control)) if count == 0 => {
                Some(format!("The node '{id}' must have 1 or more children"))
            }
            (false, Some(NodeKind::Action | NodeKind::Condition)) if count > 0 => {
                Some(format!("The node '{id}' must not have any child"))
            }
            _ => None,
        };
        problem.map_or(Ok(()), |text: String| Err(LoadError::at(element.line, text)))
    }

    fn model(&mut self, node: Node<'_, '_>) -> Result<()> {
        for subtree in elements(node).filter(|node| node.tag_name().name() == "SubTree") {
            let Some(id) = subtree.attribute("ID") else {
                return Err(LoadError::at(
                    self.line(subtree),
                    "The tag <SubTree> must have the attribute [ID]",
                ));
            };
            let is_port = |node: &Node<'_, '_>| {
                matches!(node.tag_name().name(), "input_port" | "output_port" | "inout_port")
            };
            let port = |node: Node<'_, '_>| {
                let name = node.attribute("name")?.into();
                Some(ModelPort { name, default: node.attribute("default").map(Into::into) })
            };
            let ports = elements(subtree).filter(is_port).filter_map(port).collect();
            self.parts.models.push((id.into(), ports));
        }
        Ok(())
    }
}
