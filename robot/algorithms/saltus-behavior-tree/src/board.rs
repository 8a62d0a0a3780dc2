//! Blackboards.

use std::collections::BTreeMap;

use crate::{error::ElementProblem, port::Kind, value::Value};

/// A blackboard of a tree: that of the root is 0.
pub type BoardId = usize;

/// The blackboards of a tree. Each subtree has its own.
#[derive(Debug)]
pub struct Boards(Vec<Board>);

impl Default for Boards {
    fn default() -> Self {
        Self::new()
    }
}

#[derive(Debug, Default)]
struct Board {
    parent: Option<BoardId>,
    /// The keys that stand for keys of the parent, and those keys.
    remap: BTreeMap<String, String>,
    /// Whether all other keys are keys of the parent with the same names.
    is_open: bool,
    entries: BTreeMap<String, Entry>,
}

#[derive(Clone, Debug, Default)]
struct Entry {
    value: Option<Value>,
    kind: Kind,
    /// The number of times that it was set.
    sequence: u64,
}

impl Boards {
    /// Returns the blackboard of a root.
    pub fn new() -> Self {
        Self(vec![Board::default()])
    }

    /// Adds the blackboard of a subtree.
    pub(crate) fn add(&mut self, parent: BoardId, is_open: bool) -> BoardId {
        self.0.push(Board { parent: Some(parent), is_open, ..Board::default() });
        self.0.len() - 1
    }

    /// Lets a key stand for a key of the parent.
    pub(crate) fn remap(&mut self, board: BoardId, key: &str, parent_key: &str) {
        self.0[board].remap.insert(key.into(), parent_key.into());
    }

    /// Returns the blackboard and the key that a key stands for.
    fn resolve<'a>(&'a self, board: BoardId, key: &'a str) -> (BoardId, &'a str) {
        let (mut board, mut key) = (board, key);
        loop {
            if let Some(key) = key.strip_prefix('@') {
                return (0, key);
            }
            let Some(parent) = self.0[board].parent else { break };
            if self.0[board].entries.contains_key(key) {
                break;
            }
            if let Some(other) = self.0[board].remap.get(key) {
                (board, key) = (parent, other);
            } else if self.0[board].is_open && !key.starts_with('_') {
                board = parent;
            } else {
                break;
            }
        }
        (board, key)
    }

    fn entry(&self, board: BoardId, key: &str) -> Option<&Entry> {
        let (board, key) = self.resolve(board, key);
        self.0[board].entries.get(key)
    }

    fn entry_mut(&mut self, board: BoardId, key: &str) -> &mut Entry {
        let (board, key) = self.resolve(board, key);
        let key = key.to_owned();
        self.0[board].entries.entry(key).or_default()
    }

    /// Creates an entry for a port. Returns an error if there is an entry of another type.
    pub(crate) fn declare(&mut self, board: BoardId, key: &str, kind: Kind) -> Result<(), ElementProblem> {
        let entry = self.entry_mut(board, key);
        if !entry.kind.fits(&kind) {
            let (before, after) = (entry.kind.name(), kind.name());
            return Err(ElementProblem::EntryType { key: key.to_owned(), before, after });
        }
        if matches!(entry.kind, Kind::Any) {
            entry.kind = kind;
        }
        Ok(())
    }

    /// Returns a value, if it was set.
    pub fn get(&self, board: BoardId, key: &str) -> Option<&Value> {
        self.entry(board, key)?.value.as_ref()
    }

    /// Whether there is an entry, with a value or without.
    pub fn contains(&self, board: BoardId, key: &str) -> bool {
        self.entry(board, key).is_some()
    }

    /// Returns the number of times that a value was set.
    pub fn sequence(&self, board: BoardId, key: &str) -> Option<u64> {
        Some(self.entry(board, key)?.sequence)
    }

    /// Returns the kind of values of an entry.
    pub(crate) fn kind(&self, board: BoardId, key: &str) -> Kind {
        self.entry(board, key).map_or(Kind::Any, |entry| entry.kind)
    }

    /// Sets a value.
    pub fn set(&mut self, board: BoardId, key: &str, value: Value) {
        let entry = self.entry_mut(board, key);
        entry.value = Some(value);
        entry.sequence += 1;
    }

    /// Sets a value of a blackboard itself, also if the key stands for a key of the parent.
    pub(crate) fn set_own(&mut self, board: BoardId, key: &str, value: Value) {
        let entry = self.0[board].entries.entry(key.into()).or_default();
        entry.value = Some(value);
        entry.sequence += 1;
    }

    /// Removes an entry of a blackboard itself.
    pub fn remove(&mut self, board: BoardId, key: &str) {
        self.0[board].entries.remove(key);
    }

    /// Returns the keys and the values of a blackboard itself.
    pub fn entries(&self, board: BoardId) -> impl Iterator<Item = (&str, Option<&Value>)> {
        self.0[board].entries.iter().map(|(key, entry)| (key.as_str(), entry.value.as_ref()))
    }
}
