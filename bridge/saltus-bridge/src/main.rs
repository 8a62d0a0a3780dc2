//! The program `saltus-bridge`: joins a domain of this host to a network over Zenoh.
//!
//! `saltus` runs it for the verb `bridge`.

use std::{
    ffi::OsString,
    io::{self, Write},
    net::IpAddr,
    path::PathBuf,
    process::ExitCode,
};

use clap::{CommandFactory, Parser, Subcommand};
use clap_complete::CompleteEnv;
use saltus_verb::{
    complete,
    error::{Error, exit_code},
    programs::own_words,
};
use saltus_zenoh::{BridgeError, Mode, Options, Passing};

/// The bridge of Saltus to networks.
#[derive(Debug, Parser)]
#[command(
    name = "saltus",
    bin_name = "saltus",
    version,
    max_term_width = 80,
    infer_long_args = true,
    args_override_self = true
)]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Join this host to ROS 2 nodes on rmw_zenoh and to other hosts
    Bridge(Bridge),
}

/// `saltus bridge`
#[derive(Debug, clap::Args)]
#[command(after_help = "Nodes on Fast DDS or Cyclone DDS do not join by this bridge: start them with \
    RMW_IMPLEMENTATION=rmw_zenoh_cpp.\n\n\
    Examples:\n  \
    saltus bridge                                   as a peer of the router of this host\n  \
    saltus bridge --router                          as the router of this host, in place of rmw_zenohd\n  \
    saltus bridge --router --listen tcp/[::]:7447   as the router, also for other hosts\n  \
    saltus bridge --connect tcp/10.0.0.1:7447       as a peer of the router of another host\n\n\
    The variables of rmw_zenoh count too: ZENOH_SESSION_CONFIG_URI (with --router ZENOH_ROUTER_CONFIG_URI),\n\
    ZENOH_CONFIG_OVERRIDE, and ROS_DOMAIN_ID.")]
struct Bridge {
    /// Connect to this address, such as tcp/10.0.0.1:7447; may be given several times
    #[arg(long, value_name = "ADDRESS")]
    connect: Vec<String>,
    /// Listen at this address; may be given several times
    #[arg(long, value_name = "ADDRESS")]
    listen: Vec<String>,
    /// Be the router of this host, on port 7447 of loopback. A configuration in a file must say `mode: "router"` itself
    #[arg(long)]
    router: bool,
    /// A file with rules: what passes, in YAML
    #[arg(long, value_name = "FILE")]
    rules: Option<PathBuf>,
    /// The name of the network on this host. A second bridge of a network waits until the first one ends
    #[arg(long, value_name = "NAME", default_value = "default")]
    network: String,
    /// A configuration of a Zenoh session in JSON5, in place of the bridge's own
    #[arg(long, value_name = "FILE")]
    zenoh_config: Option<PathBuf>,
}

fn main() -> ExitCode {
    CompleteEnv::with_factory(Arguments::command).var(complete::VARIABLE).complete();
    exit_code(own_words().and_then(run))
}

fn run(words: Vec<OsString>) -> Result<(), Error> {
    let Verb::Bridge(bridge) = Arguments::parse_from(words).verb;
    bridge.run()
}

impl Bridge {
    fn run(self) -> Result<(), Error> {
        let options = Options {
            mode: if self.router { Mode::Router } else { Mode::Peer },
            connect: self.connect,
            listen: self.listen,
            config: self.zenoh_config,
            passing: self.rules.as_deref().map_or(Ok(Passing::all()), Passing::read)?,
            network: self.network,
        };
        let bridge = join(&options)?;
        let addresses = bridge.addresses();
        writeln!(io::stdout(), "bridge: listens at {}", addresses.join(", "))?;
        if let Some(address) = addresses.iter().find(|address| is_open(address, bridge.asks_for_keys())) {
            writeln!(
                io::stderr(),
                "bridge: whoever can reach {address} can publish and call in this domain, because no certificate is asked for. \
                 See docs/security.md"
            )?;
        }
        Ok(bridge.run()?)
    }
}

/// Whether other machines can reach an address without a certificate.
fn is_open(address: &str, asks_for_keys: bool) -> bool {
    let Some((protocol, rest)) = address.split_once('/') else { return true };
    let host = rest.rsplit_once(':').map_or(rest, |(host, _)| host);
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let is_loopback =
        host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
    let is_asked = asks_for_keys && protocol == "tls";
    !is_loopback && !is_asked && protocol != "unixsock-stream"
}

/// Joins, after another bridge of the same domain and network has ended.
fn join(options: &Options) -> Result<saltus_zenoh::Bridge, Error> {
    loop {
        match saltus_zenoh::Bridge::join(options) {
            Err(BridgeError::Held(holder)) => {
                writeln!(
                    io::stdout(),
                    "bridge: process {} joins this domain to the network `{}` already; waits until it ends",
                    holder.process(),
                    options.network
                )?;
                holder.wait();
            }
            joined => return Ok(joined?),
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::error::ErrorKind;
    use saltus_programs::documents::{CommandLine, command_lines, documents, split};

    use super::*;

    #[test]
    fn every_command_in_the_documents_is_accepted() {
        let lines = command_lines();
        let own = |line: &&CommandLine| line.words.get(1).is_some_and(|word| word == "bridge");
        for CommandLine { path, words } in lines.iter().filter(own) {
            match Arguments::try_parse_from(words) {
                Err(error) if error.kind() != ErrorKind::DisplayHelp => panic!("{path}: {words:?}: {error}"),
                _ => {}
            }
        }
        assert!(lines.iter().filter(own).count() > 2);
    }

    #[test]
    fn addresses_of_other_machines_without_keys_are_open() {
        for open in ["tcp/10.0.0.1:7447", "tcp/[fe80::1]:7447", "udp/192.168.1.2:1", "tcp/robot.local:7447"] {
            assert!(is_open(open, true), "{open}");
        }
        for closed in ["tcp/127.0.0.1:7447", "tcp/[::1]:7447", "tcp/localhost:0"] {
            assert!(!is_open(closed, false), "{closed}");
        }
        // TLS alone encrypts, and lets everybody in.
        assert!(is_open("tls/10.0.0.1:7447", false) && !is_open("tls/10.0.0.1:7447", true));
    }

    #[test]
    fn the_rules_in_the_document_are_read() {
        let document = documents().into_iter().find(|(path, _)| path == "docs/bridge.md").unwrap().1;
        let rules = split(&document).0.into_iter().find(|block| block.language == "yaml").unwrap();
        assert!(Passing::parse(&rules.text).unwrap() != Passing::all());
    }

    #[test]
    fn the_command_is_consistent() {
        Arguments::command().debug_assert();
    }
}
