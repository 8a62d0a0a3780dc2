//! The options of a bridge, and the configuration of its Zenoh session.

use std::{
    env,
    net::IpAddr,
    path::{Path, PathBuf},
};

use serde_json::Value as Json;
use zenoh::Config;

use crate::{
    keys::{self, KeysError},
    rules::Passing,
};

/// The role of a bridge in the network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// What its addresses need. With those of this machine alone, a peer of its router. If there are others, a router that ROS 2 nodes do not look
    /// for: all peers of a router must reach each other, and those of other machines listen on loopback.
    #[default]
    ByAddresses,
    /// The router of this host, in place of `rmw_zenohd`.
    Router,
}

/// The name of the network without another one.
pub const DEFAULT_NETWORK: &str = "default";

/// The options of a bridge. Its domain is that of `ROS_DOMAIN_ID`.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Its role in the network.
    pub mode: Mode,
    /// The addresses that it connects to, such as `tcp/10.0.0.1:7447`. If there are none: the router of this host, or nothing
    /// for a router.
    pub connect: Vec<String>,
    /// The addresses at which it listens. If there are none: any port of loopback, or port 7447 of loopback for a router.
    pub listen: Vec<String>,
    /// A file with the configuration of a session of Zenoh, in JSON5, in place of the bridge's own. The default is the file that the
    /// variable of rmw_zenoh for the mode names, if it is set.
    pub config: Option<PathBuf>,
    /// A folder with the key and the certificate of this host, and the certificate of the authority that has signed both this and those of
    /// others. Then only hosts with such a certificate can connect.
    pub keys: Option<PathBuf>,
    /// The rules for what passes.
    pub passing: Passing,
    /// The name of the network on this host, [`DEFAULT_NETWORK`] without another one. Only one bridge joins a domain to a network.
    pub network: String,
}

/// The error if a session can't be configured or opened.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// A configuration can't be read.
    #[error("{file}: {cause}")]
    File {
        /// The file.
        file: String,
        /// The cause.
        cause: String,
    },
    /// A value is not valid.
    #[error("{key}: {cause}")]
    Value {
        /// The key in the configuration.
        key: String,
        /// The cause.
        cause: String,
    },
    /// A part of the variable has no value.
    #[error("ZENOH_CONFIG_OVERRIDE: expected KEY=VALUE, found `{0}`")]
    Override(String),
    /// The keys can't be used.
    #[error(transparent)]
    Keys(#[from] KeysError),
    /// An address would be used without keys.
    #[error(
        "{0}: with keys, each address that other machines can reach begins with `tls/`; name others with --listen or --connect"
    )]
    NoTls(String),
    /// An address can't be one.
    #[error("{0}: expected an address with a port, such as tcp/10.0.0.1:7447")]
    Address(String),
    /// Rules name hosts, and nothing says which host another one is.
    #[error("rules name hosts, and only certificates tell hosts apart: give keys with --keys")]
    NoKeys,
    /// Zenoh refuses the session.
    #[error("zenoh: {0}")]
    Open(String),
}

impl SessionError {
    pub(crate) fn open(error: zenoh::Error) -> Self {
        Self::Open(text_of(&error))
    }
}

/// Returns the text of an error of zenoh without the places in its sources, which follow each cause.
pub(crate) fn text_of(error: &dyn std::fmt::Display) -> String {
    let text = error.to_string();
    let mut parts = text.split(" at /");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |told, part| {
        // The place ends with the number of a line, and a point.
        let rest =
            part.split_once(".rs:").map(|(_, rest)| rest.trim_start_matches(|c: char| c.is_ascii_digit()));
        match rest {
            Some(rest) => told.trim_end_matches('.').to_owned() + rest.trim_start_matches('.'),
            None => told + " at /" + part,
        }
    })
}

/// The keys of the addresses in a configuration.
pub(crate) const CONNECT: &str = "connect/endpoints";
const LISTEN: &str = "listen/endpoints";
/// The address of the router of a host.
pub(crate) const ROUTER: &str = "tcp/localhost:7447";

