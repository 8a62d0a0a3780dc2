//! `saltus agent`

use std::{
    ffi::OsString,
    io::{self, Write},
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    path::PathBuf,
    time::Duration,
};

use clap::Parser;
use saltus::log::{Severity, set_logger_level};
use saltus_agent::{AgentConfig, AgentOptions, BYTES_LOGGER, MicroAgent, Profiles, Served, TransportOptions};

use saltus_verb::{error::Error, reading::seconds};

/// `saltus agent`
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    saltus agent udp4 --port 8888\n  \
    saltus agent serial --dev /dev/ttyACM0 --baudrate 921600\n  \
    saltus agent udp4 --port 8888 tcp4 --port 8888 multiserial --devs '/dev/ttyACM0 /dev/ttyACM1'\n\n\
    Several transports follow one another, each with its own options. The nodes of a device appear in the graph with the\n\
    device as their origin. `saltus doctor` prints the link, the rates and the losses of each device. A device that does\n\
    not answer leaves the graph, and its nodes come back when it is heard again.")]
pub(crate) struct Agent {
    #[command(subcommand)]
    transport: Transport,
}

/// The same command without its name, for the transports that follow the first one.
#[derive(Debug, Parser)]
#[command(name = "saltus agent")]
struct Next {
    #[command(flatten)]
    agent: Agent,
}

#[derive(Debug, clap::Subcommand)]
enum Transport {
    /// Serve clients over UDP, at all IPv4 addresses of this host
    #[command(visible_alias = "udp")]
    Udp4(Udp),
    /// Serve clients over UDP, at all IPv6 addresses of this host
    Udp6(Udp),
    /// Serve clients over TCP, at all IPv4 addresses of this host
    #[command(visible_alias = "tcp")]
    Tcp4(Tcp),
    /// Serve clients over TCP, at all IPv6 addresses of this host
    Tcp6(Tcp),
    /// Serve the clients on a serial line; a device that is missing is opened when it appears
    Serial(Serial),
    /// Serve the clients on several serial lines
    Multiserial(Multiserial),
    /// Serve the clients on a CAN-FD bus
    #[command(visible_alias = "can")]
    Canfd(Canfd),
    /// Create a pseudo-terminal, print its path, and serve the client that opens it
    #[command(visible_alias = "pty")]
    Pseudoterminal(Terminal),
}

/// Adds the default port to a `--discovery` without one. The parser would take the next transport as its value.
pub(crate) fn with_discovery_port(words: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut words: Vec<OsString> = words.collect();
    if words.get(1).is_some_and(|verb| verb == "agent") {
        for at in 2..words.len() {
            let is_flag = words[at] == "-d" || words[at] == "--discovery";
            let has_port = words.get(at + 1).and_then(|next| next.to_str()).is_some_and(is_number);
            if is_flag && !has_port {
                words[at] = format!("--discovery={}", TransportOptions::DEFAULT_DISCOVERY_PORT).into();
            }
        }
    }
    words
}

fn is_number(text: &str) -> bool {
    text.parse::<u16>().is_ok()
}

