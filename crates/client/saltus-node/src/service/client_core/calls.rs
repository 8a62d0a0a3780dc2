//! The outstanding calls of a client, and the requests that wait for room in a queue.

use std::{
    collections::{HashMap, VecDeque},
    sync::Arc,
};

use saltus_host::{Loan, Sample};

use crate::service::call_state::{CallError, CallState};

/// A callback for a response.
pub(super) type OnResponse = Box<dyn FnOnce(Result<Sample, CallError>) + Send>;

/// The destination of a response.
pub(in crate::service) enum Slot {
    State(Arc<CallState>),
    Callback(OnResponse),
    /// The call was cancelled. Its response may still come, and is discarded.
    Cancelled,
}

/// A request that waits for room in a queue.
pub(super) struct Unsent {
    pub(super) loan: Loan,
    pub(super) len: usize,
    pub(super) slot: Slot,
}

/// A request that was sent, with its contents if its introspection event includes them.
pub(super) struct Sent {
    pub(super) sequence: u64,
    pub(super) contents: Option<Vec<u8>>,
}

/// The requests that were sent after they had waited for room, and those that could not be sent.
#[derive(Default)]
pub(super) struct Resumed {
    pub(super) sent: Vec<Sent>,
    pub(super) failed: Vec<(Slot, CallError)>,
}

/// The outstanding calls of a client.
#[derive(Default)]
pub(super) struct Calls {
    /// The calls whose request was sent, by the sequence number of the request.
    pub(super) pending: HashMap<u64, Slot>,
    /// The requests that wait for room, in the order of the calls.
    pub(super) unsent: VecDeque<Unsent>,
    /// The sequence number of the last request that was sent.
    pub(super) last: u64,
    /// The callbacks that an executor must run, with their results.
    pub(super) ready: VecDeque<(OnResponse, Result<Sample, CallError>)>,
    pub(super) duplicate_responses: u64,
}
