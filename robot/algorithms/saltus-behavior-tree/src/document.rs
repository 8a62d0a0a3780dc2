//! Trees in XML.

use std::collections::BTreeSet;

use roxmltree::{Document, Node, ParsingOptions};

use crate::{
    error::{ElementProblem, LoadError, Location},
    port::Direction,
    status::NodeKind,
};

/// The largest number of elements and texts of a document.
const MOST_NODES: u32 = 100_000;
/// The largest depth of nested elements.
const DEEPEST: usize = 200;
/// The names of nodes in version 3 of BehaviorTree.CPP, and in version 4.
const OLD_NODES: [(&str, &str); 8] = [
    ("SequenceStar", "SequenceWithMemory"),
    ("FallbackStar", "Fallback"),
    ("SubTreePlus", "SubTree"),
    ("RetryUntilSuccesful", "RetryUntilSuccessful"),
    ("BlackboardCheckInt", "Precondition"),
    ("BlackboardCheckDouble", "Precondition"),
    ("BlackboardCheckString", "Precondition"),
    ("BlackboardCheckBool", "Precondition"),
];
/// The same for attributes, with the elements that have them.
const OLD_ATTRIBUTES: [(&str, &str, &str); 7] = [
    ("SubTree", "__autoremap", "_autoremap"),
    ("SubTree", "__shared_blackboard", "_autoremap"),
    ("SubTreePlus", "__autoremap", "_autoremap"),
    ("SubTreePlus", "__shared_blackboard", "_autoremap"),
    ("Parallel", "threshold", "success_count"),
    ("Parallel", "success_threshold", "success_count"),
    ("Parallel", "failure_threshold", "failure_count"),
];

type Result<T, E = LoadError> = std::result::Result<T, E>;

/// An element of a tree, of which a node is created.
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

/// A node as `TreeNodesModel` describes it.
#[derive(Debug)]
pub(crate) struct NodeModel {
    pub(crate) id: String,
    pub(crate) kind: NodeKind,
    /// The names, directions and defaults of its ports.
    pub(crate) ports: Vec<(String, Direction, Option<String>)>,
}

/// The contents of a document.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    /// The nodes that are described and not registered. Empty if they are not accepted.
    pub(crate) nodes: Vec<NodeModel>,
    pub(crate) main: Option<String>,
    /// The names of the trees, and their roots.
    pub(crate) trees: Vec<(String, Element)>,
    /// The names of subtrees, and their ports.
    pub(crate) models: Vec<(String, Vec<ModelPort>)>,
    /// The files to include, with the packages that they are in, and the lines.
    pub(crate) includes: Vec<(String, Option<String>, u32)>,
}

