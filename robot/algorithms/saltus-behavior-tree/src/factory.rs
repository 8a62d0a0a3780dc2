//! Trees of the nodes that there are.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use crate::{
    board::{BoardId, Boards},
    builtin,
    document::{self, Element, ModelPort},
    error::LoadError,
    port::{Direction, Kind, Port, pointer},
    registry::{Built, Making, Registry, leaf},
    script::{Names, Script},
    status::{NodeKind, Status},
    tree::{Entry, Hooks, NodeInfo, Tree},
    value::Value,
};

/// A file that a document includes.
#[derive(Clone, Copy, Debug)]
pub struct Included<'a> {
    /// The name of the file that includes it, as it was returned when it was read; empty for the first document.
    pub by: &'a str,
    /// The path, relative to that file, or to the folder `share` of the package.
    pub path: &'a str,
    /// The package, if there is one.
    pub package: Option<&'a str>,
}

/// Returns the name of a file and its text, or why there is none. A file with the same name is read once.
pub type ReadFile<'a> = dyn FnMut(&Included<'_>) -> Result<(String, String), String> + 'a;

/// The nodes that there are, and the trees that were loaded. `C` is what nodes are told at each tick.
pub struct Factory<C> {
    registry: Registry<C>,
    trees: BTreeMap<String, Element>,
    models: BTreeMap<String, Vec<ModelPort>>,
    main: Option<String>,
    names: Names,
}

impl<C: 'static> Default for Factory<C> {
    fn default() -> Self {
        Self::new()
    }
}

/// The attributes that each node may have.
const HOOKS: [&str; 8] =
    ["_failureIf", "_successIf", "_skipIf", "_while", "_onSuccess", "_onFailure", "_onHalted", "_post"];

/// How many nodes a tree may have, with those of its subtrees.
const MOST: usize = 10_000;
/// How deep nodes may be nested, with those of subtrees. Deeper ones could use up the stack.
const DEEPEST: usize = 256;

