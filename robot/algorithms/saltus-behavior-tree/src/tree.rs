//! A tree, its ticks, and the interface of a node to its tree.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use crate::{
    board::{BoardId, Boards},
    error::{Location, NodeError, NodeProblem, TickError},
    port::{Kind, Port, pointer},
    script::{Names, Scope, Script},
    status::{NodeKind, Status},
    value::{FromValue, Value},
};

type Outcome = Result<Status, TickError>;

/// The behavior of a node.
pub trait Behavior<C>: Send {
    /// Does the work of a tick, and returns the status.
    ///
    /// # Errors
    ///
    /// Returns an error if the node can't work at all. The whole tree has no status then.
    fn tick(&mut self, tick: &mut Tick<'_, C>) -> Outcome;

    /// Stops the work. The tree halts the children.
    fn halt(&mut self, _tick: &mut Tick<'_, C>) {}
}

/// The kind of a node.
#[derive(Clone, Debug)]
pub struct NodeInfo {
    /// The name of this node.
    pub name: String,
    /// The name under which it is registered; the name of the tree if it is a subtree.
    pub id: String,
    /// The kind of node.
    pub kind: NodeKind,
    /// Its number in the tree, from 1 on.
    pub uid: u16,
    /// The indices of its children in [`Tree::nodes`].
    pub children: Vec<usize>,
    /// Its ports, as the XML sets them.
    pub ports: Vec<(String, String)>,
    /// The location of its element.
    pub location: Location,
    pub(crate) path: String,
    pub(crate) board: BoardId,
}

/// The conditions and assignments around the ticks of a node.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hooks {
    pub(crate) failure_if: Option<Script>,
    pub(crate) success_if: Option<Script>,
    pub(crate) skip_if: Option<Script>,
    pub(crate) while_true: Option<Script>,
    pub(crate) on_success: Option<Script>,
    pub(crate) on_failure: Option<Script>,
    pub(crate) on_halted: Option<Script>,
    pub(crate) post: Option<Script>,
}

pub(crate) struct Entry<C> {
    pub(crate) info: NodeInfo,
    pub(crate) manifest: Arc<[Port]>,
    pub(crate) hooks: Hooks,
    pub(crate) status: Status,
    /// `None` while the node is ticked.
    pub(crate) behavior: Option<Box<dyn Behavior<C>>>,
}

/// A status of a node that has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The number of the node.
    pub uid: u16,
    /// The name of the node.
    pub name: String,
    /// The status before.
    pub before: Status,
    /// The status now.
    pub after: Status,
    /// The time of the tick.
    pub time: Duration,
}

/// A behavior tree.
pub struct Tree<C> {
    pub(crate) entries: Vec<Entry<C>>,
    pub(crate) boards: Boards,
    pub(crate) names: Arc<Names>,
    changes: VecDeque<Change>,
    is_woken: bool,
    now: Duration,
    /// The first error of a script that ran because a node was halted.
    halt_error: Option<TickError>,
}

/// The largest number of changes that are kept.
const MOST_CHANGES: usize = 10_000;
/// The largest number of times that a tree is ticked at once. A node may request it each time.
const MOST_WAKES: usize = 1000;

/// The index of the root.
pub(crate) const ROOT: usize = 0;

impl<C> Tree<C> {
    pub(crate) fn new(entries: Vec<Entry<C>>, boards: Boards, names: Arc<Names>) -> Self {
        Self {
            entries,
            boards,
            names,
            changes: VecDeque::new(),
            is_woken: false,
            now: Duration::ZERO,
            halt_error: None,
        }
    }

    /// Returns all nodes. The first one is the root, and each is before its children.
    pub fn nodes(&self) -> impl Iterator<Item = &NodeInfo> {
        self.entries.iter().map(|entry| &entry.info)
    }

    /// Returns the status of a node, by its index in [`nodes`](Self::nodes).
    pub fn status(&self, index: usize) -> Status {
        self.entries[index].status
    }

    /// Returns the blackboards.
    pub fn boards(&self) -> &Boards {
        &self.boards
    }

