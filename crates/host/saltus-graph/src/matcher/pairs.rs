//! The endpoints with which an endpoint of this process is paired.

use saltus_types::LossCause;

use crate::entity::{EndpointId, EndpointInfo};

/// The relation of an endpoint of this process to another endpoint.
#[derive(Clone, Debug)]
pub(super) enum Pair {
    Connected,
    /// Connecting failed. It is tried again.
    Failed(Box<EndpointInfo>),
    Mismatched(LossCause),
}

/// The pairs of an endpoint. In a graph of a thousand topics most endpoints have one pair, for which a hash table
/// would take five times the memory.
///
/// **Invariant:** the list is sorted by the other endpoint, and contains each other endpoint once.
#[derive(Debug, Default)]
pub(super) struct Pairs(Vec<(EndpointId, Pair)>);

impl Pairs {
    fn find(&self, other: EndpointId) -> Result<usize, usize> {
        self.0.binary_search_by_key(&other, |(id, _)| *id)
    }

    pub(super) fn get(&self, other: EndpointId) -> Option<&Pair> {
        self.find(other).ok().map(|index| &self.0[index].1)
    }

    /// Adds or replaces the pair with another endpoint. Returns the replaced pair.
    pub(super) fn insert(&mut self, other: EndpointId, pair: Pair) -> Option<Pair> {
        match self.find(other) {
            Ok(index) => Some(std::mem::replace(&mut self.0[index].1, pair)),
            Err(index) => {
                if self.0.is_empty() {
                    self.0.reserve_exact(1);
                }
                self.0.insert(index, (other, pair));
                None
            }
        }
    }

    pub(super) fn remove(&mut self, other: EndpointId) -> Option<Pair> {
        self.find(other).ok().map(|index| self.0.remove(index).1)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &(EndpointId, Pair)> {
        self.0.iter()
    }
}