/// Reads the document of a file. `kind` returns the kind of a registered node. With `accepts_models`, nodes that are only described in
/// `TreeNodesModel` are accepted, too.
pub(crate) fn parse(
    file: &str,
    text: &str,
    kind: &dyn Fn(&str) -> Option<NodeKind>,
    accepts_models: bool,
) -> Result<Parts> {
    let options = ParsingOptions { nodes_limit: MOST_NODES, ..Default::default() };
    let repaired = saltus_xml::repaired(text);
    let text = repaired.as_str();
    let not_xml = |error: roxmltree::Error| LoadError::Xml { file: file.into(), text: error.to_string() };
    let document = Document::parse_with_options(text, options).map_err(not_xml)?;
    let root = document.root_element();
    if saltus_xml::tag(root) != "root" {
        return Err(LoadError::Root { file: file.into() });
    }
    let ends = text.match_indices('\n').map(|(end, _)| end).collect();
    let nodes = if accepts_models { described(root, kind) } else { Vec::new() };
    let mut reader = Reader { file, tree: None, ends, kind, parts: Parts { nodes, ..Parts::default() } };
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

/// Returns the nodes that a document describes, except registered ones.
fn described(root: Node<'_, '_>, kind: &dyn Fn(&str) -> Option<NodeKind>) -> Vec<NodeModel> {
    let port = |node: Node<'_, '_>| {
        let direction = direction(&saltus_xml::tag(node))?;
        Some((node.attribute("name")?.to_owned(), direction, node.attribute("default").map(Into::into)))
    };
    let model = |node: Node<'_, '_>| {
        let of_tag = match &*saltus_xml::tag(node) {
            "Action" => NodeKind::Action,
            "Condition" => NodeKind::Condition,
            "Control" => NodeKind::Control,
            "Decorator" => NodeKind::Decorator,
            _ => return None,
        };
        let id = node.attribute("ID").filter(|id| kind(id).is_none())?;
        Some(NodeModel { id: id.into(), kind: of_tag, ports: elements(node).filter_map(port).collect() })
    };
    let models = elements(root).filter(|node| saltus_xml::tag(*node) == "TreeNodesModel");
    models.flat_map(elements).filter_map(model).collect()
}

/// Returns the direction of a port from the tag of its description.
fn direction(tag: &str) -> Option<Direction> {
    match tag {
        "input_port" => Some(Direction::Input),
        "output_port" => Some(Direction::Output),
        "inout_port" => Some(Direction::InOut),
        _ => None,
    }
}

/// Whether the ID of a node is an attribute of the tag, and not the tag itself.
fn is_explicit(tag: &str) -> bool {
    matches!(tag, "Action" | "Condition" | "Control" | "Decorator" | "SubTree")
}

struct Reader<'a> {
    file: &'a str,
    /// The ID of the tree that is being read.
    tree: Option<String>,
    /// The positions of the ends of lines, in bytes.
    ends: Vec<usize>,
    kind: &'a dyn Fn(&str) -> Option<NodeKind>,
    parts: Parts,
}