    /// Returns the blackboards, to set values.
    pub fn boards_mut(&mut self) -> &mut Boards {
        &mut self.boards
    }

    /// Returns the changes of statuses since the last call, the oldest first. If there were more than 10,000, the oldest are dropped.
    pub fn take_changes(&mut self) -> Vec<Change> {
        self.changes.drain(..).collect()
    }

    /// Ticks the tree at a time since any start. Ticks it again while nodes request that, but at most 1000 times.
    ///
    /// # Errors
    ///
    /// Returns an error if a node can't work at all.
    pub fn tick(&mut self, context: &mut C, now: Duration) -> Outcome {
        self.now = now;
        for _ in 0..MOST_WAKES {
            self.is_woken = false;
            let status = self.execute(ROOT, context)?;
            self.halt_error.take().map_or(Ok(()), Err)?;
            if status != Status::Running || !self.is_woken {
                if status.is_completed() {
                    self.set_status(ROOT, Status::Idle);
                }
                return Ok(status);
            }
        }
        Ok(Status::Running)
    }

    /// Halts all nodes.
    ///
    /// # Errors
    ///
    /// Returns an error if a script that runs when a node is halted has failed. The nodes are halted nevertheless.
    pub fn halt(&mut self, context: &mut C, now: Duration) -> Result<(), TickError> {
        self.now = now;
        self.halt_node(ROOT, context);
        // Nodes that do not run are halted, too, so that they reset their state.
        (0..self.entries.len()).for_each(|index| self.halt_node(index, context));
        self.halt_error.take().map_or(Ok(()), Err)
    }

    fn set_status(&mut self, index: usize, status: Status) {
        let entry = &mut self.entries[index];
        let before = std::mem::replace(&mut entry.status, status);
        if before != status {
            if self.changes.len() == MOST_CHANGES {
                self.changes.pop_front();
            }
            self.changes.push_back(Change {
                uid: entry.info.uid,
                name: entry.info.name.clone(),
                before,
                after: status,
                time: self.now,
            });
        }
    }

    /// Returns the error of a node.
    fn failed(&self, index: usize, problem: NodeProblem) -> TickError {
        let NodeInfo { path, location, .. } = &self.entries[index].info;
        TickError::Node(Box::new(NodeError { path: path.clone(), location: location.clone(), problem }))
    }

    fn scope(&mut self, index: usize) -> (&Hooks, Scope<'_>) {
        let entry = &self.entries[index];
        let board = entry.info.board;
        (&entry.hooks, Scope { boards: &mut self.boards, board, names: &self.names })
    }

    /// Runs a script around the ticks of a node, if there is one. Returns whether its value is true.
    fn hook(
        &mut self,
        index: usize,
        which: fn(&Hooks) -> &Option<Script>,
    ) -> Result<Option<bool>, TickError> {
        let (hooks, mut scope) = self.scope(index);
        let Some(script) = which(hooks) else { return Ok(None) };
        let result = script.is_true(&mut scope).map(Some);
        result.map_err(|problem| self.failed(index, problem))
    }

    /// Runs an assignment after a tick of a node, if there is one.
    fn assign(&mut self, index: usize, which: fn(&Hooks) -> &Option<Script>) -> Result<(), TickError> {
        let (hooks, mut scope) = self.scope(index);
        let Some(script) = which(hooks) else { return Ok(()) };
        let result = script.run(&mut scope).map(|_| ());
        result.map_err(|problem| self.failed(index, problem))
    }

    /// Returns the status that the conditions of a node determine, if they do.
    fn precondition(&mut self, index: usize, context: &mut C) -> Result<Option<Status>, TickError> {
        let status = self.entries[index].status;
        if status == Status::Running {
            if self.hook(index, |hooks| &hooks.while_true)? == Some(false) {
                self.halt_node(index, context);
                return Ok(Some(Status::Skipped));
            }
            return Ok(None);
        }
        if status.is_active() {
            return Ok(None);
        }
        if self.hook(index, |hooks| &hooks.failure_if)? == Some(true) {
            return Ok(Some(Status::Failure));
        }
        if self.hook(index, |hooks| &hooks.success_if)? == Some(true) {
            return Ok(Some(Status::Success));
        }
        let is_skipped = self.hook(index, |hooks| &hooks.skip_if)? == Some(true)
            || self.hook(index, |hooks| &hooks.while_true)? == Some(false);
        Ok(is_skipped.then_some(Status::Skipped))
    }