/// The options that all transports have, and the transports that follow.
#[derive(Debug, clap::Args)]
struct Common {
    /// The level of output: 0 nothing, 2 errors, 3 warnings, 4 sessions too, 5 objects and messages too, 6 the bytes of messages too
    #[arg(short, long, value_name = "LEVEL", default_value_t = 4, value_parser = clap::value_parser!(u8).range(0..=6))]
    verbose: u8,
    /// A file with the profiles of objects, in Fast DDS's XML, that clients create by reference
    #[arg(short, long, value_name = "FILE")]
    refs: Option<PathBuf>,
    /// Ask a client whether it is there after this time of silence, unless the client gives a time itself
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    lease: Duration,
    /// The number of clients
    #[arg(long, value_name = "NUMBER", default_value_t = 4096)]
    max_clients: usize,
    /// The number of messages that a client may send in a second [default: no limit]
    #[arg(long, value_name = "NUMBER")]
    max_rate: Option<u32>,
    /// The longest message that a client may send in fragments, in bytes
    #[arg(long, value_name = "BYTES", default_value_t = 1 << 20)]
    max_message_size: usize,
    /// The number of messages of a reliable stream that a client can receive in advance, unless the client tells it
    #[arg(long, value_name = "NUMBER", default_value_t = 4)]
    client_history: usize,
    /// Accepted because scripts pass it. There is only one middleware
    #[arg(short, long, hide = true, value_name = "NAME")]
    middleware: Option<String>,
    /// Other transports, with their options
    #[arg(trailing_var_arg = true, value_name = "TRANSPORT")]
    others: Vec<String>,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  saltus agent udp4 --port 8888")]
struct Udp {
    /// The port
    #[arg(short, long)]
    port: u16,
    /// Answer clients that look for an agent by multicast, on this port [default of the flag alone: 7400]
    #[arg(short, long, value_name = "PORT")]
    discovery: Option<u16>,
    #[command(flatten)]
    common: Common,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  saltus agent tcp4 --port 8888")]
struct Tcp {
    /// The port
    #[arg(short, long)]
    port: u16,
    #[command(flatten)]
    common: Common,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  saltus agent serial --dev /dev/ttyACM0 --baudrate 921600")]
struct Serial {
    /// The device
    #[arg(short = 'D', long, value_name = "DEVICE", required_unless_present = "file")]
    dev: Option<PathBuf>,
    /// A file that contains the name of the device
    #[arg(short, long, value_name = "FILE", conflicts_with = "dev")]
    file: Option<PathBuf>,
    /// The speed in baud
    #[arg(short, long, default_value_t = TransportOptions::DEFAULT_BAUD)]
    baudrate: u32,
    #[command(flatten)]
    common: Common,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  saltus agent multiserial --devs '/dev/ttyACM0 /dev/ttyACM1'")]
struct Multiserial {
    /// The devices, separated by spaces
    #[arg(short = 'D', long, value_name = "DEVICES", required_unless_present = "file")]
    devs: Option<String>,
    /// A file that contains the names of the devices, separated by spaces or line breaks
    #[arg(short, long, value_name = "FILE", conflicts_with = "devs")]
    file: Option<PathBuf>,
    /// The speed in baud
    #[arg(short, long, default_value_t = TransportOptions::DEFAULT_BAUD)]
    baudrate: u32,
    #[command(flatten)]
    common: Common,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  saltus agent canfd --dev can0")]
struct Canfd {
    /// The interface, such as can0, or the path of a socket on which another program provides a bus
    #[arg(short = 'D', long, value_name = "INTERFACE")]
    dev: String,
    #[command(flatten)]
    common: Common,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  saltus agent pseudoterminal")]
struct Terminal {
    #[command(flatten)]
    common: Common,
}

impl Agent {
    pub(crate) fn run(self) -> Result<(), Error> {
        saltus_launcher::raise_file_limit();
        let mut options = AgentOptions::default();
        let mut level = 0;
        let mut next = Some(self);
        while let Some(agent) = next.take() {
            let (transport, common) = agent.transport.into_options()?;
            level = level.max(common.verbose);
            if !common.others.is_empty() {
                let words = std::iter::once("saltus agent").chain(common.others.iter().map(String::as_str));
                next = Some(Next::parse_from(words).agent);
            }
            options.transports.push(common.serve(transport)?);
        }
        set_logger_level("agent", severity(level));
        let bytes = if level >= 6 { Severity::Debug } else { severity(level).max(Severity::Info) };
        set_logger_level(BYTES_LOGGER, bytes);
        let agent = MicroAgent::open(options)?;
        let mut out = io::stdout();
        for address in agent.addresses() {
            writeln!(out, "listening on {address}")?;
        }
        for path in agent.terminals() {
            writeln!(out, "pseudo-terminal {}", path.display())?;
        }
        out.flush()?;
        Ok(agent.run()?)
    }
}

/// Returns the level of log messages for a level of the usual agent.
fn severity(level: u8) -> Severity {
    match level {
        0 | 1 => Severity::Fatal,
        2 => Severity::Error,
        3 => Severity::Warn,
        4 => Severity::Info,
        _ => Severity::Debug,
    }
}

impl Common {
    fn serve(&self, transport: TransportOptions) -> Result<Served, Error> {
        let profiles = match &self.refs {
            Some(path) => {
                let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
                let text = saltus_xml::decoded(std::fs::read(path).map_err(|error| failed(&error))?);
                Profiles::parse(&text).map_err(|error| failed(&error))?
            }
            None => Profiles::default(),
        };
        let config = AgentConfig {
            lease: u64::try_from(self.lease.as_nanos()).unwrap_or(u64::MAX),
            max_clients: self.max_clients,
            max_messages_per_second: self.max_rate,
            largest_message: self.max_message_size,
            client_history: self.client_history,
            ..AgentConfig::default()
        };
        Ok(Served { transport, config, profiles })
    }
}

impl Transport {
    fn into_options(self) -> Result<(TransportOptions, Common), Error> {
        let any = |ip: IpAddr, port| SocketAddr::new(ip, port);
        let (v4, v6) = (IpAddr::V4(Ipv4Addr::UNSPECIFIED), IpAddr::V6(Ipv6Addr::UNSPECIFIED));
        let udp = |ip, udp: Udp| {
            let Udp { port, discovery, common } = udp;
            (TransportOptions::Udp { address: any(ip, port), discovery_port: discovery }, common)
        };
        let tcp = |ip, tcp: Tcp| (TransportOptions::Tcp { address: any(ip, tcp.port) }, tcp.common);
        Ok(match self {
            Self::Udp4(options) => udp(v4, options),
            Self::Udp6(options) => udp(v6, options),
            Self::Tcp4(options) => tcp(v4, options),
            Self::Tcp6(options) => tcp(v6, options),
            Self::Serial(Serial { dev, file, baudrate: baud, common }) => {
                let devices = dev.into_iter().chain(devices_in(file)?).collect();
                (TransportOptions::Serial { devices, baud }, common)
            }
            Self::Multiserial(Multiserial { devs, file, baudrate: baud, common }) => {
                let named = devs.iter().flat_map(|devs| devs.split_whitespace()).map(PathBuf::from);
                let devices = named.chain(devices_in(file)?).collect();
                (TransportOptions::Serial { devices, baud }, common)
            }
            Self::Canfd(Canfd { dev, common }) if dev.contains('/') => {
                (TransportOptions::CanSocket { path: dev.into() }, common)
            }
            Self::Canfd(Canfd { dev, common }) => (TransportOptions::Can { interface: dev }, common),
            Self::Pseudoterminal(Terminal { common }) => (TransportOptions::PseudoTerminal, common),
        })
    }
}

/// Returns the names of devices in a file.
fn devices_in(file: Option<PathBuf>) -> Result<Vec<PathBuf>, Error> {
    let Some(path) = file else { return Ok(Vec::new()) };
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(text.split_whitespace().map(PathBuf::from).collect())
}
