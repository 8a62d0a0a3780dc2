//! The factory: it creates trees of registered nodes.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use crate::{
    board::{BoardId, Boards},
    builtin,
    document::{self, Element, ModelPort, NodeModel},
    error::{ElementProblem, IncludeProblem, LoadError, Location},
    port::{Direction, Kind, Port, pointer},
    registry::{Built, NodeConfig, Registry, leaf},
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

/// A function that returns the name of a file and its text, or the reason why it can't be read. A file with the same name is read once.
pub type ReadFile<'a> = dyn FnMut(&Included<'_>) -> Result<(String, String), String> + 'a;

/// The registered nodes, and the trees that were loaded. `C` is the context of a tick.
pub struct Factory<C> {
    registry: Registry<C>,
    trees: BTreeMap<String, LoadedTree>,
    models: BTreeMap<String, Vec<ModelPort>>,
    main: Option<String>,
    names: Names,
    accepts_models: bool,
}

/// The root of a tree, and the file that has it.
struct LoadedTree {
    file: String,
    root: Element,
}

impl<C: 'static> Default for Factory<C> {
    fn default() -> Self {
        Self::new()
    }
}

/// The attributes that each node may have.
const HOOKS: [&str; 8] =
    ["_failureIf", "_successIf", "_skipIf", "_while", "_onSuccess", "_onFailure", "_onHalted", "_post"];

/// The largest number of nodes of a tree, with those of its subtrees.
const MOST: usize = 10_000;
/// The largest depth of nested nodes, with those of subtrees. Deeper nodes could use up the stack.
const DEEPEST: usize = 256;