/// What differs from the defaults of zenoh, for both modes. The lease says after which time a host that has lost its power is
/// gone for others, in milliseconds.
const COMMON: [(&str, &str); 15] = [
    ("connect/timeout_ms", "-1"),
    ("connect/exit_on_failure", "false"),
    // The first attempt after a loss often comes before the other side has noticed it. The entities of a session that is lost are held for 5 s.
    ("connect/retry", "{period_init_ms: 100, period_max_ms: 1000, period_increase_factor: 2}"),
    ("scouting/multicast/enabled", "false"),
    ("scouting/gossip/enabled", "true"),
    ("timestamping/enabled", "true"),
    ("queries_default_timeout", "600000"),
    // A link that stalls for three seconds is no lost one.
    ("transport/link/tx/lease", "5000"),
    ("transport/link/tx/keep_alive", "4"),
    ("transport/unicast/max_sessions", "10000"),
    // Small messages are dropped if their queue has no room for 1 ms. Batches of 64 KB are made when they are needed. With two of them,
    // 10 MB/s were too much while other programs had the processors for 12 ms; with eight, they may have them for 50 ms.
    ("transport/link/tx/queue/size/real_time", "8"),
    ("transport/link/tx/queue/size/interactive_high", "8"),
    ("transport/link/tx/queue/size/interactive_low", "8"),
    // Large messages have a thread that may wait, for longer than the defaults of 50 ms and 5 s. A link that was lost meanwhile comes back
    // only after that.
    ("transport/link/tx/queue/congestion_control/drop/max_wait_before_drop_fragments", "3000000"),
    ("transport/link/tx/queue/congestion_control/block/wait_before_close", "10000000"),
];

impl Options {
    /// Returns the configuration of the session: the file if there is one, otherwise the defaults; then `ZENOH_CONFIG_OVERRIDE`,
    /// then the addresses of the options.
    ///
    /// # Errors
    /// Returns an error if the file or a value can't be read.
    pub(crate) fn session_config(&self, domain: u32) -> Result<Config, SessionError> {
        let variable = match self.mode {
            Mode::ByAddresses => "ZENOH_SESSION_CONFIG_URI",
            Mode::Router => "ZENOH_ROUTER_CONFIG_URI",
        };
        let named = || env::var_os(variable).filter(|file| !file.is_empty()).map(PathBuf::from);
        let file = self.config.clone().or_else(named);
        let mut has_mode = file.is_some();
        let mut config = match file {
            Some(file) => Config::from_file(&file).map_err(|cause| SessionError::File {
                file: file.display().to_string(),
                cause: text_of(&cause),
            })?,
            None => self.default_config()?,
        };
        if let Ok(text) = env::var("ZENOH_CONFIG_OVERRIDE") {
            for part in text.split(';').filter(|part| !part.trim().is_empty()) {
                let (key, value) =
                    part.split_once('=').ok_or_else(|| SessionError::Override(part.to_owned()))?;
                insert(&mut config, key.trim(), value.trim())?;
                has_mode |= key.trim().trim_start_matches('/') == "mode";
            }
        }
        if let Some(address) = self.connect.iter().chain(&self.listen).find(|address| !is_address(address)) {
            return Err(SessionError::Address(address.clone()));
        }
        if !self.connect.is_empty() {
            insert(&mut config, CONNECT, &list(&self.connect))?;
        }
        if !self.listen.is_empty() {
            insert(&mut config, LISTEN, &list(&self.listen))?;
        }
        if self.mode == Mode::Router {
            insert(&mut config, "mode", "\"router\"")?;
        } else if !has_mode && is_peer_of_machines(&config) {
            // They may be a list for each mode.
            let (connect, listen) = (addresses(&config, CONNECT), addresses(&config, LISTEN));
            insert(&mut config, "mode", "\"router\"")?;
            insert(&mut config, CONNECT, &list(&connect))?;
            insert(&mut config, LISTEN, &list(&listen))?;
        }
        if let Some(folder) = &self.keys {
            keys::check_keys(folder)?;
            add_keys(&mut config, folder)?;
            check_addresses(&config)?;
        }
        if self.passing.access.names_hosts() {
            if !asks_for_keys(&config) {
                return Err(SessionError::NoKeys);
            }
            insert(&mut config, "access_control", &self.passing.access.to_json(domain))?;
        }
        Ok(config)
    }

