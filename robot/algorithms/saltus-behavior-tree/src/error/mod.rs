//! Errors in files and ticks, and their locations. The texts are those of BehaviorTree.CPP where it has the same error.

mod script;

pub use script::ScriptError;

/// The location of an element in the files of a tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Location {
    /// The name of the file, as it was returned when the file was read; empty for the first document.
    pub file: String,
    /// The line, from 1 on.
    pub line: u32,
    /// The ID of the tree that contains the element, if one does.
    pub tree: Option<String>,
    /// The tag of the element, or the ID of its node.
    pub element: String,
}

/// An error in the XML of a tree.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// A document is not XML.
    #[error("Error parsing the XML: {text}")]
    Xml {
        /// The name of the file; empty for the first document.
        file: String,
        /// The reason, with the line.
        text: String,
    },
    /// A document has another root.
    #[error("The XML must have a root node called <root>")]
    Root {
        /// The name of the file; empty for the first document.
        file: String,
    },
    /// There are several trees, and none is the main tree.
    #[error("[main_tree_to_execute] was not specified correctly")]
    NoMainTree,
    /// There is no tree with this ID.
    #[error("Can't find a tree with name: {tree}")]
    UnknownTree {
        /// The ID.
        tree: String,
        /// The element that refers to the tree; `None` for the tree that was to be created.
        location: Option<Box<Location>>,
    },
    /// A tree contains itself.
    #[error(
        "Recursive behavior tree cycle detected: tree '{tree}' references itself (directly or indirectly)"
    )]
    Cycle {
        /// The ID of the tree.
        tree: String,
        /// The element that refers to the tree.
        location: Option<Box<Location>>,
    },
    /// An element is wrong.
    #[error("Error at line {}: -> {problem}", location.line)]
    Element {
        /// The location of the element.
        location: Box<Location>,
        /// The problem.
        problem: ElementProblem,
    },
    /// A file can't be included.
    #[error("Error at line {}: -> {path}: {problem}", location.line)]
    Include {
        /// The location of the element.
        location: Box<Location>,
        /// The path in the element.
        path: String,
        /// The problem.
        problem: IncludeProblem,
    },
}

/// A problem of an included file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IncludeProblem {
    /// The file can't be read. The text is that of the function that reads files.
    #[error("{0}")]
    Read(String),
    /// The trees of the file can't be loaded.
    #[error(transparent)]
    Load(Box<LoadError>),
}