    /// Ticks a node.
    fn execute(&mut self, index: usize, context: &mut C) -> Outcome {
        let status = match self.precondition(index, context)? {
            Some(status) => status,
            None => {
                let mut behavior = self.entries[index]
                    .behavior
                    .take()
                    .ok_or_else(|| self.failed(index, NodeProblem::Recursion))?;
                let result = behavior.tick(&mut Tick { context, tree: self, index });
                self.entries[index].behavior = Some(behavior);
                result.map_err(|error| match error {
                    TickError::Node(_) => error,
                    TickError::Problem(problem) => self.failed(index, problem),
                })?
            }
        };
        if status == Status::Idle {
            return Err(self.failed(index, NodeProblem::Idle));
        }
        if status.is_completed() {
            match status {
                Status::Success => self.assign(index, |hooks| &hooks.on_success)?,
                _ => self.assign(index, |hooks| &hooks.on_failure)?,
            }
            self.assign(index, |hooks| &hooks.post)?;
        }
        if status != Status::Skipped {
            self.set_status(index, status);
        }
        Ok(status)
    }

    /// Halts a node and its children.
    fn halt_node(&mut self, index: usize, context: &mut C) {
        for child in self.entries[index].info.children.clone() {
            self.reset_child(child, context);
        }
        if let Some(mut behavior) = self.entries[index].behavior.take() {
            behavior.halt(&mut Tick { context, tree: self, index });
            self.entries[index].behavior = Some(behavior);
        }
        if let Err(error) = self.assign(index, |hooks| &hooks.on_halted) {
            self.halt_error.get_or_insert(error);
        }
        self.set_status(index, Status::Idle);
    }

    /// Halts a node if it runs, and resets its status.
    fn reset_child(&mut self, index: usize, context: &mut C) {
        if self.entries[index].status == Status::Running {
            self.halt_node(index, context);
        }
        self.set_status(index, Status::Idle);
    }
}

/// The interface of a node to its tree, while it is ticked or halted.
pub struct Tick<'a, C> {
    /// The context, which the user of the tree gives to all nodes.
    pub context: &'a mut C,
    tree: &'a mut Tree<C>,
    index: usize,
}

