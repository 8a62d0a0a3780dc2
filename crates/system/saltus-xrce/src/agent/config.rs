//! Limits and times of an agent.

use crate::payload::{AgentVersion, Locator};

/// Limits and times of an agent. All times are in nanoseconds.
#[derive(Clone, Debug)]
pub struct AgentConfig {
    /// The number of clients. When another client comes, the client that has been silent for the longest time is
    /// forgotten; if all clients are there, the new one is refused.
    pub max_clients: usize,
    /// The number of objects of a client.
    pub max_objects: usize,
    /// The number of streams of a client, of each kind and in each direction.
    pub max_streams: usize,
    /// The number of messages that a client may send in a second; `None` for no limit. A reliable message beyond the
    /// limit is not acknowledged, so the client sends it again. A best-effort message is lost.
    pub max_messages_per_second: Option<u32>,
    /// The longest submessage that a client may send in fragments, in bytes.
    pub largest_message: usize,
    /// The number of messages of a reliable stream that are accepted in advance.
    pub receive_history: usize,
    /// The number of messages of a reliable stream to a client that are kept.
    pub send_history: usize,
    /// The number of messages of a reliable stream that a client can receive in advance, if it does not report one.
    pub client_history: usize,
    /// The time after which a client that has not acknowledged a message is asked for that.
    pub heartbeat: u64,
    /// The longest time that data of a reliable stream wait for room in the graph. Later they are lost, and counted.
    pub longest_hold: u64,
    /// The time of silence after which a client is asked whether it is there, if it does not report one.
    pub lease: u64,
    /// The time between two such questions.
    pub probe_period: u64,
    /// The number of unanswered questions after which a client counts as gone.
    pub probes: u32,
    /// The longest message of an agent to a client, in bytes, whatever the client says.
    pub mtu: usize,
    /// The version that the agent reports to a client that asks for it.
    pub version: AgentVersion,
    /// The addresses that the agent reports to a client that asks for them.
    pub locators: Vec<Locator>,
}

impl Default for AgentConfig {
    fn default() -> Self {
        Self {
            max_clients: 4096,
            max_objects: 512,
            max_streams: 4,
            max_messages_per_second: None,
            largest_message: 1 << 20,
            receive_history: 16,
            send_history: 64,
            client_history: 4,
            heartbeat: 100_000_000,
            longest_hold: 1_000_000_000,
            lease: 10_000_000_000,
            probe_period: 200_000_000,
            probes: 3,
            mtu: 65_507,
            version: AgentVersion::OWN,
            locators: Vec::new(),
        }
    }
}