impl<C: 'static> Factory<C> {
    /// Returns a factory that knows the nodes of BehaviorTree.CPP, and those of Nav2 that need nothing else.
    pub fn new() -> Self {
        let mut registry = Registry::default();
        builtin::register(&mut registry);
        Self { registry, trees: BTreeMap::new(), models: BTreeMap::new(), main: None, names: Names::new() }
    }

    /// Adds a node. One with the same name is replaced.
    pub fn register(
        &mut self,
        id: &str,
        kind: NodeKind,
        ports: impl IntoIterator<Item = Port>,
        make: impl Fn(&Making<'_>) -> Built<C> + Send + Sync + 'static,
    ) {
        self.registry.register(id, kind, ports, make);
    }

    /// Lets a name stand for a number in scripts.
    pub fn name_number(&mut self, name: &str, number: i64) {
        self.names.insert(name.into(), number);
    }

    /// Returns the names of all nodes, what they are, and their ports.
    pub fn nodes(&self) -> impl Iterator<Item = (&str, NodeKind, &[Port])> {
        self.registry.nodes.iter().map(|(id, node)| (id.as_str(), node.kind, &*node.ports))
    }

    /// Returns the name of the main tree of the document that was loaded last, if it has one.
    pub fn main(&self) -> Option<&str> {
        self.main.as_deref()
    }

    /// Returns the names of the trees that were loaded.
    pub fn trees(&self) -> impl Iterator<Item = &str> {
        self.trees.keys().map(String::as_str)
    }

    /// Loads the trees of a document that includes no files.
    ///
    /// # Errors
    ///
    /// If the document is not right, or includes files.
    pub fn load(&mut self, text: &str) -> Result<(), LoadError> {
        self.load_with(text, &mut |_| Err("no files can be included here".into()))
    }

    /// Loads the trees of a document. `read` returns the files that it includes.
    ///
    /// # Errors
    ///
    /// If a document is not right, or if `read` fails.
    pub fn load_with(&mut self, text: &str, read: &mut ReadFile<'_>) -> Result<(), LoadError> {
        self.load_document("", text, read, &mut BTreeSet::new())
    }

    fn load_document(
        &mut self,
        by: &str,
        text: &str,
        read: &mut ReadFile<'_>,
        seen: &mut BTreeSet<String>,
    ) -> Result<(), LoadError> {
        let parts = document::parse(text, &|id| self.registry.nodes.get(id).map(|node| node.kind))?;
        for (path, package, line) in parts.includes {
            let wrong = |text| LoadError::Include { line, path: path.clone(), text };
            let (name, text) =
                read(&Included { by, path: &path, package: package.as_deref() }).map_err(wrong)?;
            // Also if it includes itself.
            if seen.insert(name.clone()) {
                self.load_document(&name, &text, read, seen).map_err(|error| wrong(error.to_string()))?;
            }
        }
        self.main = match (&parts.main, &parts.trees[..]) {
            (Some(main), _) => Some(main.clone()),
            (None, [(only, _)]) => Some(only.clone()),
            (None, _) => None,
        };
        self.trees.extend(parts.trees);
        self.models.extend(parts.models);
        Ok(())
    }

    /// Makes the main tree of the document that was loaded last.
    ///
    /// # Errors
    ///
    /// If it has none, or if the tree can't be made.
    pub fn create_main(&self) -> Result<Tree<C>, LoadError> {
        self.create_main_with(Boards::new())
    }

    /// Makes the main tree, with values on its blackboard.
    ///
    /// # Errors
    ///
    /// As [`create_main`](Self::create_main).
    pub fn create_main_with(&self, boards: Boards) -> Result<Tree<C>, LoadError> {
        match (&self.main, self.trees.len()) {
            (Some(main), _) => self.create_with(main, boards),
            (None, 1) => match self.trees.keys().next() {
                Some(id) => self.create_with(id, boards),
                None => self.no_main(),
            },
            (None, _) => self.no_main(),
        }
    }

    fn no_main(&self) -> Result<Tree<C>, LoadError> {
        Err(LoadError::Other("[main_tree_to_execute] was not specified correctly".into()))
    }

    /// Makes a tree.
    ///
    /// # Errors
    ///
    /// If there is no tree of this name, or if it is not right.
    pub fn create(&self, id: &str) -> Result<Tree<C>, LoadError> {
        self.create_with(id, Boards::new())
    }

    /// Makes a tree with values on its blackboard.
    ///
    /// # Errors
    ///
    /// As [`create`](Self::create).
    pub fn create_with(&self, id: &str, boards: Boards) -> Result<Tree<C>, LoadError> {
        self.build(id, boards, true)
    }

    /// Checks a tree, without making what its nodes do. The tree that is returned can be looked at, but each tick of it fails.
    ///
    /// # Errors
    ///
    /// As [`create`](Self::create).
    pub fn check(&self, id: &str) -> Result<Tree<C>, LoadError> {
        self.build(id, Boards::new(), false)
    }

    fn build(&self, id: &str, boards: Boards, makes: bool) -> Result<Tree<C>, LoadError> {
        let mut builder =
            Builder { factory: self, entries: Vec::new(), boards, open: Vec::new(), depth: 0, makes };
        builder.tree(id, 0, "")?;
        Ok(Tree::new(builder.entries, builder.boards, Arc::new(self.names.clone())))
    }
}

struct Builder<'a, C> {
    factory: &'a Factory<C>,
    entries: Vec<Entry<C>>,
    boards: Boards,
    /// The trees that are being made, each within the one before.
    open: Vec<String>,
    /// How many nodes are above the one that is being made.
    depth: usize,
    /// Whether nodes are made that can do something.
    makes: bool,
}

/// The ports of a node.
struct Ports {
    kind: NodeKind,
    manifest: Arc<[Port]>,
    /// Their texts, as the XML sets them, or the defaults.
    set: Vec<(String, String)>,
}