    /// Returns what a configuration keeps the bridge from.
    pub(crate) fn warnings(&self, config: &Config) -> Vec<String> {
        let mut all = Vec::new();
        if self.mode == Mode::Router && !listens_at_router(config) {
            all.push(format!(
                "nodes of this host look for a router at {ROUTER}, where this one does not listen: if no other router is there, add \
                 `--listen {ROUTER}`, or tell them its address"
            ));
        }
        if is_peer_of_machines(config) {
            all.push(
                "the configuration makes this bridge a peer: of other machines, it sees only what it reaches itself, and nothing behind \
                 their routers. With the mode `router` it sees all"
                    .into(),
            );
        }
        all
    }

    fn default_config(&self) -> Result<Config, SessionError> {
        let mut config = Config::default();
        for (key, value) in COMMON {
            insert(&mut config, key, value)?;
        }
        let (mode, connect, listen) = match self.mode {
            Mode::ByAddresses => ("peer", vec![ROUTER.to_owned()], "tcp/localhost:0"),
            Mode::Router => ("router", Vec::new(), ROUTER),
        };
        insert(&mut config, "mode", &format!("\"{mode}\""))?;
        insert(&mut config, CONNECT, &list(&connect))?;
        insert(&mut config, LISTEN, &list(&[listen.to_owned()]))?;
        Ok(config)
    }
}

/// Checks that keys are asked for at all addresses of other machines, whether they are from a flag, a file or a default of zenoh.
fn check_addresses(config: &Config) -> Result<(), SessionError> {
    let all = [CONNECT, LISTEN].into_iter().flat_map(|key| addresses_of(config, key));
    match all.into_iter().find(|address| !is_of_this_machine(address) && !address.starts_with("tls/")) {
        Some(address) => Err(SessionError::NoTls(address)),
        None => Ok(()),
    }
}

/// Returns whether a session is a peer that connects to other machines, or listens for them. It does not see what is behind their routers.
/// Peers that find each other by multicast reach each other.
fn is_peer_of_machines(config: &Config) -> bool {
    let is = |key, value| config.get_json(key).is_ok_and(|text| text == value);
    let mut all = [CONNECT, LISTEN].into_iter().flat_map(|key| addresses(config, key));
    (is("mode", "\"peer\"") || is("mode", "null"))
        && !is("scouting/multicast/enabled", "true")
        && all.any(|address| !is_of_this_machine(&address))
}

/// Returns the addresses for a key of a configuration, in its mode.
pub(crate) fn addresses(config: &Config, key: &str) -> Vec<String> {
    let read =
        |key| serde_json::from_str::<Json>(&config.get_json(key).unwrap_or_default()).unwrap_or_default();
    let (mut endpoints, mode) = (read(key), read("mode"));
    if endpoints.is_object() {
        endpoints = endpoints[mode.as_str().unwrap_or("peer")].take();
    }
    let list = endpoints.as_array().into_iter().flatten();
    list.filter_map(|address| address.as_str().map(str::to_owned)).collect()
}

/// Returns the addresses for a key of a configuration, in all modes.
fn addresses_of(config: &Config, key: &str) -> Vec<String> {
    // They may be a list, or a list for each mode. In JSON, each address is a text with a `/`.
    let text = config.get_json(key).unwrap_or_default();
    text.split('"').filter(|text| text.contains('/')).map(str::to_owned).collect()
}

/// Returns whether a session listens where the nodes of its host look for a router.
fn listens_at_router(config: &Config) -> bool {
    let is_there = |address: &String| {
        let host = address.strip_prefix("tcp/").and_then(|rest| rest.split(['?', '#']).next());
        let Some((host, "7447")) = host.and_then(|host| host.rsplit_once(':')) else { return false };
        ["localhost", "127.0.0.1", "0.0.0.0", "[::1]", "[::]"].contains(&host)
    };
    addresses_of(config, LISTEN).iter().any(is_there)
}