impl Reader<'_> {
    /// Returns the kind of a node that is registered or described.
    fn kind(&self, id: &str) -> Option<NodeKind> {
        let described = || self.parts.nodes.iter().find(|node| node.id == id).map(|node| node.kind);
        (self.kind)(id).or_else(described)
    }

    /// Returns the line of an element, from 1 on.
    fn line(&self, node: Node<'_, '_>) -> u32 {
        let start = node.range().start;
        u32::try_from(self.ends.partition_point(|end| *end < start))
            .map_or(u32::MAX, |line| line.saturating_add(1))
    }

    /// Returns an error with the location of an element.
    fn error(&self, node: Node<'_, '_>, problem: ElementProblem) -> LoadError {
        let tag = &*saltus_xml::tag(node);
        let element = node.attribute("ID").filter(|_| is_explicit(tag)).unwrap_or(tag).to_owned();
        let (file, tree) = (self.file.to_owned(), self.tree.clone());
        problem.into_error(Location { file, line: self.line(node), tree, element })
    }

    /// Reads a child of the root.
    fn part(&mut self, node: Node<'_, '_>, is_alone: bool) -> Result<()> {
        match &*saltus_xml::tag(node) {
            "include" => {
                let path = node.attribute("path").ok_or_else(|| self.error(node, ElementProblem::NoPath))?;
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
                return Err(self.error(node, ElementProblem::NoId("BehaviorTree".into())));
            }
        };
        if self.kind(&id).is_some() {
            return Err(self.error(node, ElementProblem::ReservedId("BehaviorTree")));
        }
        let mut children = elements(node);
        let (Some(child), None) = (children.next(), children.next()) else {
            return Err(self.error(node, ElementProblem::Roots(id)));
        };
        self.tree = Some(id.clone());
        let root = self.element(child, 0)?;
        self.tree = None;
        self.parts.trees.push((id, root));
        Ok(())
    }

    fn element(&self, node: Node<'_, '_>, depth: usize) -> Result<Element> {
        let wrong = |problem| Err(self.error(node, problem));
        if depth > DEEPEST {
            return wrong(ElementProblem::DeepElements(DEEPEST));
        }
        let tag = &*saltus_xml::tag(node);
        if let Some(problem) = self.old(node) {
            return wrong(problem);
        }
        let id = match (is_explicit(tag), node.attribute("ID")) {
            (true, Some(id)) => id,
            (true, None) => return wrong(ElementProblem::NoId(tag.into())),
            (false, Some(_)) => return wrong(ElementProblem::UnexpectedId(tag.into())),
            (false, None) => tag,
        };
        let is_reserved = |name: &str| name == "ID" || name == "name";
        let attributes = node
            .attributes()
            .map(|attribute| (saltus_xml::attribute_name(node, &attribute).into(), attribute.value().into()));
        let element = Element {
            id: id.into(),
            is_subtree: tag == "SubTree",
            name: node.attribute("name").map(Into::into),
            attributes: attributes.filter(|(name, _): &(String, String)| !is_reserved(name)).collect(),
            children: elements(node).map(|child| self.element(child, depth + 1)).collect::<Result<_>>()?,
            line: self.line(node),
        };
        match self.problem(&element) {
            Some(problem) => wrong(problem),
            None => Ok(element),
        }
    }

    /// Returns the problem of an element that has names of version 3. It has all such names of the document, so that they can be
    /// changed at once.
    fn old(&self, node: Node<'_, '_>) -> Option<ElementProblem> {
        if self.old_names(node).is_empty() {
            return None;
        }
        let elements = node.document().descendants().filter(Node::is_element);
        let names = elements.flat_map(|element| self.old_names(element));
        let texts: BTreeSet<String> = names.map(|(old, new)| format!("{old} is {new}")).collect();
        Some(ElementProblem::OldNames(Vec::from_iter(texts).join(", ")))
    }

    /// Returns the names of version 3 in an element, with those of version 4. A node that is registered is not old.
    fn old_names(&self, node: Node<'_, '_>) -> Vec<(&'static str, &'static str)> {
        let tag = &*saltus_xml::tag(node);
        let id = node.attribute("ID").filter(|_| is_explicit(tag) && tag != "SubTree").unwrap_or(tag);
        let is_unknown = self.kind(id).is_none();
        let nodes = OLD_NODES.into_iter().filter(|(old, _)| is_unknown && *old == id);
        let attributes =
            OLD_ATTRIBUTES.into_iter().filter(|(of, old, _)| *of == tag && node.has_attribute(*old));
        nodes.chain(attributes.map(|(_, old, new)| (old, new))).collect()
    }

    /// Returns the problem of an element, if its node is unknown or has not as many children as its kind needs.
    fn problem(&self, element: &Element) -> Option<ElementProblem> {
        let count = element.children.len();
        let problem = match (element.is_subtree, self.kind(&element.id)) {
            (true, Some(_)) => return Some(ElementProblem::ReservedId("SubTree")),
            (true, None) if count > 0 => ElementProblem::SubtreeChild,
            (false, None) => ElementProblem::UnknownNode,
            (false, Some(NodeKind::Decorator)) if count != 1 => ElementProblem::OneChild,
            (false, Some(NodeKind::Control)) if count == 0 => ElementProblem::Children,
            (false, Some(NodeKind::Action | NodeKind::Condition)) if count > 0 => ElementProblem::NoChild,
            _ => return None,
        };
        Some(problem(element.id.clone()))
    }

    fn model(&mut self, node: Node<'_, '_>) -> Result<()> {
        for subtree in elements(node).filter(|node| saltus_xml::tag(*node) == "SubTree") {
            let Some(id) = subtree.attribute("ID") else {
                return Err(self.error(subtree, ElementProblem::NoId("SubTree".into())));
            };
            let is_port = |node: &Node<'_, '_>| direction(&saltus_xml::tag(*node)).is_some();
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