impl<C: 'static> Builder<'_, C> {
    fn tree(&mut self, id: &str, board: BoardId, prefix: &str) -> Result<usize, LoadError> {
        let root = self.factory.trees.get(id);
        let root = root.ok_or_else(|| LoadError::Other(format!("Can't find a tree with name: {id}")))?;
        if self.open.iter().any(|open| open == id) {
            let text = "references itself (directly or indirectly)";
            return Err(LoadError::Other(format!(
                "Recursive behavior tree cycle detected: tree '{id}' {text}"
            )));
        }
        self.open.push(id.into());
        let place = self.element(root, board, prefix);
        self.open.pop();
        place
    }

    fn element(&mut self, element: &Element, board: BoardId, prefix: &str) -> Result<usize, LoadError> {
        if self.depth >= DEEPEST {
            return Err(LoadError::at(element.line, format!("nodes may be nested {DEEPEST} times at most")));
        }
        self.depth += 1;
        let place = self.nested(element, board, prefix);
        self.depth -= 1;
        place
    }

    fn nested(&mut self, element: &Element, board: BoardId, prefix: &str) -> Result<usize, LoadError> {
        if self.entries.len() >= MOST {
            return Err(LoadError::at(element.line, format!("a tree may have {MOST} nodes at most")));
        }
        let place = self.entries.len();
        let hooks = hooks(element)?;
        let Ports { kind, manifest, set } = match element.is_subtree {
            true => Ports { kind: NodeKind::SubTree, manifest: Arc::from([]), set: Vec::new() },
            false => self.ports(element, board)?,
        };
        let uid = u16::try_from(place + 1).unwrap_or(u16::MAX);
        let name = element.name.clone().unwrap_or_else(|| element.id.clone());
        let number = if name == element.id { format!("::{uid}") } else { String::new() };
        let info = NodeInfo {
            path: format!("{prefix}{name}{number}"),
            name,
            id: element.id.clone(),
            kind,
            uid,
            children: Vec::new(),
            ports: set,
            line: element.line,
            board,
        };
        let path = info.path.clone();
        let making = Making { info: &info, boards: &self.boards };
        let behavior = match self.factory.registry.nodes.get(&element.id).filter(|_| !element.is_subtree) {
            Some(_) if !self.makes => leaf(|_| Err("the tree was only checked".into())),
            Some(node) => (node.make)(&making).map_err(|text| LoadError::at(element.line, text))?,
            None => builtin::subtree(),
        };
        let status = Status::Idle;
        self.entries.push(Entry { info, manifest, hooks, status, behavior: Some(behavior) });
        let children = match element.is_subtree {
            true => vec![self.subtree(element, board, &format!("{path}/"))?],
            false => {
                let children = element.children.iter().map(|child| self.element(child, board, prefix));
                children.collect::<Result<_, _>>()?
            }
        };
        self.entries[place].info.children = children;
        Ok(place)
    }

    /// Returns the ports of a node.
    fn ports(&mut self, element: &Element, board: BoardId) -> Result<Ports, LoadError> {
        let wrong = |text: String| LoadError::at(element.line, text);
        let node = self.factory.registry.nodes.get(&element.id);
        let node = node.ok_or_else(|| wrong(format!("Node not recognized: {}", element.id)))?;
        let mut ports: Vec<(String, String)> = Vec::new();
        for (name, text) in element.attributes.iter().filter(|(name, _)| is_port_name(name)) {
            if !node.ports.iter().any(|port| port.name == name) {
                return Err(wrong(format!(
                    "a port with name [{name}] is found in the XML (<{}>, line {}) but not in the providedPorts() of its \
                     registered node type.",
                    element.id, element.line
                )));
            }
            ports.push((name.clone(), text.clone()));
        }
        for port in node.ports.iter() {
            let is_missing = !ports.iter().any(|(name, _)| name == port.name);
            let usable = |default: &&str| port.direction != Direction::Output || default.starts_with('{');
            if let Some(default) = port.default.filter(|default| is_missing && usable(default)) {
                ports.push((port.name.into(), default.into()));
            }
        }
        for port in node.ports.iter() {
            let Some((_, text)) = ports.iter().find(|(name, _)| name == port.name) else { continue };
            self.check_port(port, text, board).map_err(wrong)?;
        }
        Ok(Ports { kind: node.kind, manifest: node.ports.clone(), set: ports })
    }