/// Makes a session show its certificate, and ask others for theirs.
fn add_keys(config: &mut Config, folder: &Path) -> Result<(), SessionError> {
    let path = |name| quoted(&folder.join(name).display().to_string());
    for (key, value) in [
        ("root_ca_certificate", path(keys::IDENTITY_AUTHORITY)),
        ("listen_certificate", path(keys::CERTIFICATE)),
        ("listen_private_key", path(keys::KEY)),
        ("connect_certificate", path(keys::CERTIFICATE)),
        ("connect_private_key", path(keys::KEY)),
        ("enable_mtls", "true".into()),
        // The authority says who a host is. Its address says nothing.
        ("verify_name_on_connect", "false".into()),
        ("close_link_on_expiration", "true".into()),
    ] {
        insert(config, &format!("transport/link/tls/{key}"), &value)?;
    }
    Ok(())
}

/// Returns whether a text can be an address. Those of the Internet have a port, and of others zenoh knows more.
fn is_address(text: &str) -> bool {
    let Some((protocol, rest)) = text.split_once('/') else { return false };
    let host = rest.split(['?', '#']).next().unwrap_or_default();
    let has_port =
        host.rsplit_once(':').is_some_and(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok());
    has_port || !["tcp", "tls", "udp", "quic", "ws"].contains(&protocol)
}

/// Returns whether only this machine can reach an address.
pub fn is_of_this_machine(address: &str) -> bool {
    let Some((protocol, rest)) = address.split_once('/') else { return false };
    let host = rest.rsplit_once(':').map_or(rest, |(host, _)| host);
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let is_loopback =
        host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
    is_loopback || protocol == "unixsock-stream"
}

/// Returns whether others must show a certificate where they connect with TLS. A configuration that does not say so asks for none.
pub(crate) fn asks_for_keys(config: &Config) -> bool {
    config.get_json("transport/link/tls/enable_mtls").is_ok_and(|value| value == "true")
}

/// Returns texts as a list in JSON.
fn list(texts: &[String]) -> String {
    format!("[{}]", texts.iter().map(|text| quoted(text)).collect::<Vec<_>>().join(","))
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.escape_default())
}