impl<C> Tick<'_, C> {
    /// Returns the description of the node.
    pub fn info(&self) -> &NodeInfo {
        &self.tree.entries[self.index].info
    }

    /// Returns the time of the tick, since any start.
    pub fn now(&self) -> Duration {
        self.tree.now
    }

    /// Returns the time that has passed since `since`. If the clock was set back, `since` becomes the current time.
    pub fn passed(&self, since: &mut Duration) -> Duration {
        let now = self.now();
        *since = (*since).min(now);
        now - *since
    }

    /// Returns the status of the node: that of its last tick, or idle.
    pub fn status(&self) -> Status {
        self.tree.entries[self.index].status
    }

    /// Returns the number of children.
    pub fn children(&self) -> usize {
        self.info().children.len()
    }

    /// Returns the status of a child, from 0 on.
    pub fn child_status(&self, child: usize) -> Status {
        self.tree.entries[self.info().children[child]].status
    }

    /// Ticks a child.
    ///
    /// # Errors
    ///
    /// Returns an error if it, or a node below it, can't work at all.
    pub fn tick_child(&mut self, child: usize) -> Outcome {
        let index = self.info().children[child];
        self.tree.execute(index, self.context)
    }

    /// Halts a child if it runs, and resets its status.
    pub fn halt_child(&mut self, child: usize) {
        let index = self.info().children[child];
        self.tree.reset_child(index, self.context);
    }

    /// Halts all children from one on.
    pub fn halt_children(&mut self, from: usize) {
        (from..self.children()).for_each(|child| self.halt_child(child));
    }

    /// Lets the tree be ticked again at once.
    pub fn wake(&mut self) {
        self.tree.is_woken = true;
    }

    /// Returns the blackboards, and that of the node.
    pub fn boards(&mut self) -> (&mut Boards, BoardId) {
        let board = self.info().board;
        (&mut self.tree.boards, board)
    }

    /// Returns a value of the node's blackboard.
    pub fn board_value(&self, key: &str) -> Option<&Value> {
        self.tree.boards.get(self.info().board, key)
    }

    /// Returns the text of a port in the XML, if it is there.
    fn text(&self, port: &str) -> Option<&str> {
        let ports = &self.info().ports;
        ports.iter().find(|(name, _)| name == port).map(|(_, text)| text.as_str())
    }

    /// Returns the key of the blackboard to which a port points, if it does.
    pub fn key(&self, port: impl AsRef<str>) -> Option<&str> {
        let port = port.as_ref();
        self.text(port)
            .and_then(|text| pointer(port_name(&self.tree.entries[self.index].manifest, port)?, text))
    }

    /// Returns an input.
    ///
    /// # Errors
    ///
    /// Returns an error if the port has no value, or one that can't be converted.
    pub fn input<T: FromValue>(&self, port: impl AsRef<str>) -> Result<T, TickError> {
        let port = port.as_ref();
        let Some(text) = self.text(port) else {
            let (node, port) = (self.info().name.clone(), port.to_owned());
            return Err(NodeProblem::MissingInput { node, port }.into());
        };
        let entry = &self.tree.entries[self.index];
        let known = entry.manifest.iter().find(|known| known.name == port);
        let (name, kind) = known.map_or(("", Kind::Any), |port| (port.name, port.kind));
        let value = match self.key(name) {
            Some(key) => {
                let missing = || NodeProblem::MissingEntry { port: name.into(), key: key.into() };
                self.tree.boards.get(entry.info.board, key).cloned().ok_or_else(missing)?
            }
            None => Value::text(text),
        };
        // A text is converted if the port is for objects.
        let value = match (&value, kind) {
            (Value::Text(text), Kind::Object { parse: Some(parse), .. }) => parse(text)?,
            _ => value,
        };
        T::from_value(&value).map_err(|reason| NodeProblem::Input { port: name.into(), reason }.into())
    }

    /// Returns an input, if it has a value.
    ///
    /// # Errors
    ///
    /// Returns an error if the value can't be converted.
    pub fn input_if_set<T: FromValue>(&self, port: impl AsRef<str>) -> Result<Option<T>, TickError> {
        let port = port.as_ref();
        let is_set = match self.key(port) {
            Some(key) => self.board_value(key).is_some(),
            None => self.text(port).is_some_and(|text| !text.is_empty()),
        };
        if is_set { self.input(port).map(Some) } else { Ok(None) }
    }

    /// Sets an output. Nothing happens if the XML does not have the port.
    pub fn output(&mut self, port: impl AsRef<str>, value: impl Into<Value>) {
        if let Some(key) = self.key(port).map(str::to_owned) {
            let board = self.info().board;
            self.tree.boards.set(board, &key, value.into());
        }
    }

    /// Runs a script with the node's blackboard.
    pub(crate) fn run(&mut self, script: &Script) -> Result<Value, TickError> {
        let (_, mut scope) = self.tree.scope(self.index);
        Ok(script.run(&mut scope)?)
    }

    /// Runs a script with the node's blackboard, and returns whether its value is true.
    pub(crate) fn is_true(&mut self, script: &Script) -> Result<bool, TickError> {
        let (_, mut scope) = self.tree.scope(self.index);
        Ok(script.is_true(&mut scope)?)
    }

    /// Returns the value of a constant of scripts.
    pub(crate) fn named(&self, name: &str) -> Option<i64> {
        self.tree.names.get(name).copied()
    }
}

/// Returns the name of a port from the manifest, which lives as long as the program.
fn port_name(manifest: &[Port], port: &str) -> Option<&'static str> {
    manifest.iter().find(|known| known.name == port).map(|known| known.name)
}
