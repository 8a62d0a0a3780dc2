//! Counts of what was received, sent and lost.

/// The counts of what an agent has exchanged with a client, and of what was lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClientCounters {
    /// Messages that came from the client.
    pub received: u64,
    /// Their bytes.
    pub received_bytes: u64,
    /// Messages that were sent to the client.
    pub sent: u64,
    /// Their bytes.
    pub sent_bytes: u64,
    /// Messages of best-effort streams that the client sent and that did not arrive, or arrived late.
    pub lost_on_link: u64,
    /// Messages of reliable streams that the client gave up before they arrived.
    pub given_up_by_client: u64,
    /// Messages that were sent to the client again.
    pub repeated: u64,
    /// Submessages that can't be read, or that are not allowed.
    pub malformed: u64,
    /// Data for an object that does not exist, or that could not be published.
    pub unusable: u64,
    /// Data from the client that is longer than the agent accepts.
    pub too_long_from_client: u64,
    /// Data for the client that is longer than it accepts.
    pub too_long_for_client: u64,
    /// Best-effort messages beyond the number that a client may send in a second.
    pub over_rate: u64,
    /// Answers that found no room, because the client does not acknowledge earlier ones.
    pub unanswered: u64,
}

/// The counts of what came from an address that belongs to no client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SourceCounters {
    /// Messages that can't be read.
    pub malformed: u64,
    /// Messages of a session that does not exist.
    pub unknown_session: u64,
}