impl<C: 'static> Factory<C> {
    /// Returns a factory with the nodes of BehaviorTree.CPP, and those nodes of Nav2 that need nothing else.
    pub fn new() -> Self {
        let mut registry = Registry::default();
        builtin::register(&mut registry);
        Self {
            registry,
            trees: BTreeMap::new(),
            models: BTreeMap::new(),
            main: None,
            names: Names::new(),
            accepts_models: false,
        }
    }

    /// Adds a node. A node with the same name is replaced.
    pub fn register(
        &mut self,
        id: &str,
        kind: NodeKind,
        ports: impl IntoIterator<Item = Port>,
        create: impl Fn(&NodeConfig<'_>) -> Built<C> + Send + Sync + 'static,
    ) {
        self.registry.register(id, kind, ports, create);
    }

    /// Makes documents that are loaded from now on add the nodes that their `TreeNodesModel` describes, unless they are registered. A
    /// program that only checks trees can so check those with the nodes of other programs. Trees with added nodes can't be created.
    pub fn accept_models(&mut self) {
        self.accepts_models = true;
    }

    /// Adds a node that is only described.
    fn register_model(&mut self, model: NodeModel) {
        // The names of ports are static, because registered nodes have them in their code.
        let port = |(name, direction, default): (String, Direction, Option<String>)| Port {
            name: name.leak(),
            direction,
            default: default.map(|text| &*text.leak()),
            ..Port::input("")
        };
        let id = model.id.clone();
        self.register(&model.id, model.kind, model.ports.into_iter().map(port), move |_| {
            Err(format!("the node {id} is only described, in <TreeNodesModel>: register it"))
        });
    }

    /// Adds a constant for scripts.
    pub fn name_number(&mut self, name: &str, number: i64) {
        self.names.insert(name.into(), number);
    }

    /// Returns the names, the kinds and the ports of all nodes.
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
    /// Returns an error if the document is wrong, or includes files.
    pub fn load(&mut self, text: &str) -> Result<(), LoadError> {
        self.load_with(text, &mut |_| Err("no files can be included here".into()))
    }

    /// Loads the trees of a document. `read` returns the files that it includes.
    ///
    /// # Errors
    ///
    /// Returns an error if a document is wrong, or if `read` fails.
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
        let kind = |id: &str| self.registry.nodes.get(id).map(|node| node.kind);
        let parts = document::parse(by, text, &kind, self.accepts_models)?;
        parts.nodes.into_iter().for_each(|model| self.register_model(model));
        for (path, package, line) in parts.includes {
            let wrong = |problem| {
                let location = Location { file: by.into(), line, tree: None, element: "include".into() };
                LoadError::Include { location: Box::new(location), path: path.clone(), problem }
            };
            let read_file = read(&Included { by, path: &path, package: package.as_deref() });
            let (name, text) = read_file.map_err(|text| wrong(IncludeProblem::Read(text)))?;
            // A file that includes itself is seen, too.
            if seen.insert(name.clone()) {
                let loaded = self.load_document(&name, &text, read, seen);
                loaded.map_err(|error| wrong(IncludeProblem::Load(Box::new(error))))?;
            }
        }
        self.main = match (&parts.main, &parts.trees[..]) {
            (Some(main), _) => Some(main.clone()),
            (None, [(only, _)]) => Some(only.clone()),
            (None, _) => None,
        };
        let loaded = |(id, root)| (id, LoadedTree { file: by.to_owned(), root });
        self.trees.extend(parts.trees.into_iter().map(loaded));
        self.models.extend(parts.models);
        Ok(())
    }

    /// Creates the main tree of the document that was loaded last.
    ///
    /// # Errors
    ///
    /// Returns an error if there is none, or if the tree can't be created.
    pub fn create_main(&self) -> Result<Tree<C>, LoadError> {
        self.create_main_with(Boards::new())
    }

    /// Creates the main tree, with values on its blackboard.
    ///
    /// # Errors
    ///
    /// See [`create_main`](Self::create_main).
    pub fn create_main_with(&self, boards: Boards) -> Result<Tree<C>, LoadError> {
        match (&self.main, self.trees.len()) {
            (Some(main), _) => self.create_with(main, boards),
            (None, 1) => match self.trees.keys().next() {
                Some(id) => self.create_with(id, boards),
                None => Err(LoadError::NoMainTree),
            },
            (None, _) => Err(LoadError::NoMainTree),
        }
    }

    /// Creates a tree.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no tree with this ID, or if it can't be created.
    pub fn create(&self, id: &str) -> Result<Tree<C>, LoadError> {
        self.create_with(id, Boards::new())
    }

    /// Creates a tree with values on its blackboard.
    ///
    /// # Errors
    ///
    /// See [`create`](Self::create).
    pub fn create_with(&self, id: &str, boards: Boards) -> Result<Tree<C>, LoadError> {
        self.build(id, boards, true)
    }

    /// Checks a tree without the behaviors of its nodes. The nodes of the returned tree can be read, but each tick of it fails.
    ///
    /// # Errors
    ///
    /// See [`create`](Self::create).
    pub fn check(&self, id: &str) -> Result<Tree<C>, LoadError> {
        self.build(id, Boards::new(), false)
    }

    fn build(&self, id: &str, boards: Boards, has_behaviors: bool) -> Result<Tree<C>, LoadError> {
        let mut builder =
            Builder { factory: self, entries: Vec::new(), boards, open: Vec::new(), depth: 0, has_behaviors };
        builder.tree(id, 0, "", None)?;
        Ok(Tree::new(builder.entries, builder.boards, Arc::new(self.names.clone())))
    }
}

struct Builder<'a, C> {
    factory: &'a Factory<C>,
    entries: Vec<Entry<C>>,
    boards: Boards,
    /// The trees that are being created. Each is a subtree of the one before.
    open: Vec<String>,
    /// The number of nodes above the one that is being created.
    depth: usize,
    /// Whether the behaviors of the nodes are created.
    has_behaviors: bool,
}

/// The ports of a node.
struct Ports {
    kind: NodeKind,
    manifest: Arc<[Port]>,
    /// Their texts, as the XML sets them, or the defaults.
    set: Vec<(String, String)>,
}

impl<C: 'static> Builder<'_, C> {
    /// Creates a tree, to which an element refers unless it is the root. Returns the index of its root.
    fn tree(
        &mut self,
        id: &str,
        board: BoardId,
        prefix: &str,
        element: Option<&Element>,
    ) -> Result<usize, LoadError> {
        let location = |builder: &Self| element.map(|element| Box::new(builder.location(element)));
        let Some(LoadedTree { root, .. }) = self.factory.trees.get(id) else {
            return Err(LoadError::UnknownTree { tree: id.into(), location: location(self) });
        };
        if self.open.iter().any(|open| open == id) {
            return Err(LoadError::Cycle { tree: id.into(), location: location(self) });
        }
        self.open.push(id.into());
        let index = self.element(root, board, prefix);
        self.open.pop();
        index
    }