fn insert(config: &mut Config, key: &str, value: &str) -> Result<(), SessionError> {
    let error =
        |cause: &dyn std::fmt::Display| SessionError::Value { key: key.to_owned(), cause: text_of(cause) };
    config.insert_json5(key, value).map_err(|cause| error(&cause))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_keys_of_the_defaults_are_known_and_keys_are_asked_for_only_if_the_configuration_says_so() {
        for mode in [Mode::ByAddresses, Mode::Router] {
            let mut config = Options { mode, ..Options::default() }.default_config().unwrap();
            assert!(!asks_for_keys(&config));
            insert(&mut config, "transport/link/tls/enable_mtls", "true").unwrap();
            assert!(asks_for_keys(&config));
        }
    }

    #[test]
    fn an_address_of_the_internet_has_a_port() {
        for text in [
            "tcp/10.0.0.1:7447",
            "tls/[::1]:1?so_sndbuf=1",
            "udp/robot.local:0#iface=eth0",
            "unixsock-stream/x",
        ] {
            assert!(is_address(text), "{text}");
        }
        for text in ["10.0.0.1:7447", "tcp/10.0.0.1", "tcp/[::1]", "tls/:7447", "tcp/a:99999", ""] {
            assert!(!is_address(text), "{text}");
        }
    }

    #[test]
    fn with_keys_no_address_of_other_machines_is_without_tls() {
        let checked = |text: &str| check_addresses(&Config::from_json5(text).unwrap()).is_ok();
        assert!(checked(
            "{listen: {endpoints: ['tls/0.0.0.0:1', 'tcp/localhost:0']}, connect: {endpoints: []}}"
        ));
        assert!(!checked("{listen: {endpoints: ['tls/0.0.0.0:1', 'tcp/0.0.0.0:2']}}"));
        assert!(!checked(
            "{listen: {endpoints: ['tls/0.0.0.0:1']}, connect: {endpoints: ['tcp/10.0.0.1:7447']}}"
        ));
        assert!(!checked("{mode: 'peer'}"), "zenoh's own default listens at all addresses");
    }

    #[test]
    fn a_router_is_found_where_nodes_of_the_host_look_for_it() {
        let listens = |address: &str| {
            let text = format!("{{listen: {{endpoints: ['tls/0.0.0.0:7448', '{address}']}}}}");
            listens_at_router(&Config::from_json5(&text).unwrap())
        };
        assert!(listens(ROUTER) && listens("tcp/[::]:7447") && listens("tcp/0.0.0.0:7447?so_sndbuf=65000"));
        assert!(!listens("tcp/10.0.0.1:7447") && !listens("tcp/localhost:7448") && !listens("tls/[::]:7447"));
    }

    #[test]
    fn the_addresses_are_those_of_the_mode() {
        let read = |text: &str| addresses(&Config::from_json5(text).unwrap(), CONNECT);
        assert_eq!(read("{connect: {endpoints: ['tcp/a:1', 'tcp/b:2']}}"), ["tcp/a:1", "tcp/b:2"]);
        let text = "{mode: 'router', connect: {endpoints: {router: ['tcp/a:1'], peer: ['tcp/b:2']}}}";
        assert_eq!(read(text), ["tcp/a:1"]);
    }

    #[test]
    fn a_router_is_one_whatever_the_file_says() {
        let file = tempfile::Builder::new().suffix(".json5").tempfile().unwrap();
        std::fs::write(&file, "{mode: 'peer', listen: {endpoints: ['tcp/10.0.0.1:7447']}}").unwrap();
        let options = |mode| Options { mode, config: Some(file.path().to_owned()), ..Options::default() };
        let mode = |mode| options(mode).session_config(0).unwrap().get_json("mode").unwrap();
        assert_eq!((mode(Mode::Router), mode(Mode::ByAddresses)), ("\"router\"".into(), "\"peer\"".into()));
    }

    #[test]
    fn a_bridge_is_a_peer_on_its_own_machine_only() {
        let mode = |connect: &[&str], listen: &[&str]| {
            let texts = |all: &[&str]| all.iter().map(ToString::to_string).collect();
            let options = Options { connect: texts(connect), listen: texts(listen), ..Options::default() };
            options.session_config(0).unwrap().get_json("mode").unwrap()
        };
        assert_eq!(mode(&[], &[]), "\"peer\"");
        assert_eq!(mode(&["tcp/127.0.0.1:7447"], &["tcp/[::1]:0", "unixsock-stream/x"]), "\"peer\"");
        assert_eq!(mode(&["tcp/10.0.0.1:7447"], &[]), "\"router\"");
        assert_eq!(mode(&["tcp/localhost:7447"], &["tcp/0.0.0.0:7448"]), "\"router\"");
        let is_peer_of_machines = |text: &str| is_peer_of_machines(&Config::from_json5(text).unwrap());
        let ends = "connect: {endpoints: {peer: ['tcp/a:1'], router: []}}, listen: {endpoints: []}";
        assert!(is_peer_of_machines(&format!(
            "{{mode: 'peer', scouting: {{multicast: {{enabled: false}}}}, {ends}}}"
        )));
        assert!(!is_peer_of_machines(&format!(
            "{{mode: 'peer', scouting: {{multicast: {{enabled: true}}}}, {ends}}}"
        )));
        assert!(!is_peer_of_machines(&format!("{{mode: 'router', {ends}}}")));
    }

    #[test]
    fn an_error_of_zenoh_is_told_without_the_places_in_its_sources() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(&file, "{}").unwrap();
        let options = Options { config: Some(file.path().to_owned()), ..Options::default() };
        let error = options.session_config(0).unwrap_err().to_string();
        assert!(error.contains("must have an extension") && !error.contains(".rs"), "{error}");
        let text = "no link at /a/b.rs:12. - Caused by Address at /dev/null is none. at /c/d.rs:7.";
        assert_eq!(text_of(&text), "no link - Caused by Address at /dev/null is none");
    }

    #[test]
    fn a_value_that_is_not_valid_names_its_key() {
        let error = insert(&mut Config::default(), "mode", "\"boss\"").unwrap_err();
        assert!(error.to_string().starts_with("mode: "), "{error}");
    }
}
