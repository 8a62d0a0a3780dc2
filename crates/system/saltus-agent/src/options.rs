//! The options of an agent: its transports, with the limits for their clients.

use std::{net::SocketAddr, path::PathBuf};

use saltus_xrce::{AgentConfig, Profiles};

use crate::transport::serial::DEFAULT_SPEED;

/// A transport of an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TransportOptions {
    /// UDP: each datagram is a message.
    Udp {
        /// The address to listen on.
        address: SocketAddr,
        /// The port for clients that look for an agent by multicast; `None` for no discovery.
        discovery_port: Option<u16>,
    },
    /// TCP.
    Tcp {
        /// The address to listen on.
        address: SocketAddr,
    },
    /// Serial lines.
    Serial {
        /// The devices. Those that are missing are opened when they appear.
        devices: Vec<PathBuf>,
        /// The speed in baud.
        baud: u32,
    },
    /// A pseudo-terminal that the agent creates.
    PseudoTerminal,
    /// A CAN-FD interface of the system, such as `can0`.
    Can {
        /// The name of the interface.
        interface: String,
    },
    /// A CAN-FD bus that another program provides on a socket of the type SOCK_SEQPACKET. A packet is a frame in the
    /// form of Linux's `struct canfd_frame`.
    CanSocket {
        /// The path of the socket.
        path: PathBuf,
    },
}

impl TransportOptions {
    /// The speed of serial lines if none is given, in baud.
    pub const DEFAULT_BAUD: u32 = DEFAULT_SPEED;
    /// The port for clients that look for an agent, if none is given.
    pub const DEFAULT_DISCOVERY_PORT: u16 = 7400;
}

/// A transport, with the limits and the profiles for its clients.
#[derive(Clone, Debug)]
pub struct Served {
    /// The transport.
    pub transport: TransportOptions,
    /// Limits and times.
    pub config: AgentConfig,
    /// The objects that clients can create by the name of a profile.
    pub profiles: Profiles,
}

impl From<TransportOptions> for Served {
    /// Serves the clients of a transport with the default limits and times.
    fn from(transport: TransportOptions) -> Self {
        Self { transport, config: AgentConfig::default(), profiles: Profiles::default() }
    }
}

/// The options of an agent.
#[derive(Clone, Debug, Default)]
pub struct AgentOptions {
    /// The transports. Each has a thread of its own.
    pub transports: Vec<Served>,
    /// The folder of the domains' files. The default is the value of `SALTUS_SHM_DIR`.
    pub folder: Option<PathBuf>,
    /// Whether Ctrl-C leaves the agent alone. Then only a [`Stopper`](crate::Stopper) ends it.
    pub ignores_signals: bool,
}