    /// Makes the entry to which a port points, or checks that its text can be converted.
    fn check_port(&mut self, port: &Port, text: &str, board: BoardId) -> Result<(), String> {
        if let Some(key) = pointer(port.name, text) {
            return self.boards.declare(board, key, port.kind);
        }
        let is_open = matches!(port.kind, Kind::Object { parse: None, .. }) || text.is_empty();
        if port.direction == Direction::Output || is_open {
            return Ok(());
        }
        port.kind.read(text).map(|_| ()).map_err(|_| {
            let (name, kind) = (port.name, port.kind.name());
            format!("The port with name \"{name}\" and value \"{text}\" can not be converted to {kind}")
        })
    }

    /// Makes the tree of a subtree, with a blackboard of its own.
    fn subtree(&mut self, element: &Element, parent: BoardId, prefix: &str) -> Result<usize, LoadError> {
        let attribute = |wanted: &str| {
            element.attributes.iter().find(|(name, _)| name == wanted).map(|(_, text)| text.as_str())
        };
        let is_open =
            attribute("_autoremap").is_some_and(|text| matches!(text, "1" | "true" | "True" | "TRUE"));
        let board = self.boards.add(parent, is_open);
        let mut ports: Vec<(&str, &str)> = element
            .attributes
            .iter()
            .filter(|(name, _)| is_port_name(name))
            .map(|(name, text)| (name.as_str(), text.as_str()))
            .collect();
        for port in self.factory.models.get(&element.id).into_iter().flatten() {
            if ports.iter().any(|(name, _)| *name == port.name) || is_open {
                continue;
            }
            let Some(default) = &port.default else {
                return Err(LoadError::at(
                    element.line,
                    format!(
                        "In the <TreeNodesModel> the <Subtree ID=\"{}\"> is defining a mandatory port called [{}], but you are \
                         not remapping it",
                        element.id, port.name
                    ),
                ));
            };
            ports.push((&port.name, default));
        }
        for (name, text) in ports {
            match pointer(name, text) {
                Some(key) => self.boards.remap(board, name, key),
                None => self.boards.set_own(board, name, literal(text)),
            }
        }
        self.tree(&element.id, board, prefix)
    }
}

/// Returns a text as a number, if it is one.
fn literal(text: &str) -> Value {
    if let Ok(number) = text.parse::<i64>() {
        return Value::Integer(number);
    }
    let is_number = text.starts_with(|char: char| char.is_ascii_digit() || "+-.".contains(char));
    match text.parse::<f64>() {
        Ok(number) if is_number => Value::Double(number),
        _ => Value::text(text),
    }
}

fn is_port_name(name: &str) -> bool {
    name.starts_with(|char: char| char.is_ascii_alphabetic()) && !HOOKS.contains(&name)
}

fn hooks(element: &Element) -> Result<Hooks, LoadError> {
    let script = |wanted: &str| {
        let text = element.attributes.iter().find(|(name, _)| name == wanted).map(|(_, text)| text);
        let Some(text) = text else { return Ok(None) };
        let wrong = |error| LoadError::at(element.line, format!("Error in the script \"{text}\"\n{error}"));
        Script::parse(text).map(Some).map_err(wrong)
    };
    let [failure_if, success_if, skip_if, while_true, on_success, on_failure, on_halted, post] =
        HOOKS.map(script);
    Ok(Hooks {
        failure_if: failure_if?,
        success_if: success_if?,
        skip_if: skip_if?,
        while_true: while_true?,
        on_success: on_success?,
        on_failure: on_failure?,
        on_halted: on_halted?,
        post: post?,
    })
}
