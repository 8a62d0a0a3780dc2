//! The program `saltus-bridge`: joins a domain of this host to a network over Zenoh.
//!
//! `saltus` runs it for the verb `bridge`.

use std::{
    ffi::OsString,
    io::{self, Write},
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
use saltus_zenoh::{
    BridgeError, DEFAULT_NETWORK, HostKeys, Mode, Options, Passing, is_of_this_machine, make_keys,
};

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
    saltus bridge --connect tcp/10.0.0.1:7447       join another host, with its bridge or its rmw_zenohd\n  \
    saltus bridge keys fleet base robot1            make keys for two hosts\n  \
    saltus bridge --keys fleet/robot1 --connect tls/10.0.0.1:7447\n\n\
    The variables of rmw_zenoh count too: ZENOH_SESSION_CONFIG_URI (with --router ZENOH_ROUTER_CONFIG_URI),\n\
    ZENOH_CONFIG_OVERRIDE, and ROS_DOMAIN_ID.")]
#[command(args_conflicts_with_subcommands = true)]
struct Bridge {
    #[command(subcommand)]
    verb: Option<BridgeVerb>,
    /// Connect to this address, such as tcp/10.0.0.1:7447; may be given several times
    #[arg(long, value_name = "ADDRESS")]
    connect: Vec<String>,
    /// Listen at this address; may be given several times
    #[arg(long, value_name = "ADDRESS")]
    listen: Vec<String>,
    /// Be the router of this host, on port 7447 of loopback
    #[arg(long)]
    router: bool,
    /// A file with rules: what passes, in YAML
    #[arg(long, value_name = "FILE")]
    rules: Option<PathBuf>,
    /// The name of the network on this host. A second bridge of a network waits until the first one ends
    #[arg(long, value_name = "NAME", default_value = DEFAULT_NETWORK, value_parser = network_name)]
    network: String,
    /// A folder with the key and the certificate of this host, as `saltus bridge keys` or an enclave of sros2 has them. Only
    /// hosts with a certificate of the same authority can connect
    #[arg(long, value_name = "FOLDER")]
    keys: Option<PathBuf>,
    /// A configuration of a Zenoh session in JSON5, in place of the bridge's own
    #[arg(long, value_name = "FILE")]
    zenoh_config: Option<PathBuf>,
}

/// `saltus bridge …`
#[derive(Debug, Subcommand)]
enum BridgeVerb {
    /// Make a key and a certificate for each host, in a folder for each, and an authority that signs them
    #[command(after_help = "Example:\n  saltus bridge keys fleet base robot1 robot2\n\n\
        Copy fleet/robot1 to robot1, and nothing else. Who has fleet/ca.key.pem can make more keys.")]
    Keys {
        /// The folder of the authority and of all hosts
        folder: PathBuf,
        /// The names of the hosts; rules use them
        #[arg(required = true)]
        hosts: Vec<String>,
        /// The number of days for which a certificate is valid
        #[arg(long, default_value_t = 3650, value_parser = clap::value_parser!(i64).range(1..=36500))]
        days: i64,
    },
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
        if let Some(BridgeVerb::Keys { folder, hosts, days }) = self.verb {
            for HostKeys { folder, are_new } in make_keys(&folder, &hosts, days)? {
                let kept = if are_new { "" } else { ": was there, and is kept" };
                writeln!(io::stdout(), "{}{kept}", folder.display())?;
            }
            return Ok(());
        }
        let options = Options {
            mode: if self.router { Mode::Router } else { Mode::ByAddresses },
            connect: self.connect,
            listen: self.listen,
            config: self.zenoh_config,
            keys: self.keys,
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

/// Reads the name of a network, which is a part of the name of a node.
fn network_name(text: &str) -> Result<String, String> {
    let is_name =
        !text.is_empty() && text.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    if is_name { Ok(text.to_owned()) } else { Err("expected letters, digits and `_`".into()) }
}

/// Whether other machines can reach an address without a certificate.
fn is_open(address: &str, asks_for_keys: bool) -> bool {
    let is_asked = asks_for_keys && address.starts_with("tls/");
    !is_of_this_machine(address) && !is_asked
}

/// Joins, after another bridge of the same domain and network has ended.
fn join(options: &Options) -> Result<saltus_zenoh::Bridge, Error> {
    loop {
        match saltus_zenoh::Bridge::join(options) {
            Err(BridgeError::Held(holder)) => {
                writeln!(
                    io::stdout(),
                    "bridge: {holder} joins this domain to the network `{}` already; waits until it ends",
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
        let blocks = split(&document).0;
        let rules: Vec<_> = blocks.into_iter().filter(|block| block.language == "yaml").collect();
        assert!(rules.iter().all(|block| Passing::parse(&block.text).unwrap() != Passing::all()));
        assert_eq!(rules.len(), 2);
    }

    #[test]
    fn the_command_is_consistent() {
        Arguments::command().debug_assert();
    }
}
