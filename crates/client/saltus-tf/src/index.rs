//! The frames, by their names.

use std::{collections::HashMap, sync::Arc};

use arc_swap::ArcSwapOption;

use crate::{history::Ring, transform::Transform};

/// The number of a frame. It stays the same.
pub(crate) type Id = u32;

/// All frames. A new frame makes a new index, so that readers never wait.
#[derive(Clone, Debug, Default)]
pub(crate) struct Index {
    ids: HashMap<Arc<str>, Id>,
    frames: Vec<Arc<Frame>>,
}

/// A frame.
#[derive(Debug)]
pub(crate) struct Frame {
    pub(crate) name: Arc<str>,
    /// `None` if it has no parent.
    pub(crate) edge: ArcSwapOption<Edge>,
}

/// The transforms of a frame to its parent.
#[derive(Debug)]
pub(crate) struct Edge {
    pub(crate) parent: Id,
    pub(crate) kind: EdgeKind,
}

#[derive(Debug)]
pub(crate) enum EdgeKind {
    /// A transform that never changes.
    Static(Transform),
    /// The transforms over time.
    Moving(Ring),
}

impl Index {
    pub(crate) fn id(&self, name: &str) -> Option<Id> {
        self.ids.get(name).copied()
    }

    pub(crate) fn frame(&self, id: Id) -> &Frame {
        &self.frames[id as usize]
    }

    /// Whether there is a frame with this number. A parent may have been added after this index was read.
    pub(crate) fn has(&self, id: Id) -> bool {
        (id as usize) < self.frames.len()
    }

    /// Returns all frames.
    pub(crate) fn frames(&self) -> &[Arc<Frame>] {
        &self.frames
    }

    /// Adds a frame. Returns its number.
    pub(crate) fn add(&mut self, name: &str) -> Id {
        let id = self.frames.len() as Id;
        let name: Arc<str> = name.into();
        self.ids.insert(name.clone(), id);
        self.frames.push(Arc::new(Frame { name, edge: ArcSwapOption::empty() }));
        id
    }
}