    /// Returns the location of an element of the tree that is being created.
    fn location(&self, element: &Element) -> Location {
        let tree = self.open.last();
        let file = tree.and_then(|tree| self.factory.trees.get(tree)).map(|tree| tree.file.clone());
        Location {
            file: file.unwrap_or_default(),
            line: element.line,
            tree: tree.cloned(),
            element: element.id.clone(),
        }
    }

    fn element(&mut self, element: &Element, board: BoardId, prefix: &str) -> Result<usize, LoadError> {
        if self.depth >= DEEPEST {
            return Err(ElementProblem::DeepNodes(DEEPEST).into_error(self.location(element)));
        }
        self.depth += 1;
        let index = self.nested(element, board, prefix);
        self.depth -= 1;
        index
    }

    fn nested(&mut self, element: &Element, board: BoardId, prefix: &str) -> Result<usize, LoadError> {
        if self.entries.len() >= MOST {
            return Err(ElementProblem::ManyNodes(MOST).into_error(self.location(element)));
        }
        let index = self.entries.len();
        let location = self.location(element);
        let wrong = |problem: ElementProblem| problem.into_error(location.clone());
        let hooks = hooks(element).map_err(wrong)?;
        let Ports { kind, manifest, set } = match element.is_subtree {
            true => Ports { kind: NodeKind::SubTree, manifest: Arc::from([]), set: Vec::new() },
            false => self.ports(element, board).map_err(wrong)?,
        };
        let uid = u16::try_from(index + 1).unwrap_or(u16::MAX);
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
            location: location.clone(),
            board,
        };
        let path = info.path.clone();
        let config = NodeConfig { info: &info, boards: &self.boards };
        let behavior = match self.factory.registry.nodes.get(&element.id).filter(|_| !element.is_subtree) {
            Some(_) if !self.has_behaviors => leaf(|_| Err("the tree was only checked".into())),
            Some(node) => (node.create)(&config).map_err(|text| wrong(ElementProblem::Create(text)))?,
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
        self.entries[index].info.children = children;
        Ok(index)
    }

    /// Returns the ports of a node.
    fn ports(&mut self, element: &Element, board: BoardId) -> Result<Ports, ElementProblem> {
        let node = self.factory.registry.nodes.get(&element.id);
        let node = node.ok_or_else(|| ElementProblem::UnknownNode(element.id.clone()))?;
        let mut ports: Vec<(String, String)> = Vec::new();
        for (name, text) in element.attributes.iter().filter(|(name, _)| is_port_name(name)) {
            if !node.ports.iter().any(|port| port.name == name) {
                let (port, node) = (name.clone(), element.id.clone());
                return Err(ElementProblem::UnknownPort { port, node, line: element.line });
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
            self.check_port(port, text, board)?;
        }
        Ok(Ports { kind: node.kind, manifest: node.ports.clone(), set: ports })
    }

    /// Creates the entry to which a port points, or checks that its text can be converted.
    fn check_port(&mut self, port: &Port, text: &str, board: BoardId) -> Result<(), ElementProblem> {
        if let Some(key) = pointer(port.name, text) {
            return self.boards.declare(board, key, port.kind);
        }
        let is_open = matches!(port.kind, Kind::Object { parse: None, .. }) || text.is_empty();
        if port.direction == Direction::Output || is_open {
            return Ok(());
        }
        port.kind.read(text).map(|_| ()).map_err(|_| {
            let (name, kind) = (port.name.to_owned(), port.kind.name());
            ElementProblem::PortText { port: name, text: text.to_owned(), kind }
        })
    }

    /// Creates the tree of a subtree, with a blackboard of its own.
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
                let problem =
                    ElementProblem::MandatoryPort { tree: element.id.clone(), port: port.name.clone() };
                return Err(problem.into_error(self.location(element)));
            };
            ports.push((&port.name, default));
        }
        for (name, text) in ports {
            match pointer(name, text) {
                Some(key) => self.boards.remap(board, name, key),
                None => self.boards.set_own(board, name, literal(text)),
            }
        }
        self.tree(&element.id, board, prefix, Some(element))
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

fn hooks(element: &Element) -> Result<Hooks, ElementProblem> {
    let script = |wanted: &str| {
        let text = element.attributes.iter().find(|(name, _)| name == wanted).map(|(_, text)| text);
        let Some(text) = text else { return Ok(None) };
        let wrong = |error| ElementProblem::Script { script: text.clone(), error };
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