/// A problem of an element.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ElementProblem {
    /// An element `include` has no path.
    #[error("Invalid <include> tag: missing 'path' attribute")]
    NoPath,
    /// An element needs an ID.
    #[error("The tag <{0}> must have the attribute [ID]")]
    NoId(String),
    /// An element has an ID, although its tag is the ID.
    #[error("Attribute [ID] is not allowed in <{0}>")]
    UnexpectedId(String),
    /// The ID of a tree is that of a node.
    #[error("The attribute [ID] of tag <{0}> must not use the name of a registered Node")]
    ReservedId(&'static str),
    /// A tree has no root, or several.
    #[error("The tag <BehaviorTree> with ID '{0}' must have exactly 1 child")]
    Roots(String),
    /// Elements are nested too deep.
    #[error("Nodes may be nested {0} times at most")]
    DeepElements(usize),
    /// Nodes of trees and subtrees are nested too deep.
    #[error("nodes may be nested {0} times at most")]
    DeepNodes(usize),
    /// A tree has too many nodes.
    #[error("a tree may have {0} nodes at most")]
    ManyNodes(usize),
    /// A subtree has a child.
    #[error("<SubTree> with ID '{0}' should not have any child")]
    SubtreeChild(String),
    /// There is no node with this ID.
    #[error("Node not recognized: {0}")]
    UnknownNode(String),
    /// The element has names of version 3. The text has all of the document, with those of version 4.
    #[error("this is a name of BehaviorTree.CPP 3; in version 4, {0}")]
    OldNames(String),
    /// A decorator has no child, or several.
    #[error("The node '{0}' must have exactly 1 child")]
    OneChild(String),
    /// A control node has no child.
    #[error("The node '{0}' must have 1 or more children")]
    Children(String),
    /// A leaf has a child.
    #[error("The node '{0}' must not have any child")]
    NoChild(String),
    /// The node has no such port.
    #[error(
        "a port with name [{port}] is found in the XML (<{node}>, line {line}) but not in the providedPorts() of its registered \
         node type."
    )]
    UnknownPort {
        /// The port.
        port: String,
        /// The ID of the node.
        node: String,
        /// The line.
        line: u32,
    },
    /// The text of a port can't be converted.
    #[error("The port with name \"{port}\" and value \"{text}\" can not be converted to {kind}")]
    PortText {
        /// The port.
        port: String,
        /// The text.
        text: String,
        /// The name of the type.
        kind: &'static str,
    },
    /// Two ports of different types use the same entry of a blackboard.
    #[error(
        "The creation of the tree failed because the port [{key}] was initially created with type [{before}] and, later type \
         [{after}] was used somewhere else."
    )]
    EntryType {
        /// The key of the entry.
        key: String,
        /// The name of the first type.
        before: &'static str,
        /// The name of the other type.
        after: &'static str,
    },
    /// A port of a subtree needs a value.
    #[error(
        "In the <TreeNodesModel> the <Subtree ID=\"{tree}\"> is defining a mandatory port called [{port}], but you are not \
         remapping it"
    )]
    MandatoryPort {
        /// The ID of the subtree.
        tree: String,
        /// The port.
        port: String,
    },
    /// A script is wrong.
    #[error("Error in the script \"{script}\"\n{error}")]
    Script {
        /// The script.
        script: String,
        /// The error.
        error: ScriptError,
    },
    /// The node can't be created. The text is that of the node.
    #[error("{0}")]
    Create(String),
}

impl ElementProblem {
    /// Returns the error with the location of the problem.
    pub(crate) fn into_error(self, location: Location) -> LoadError {
        LoadError::Element { location: Box::new(location), problem: self }
    }
}

/// The reason why a tick has no status.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TickError {
    /// A node of the tree has failed.
    #[error(transparent)]
    Node(Box<NodeError>),
    /// The problem of a node, as its behavior returns it. The tree adds the node.
    #[error(transparent)]
    Problem(#[from] NodeProblem),
}

/// An error of a node.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("Exception in node '{path}' [{}]: {problem}", location.element)]
pub struct NodeError {
    /// The path of the node in the tree: the names of the subtrees and of the node, with `/` between them.
    pub path: String,
    /// The location of the node in the files.
    pub location: Location,
    /// The problem.
    pub problem: NodeProblem,
}

/// A problem of a node in a tick.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NodeProblem {
    /// An input has no value.
    #[error(
        "getInput() of node '{node}' failed because nor the manifest or the XML contain the key: [{port}]"
    )]
    MissingInput {
        /// The name of the node.
        node: String,
        /// The port.
        port: String,
    },
    /// An input points to an entry that has no value.
    #[error("getInput() failed because it was unable to find the key [{port}] remapped to [{key}]")]
    MissingEntry {
        /// The port.
        port: String,
        /// The key of the entry.
        key: String,
    },
    /// The value of an input can't be converted.
    #[error("getInput(): {reason}")]
    Input {
        /// The port.
        port: String,
        /// The reason.
        reason: String,
    },
    /// A script can't be read.
    #[error(transparent)]
    Syntax(ScriptError),
    /// A script has failed.
    #[error("Error in script [{script}]\n{error}")]
    Script {
        /// The script.
        script: String,
        /// The error.
        error: ScriptError,
    },
    /// A node is idle after its tick.
    #[error("A children should not return IDLE")]
    Idle,
    /// A node is ticked while it is being ticked.
    #[error("it is ticked by itself")]
    Recursion,
    /// Any other problem. The text is that of the node.
    #[error("{0}")]
    Other(String),
}

impl From<String> for TickError {
    fn from(text: String) -> Self {
        Self::Problem(NodeProblem::Other(text))
    }
}

impl From<&str> for TickError {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}
