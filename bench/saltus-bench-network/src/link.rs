//! A link between two hosts.

use std::{
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Stdio},
    time::Duration,
};

use crate::{error::NetworkError, host::Host};

/// What a link does to packets, in both directions.
///
/// **Invariant:** the default only carries them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LinkOptions {
    /// How many of a hundred packets are lost, at random.
    pub loss_percent: u32,
    /// How long a packet is on its way.
    pub delay: Duration,
    /// The rate in kbit/s; `None` for no limit.
    pub rate: Option<u32>,
    /// How TCP finds out how fast a link is, such as `cubic`; `None` for the default of the machine.
    pub congestion_control: Option<&'static str>,
    /// The most bytes that the kernel hands to the link at once (`gso_max_size`); `None` for its default of 64 KB.
    pub handed: Option<u32>,
}

/// Returns whether the machine has a congestion control for TCP.
pub fn has_congestion_control(name: &str) -> bool {
    let all = fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control");
    all.is_ok_and(|all| all.split_whitespace().any(|known| known == name))
}

/// A link. It ends with its hosts.
#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) name: String,
    /// The processes that carry packets, if the link has a delay.
    carriers: Vec<Child>,
}

impl Link {
    /// Joins two hosts. `number` is that of the link, and `folder` is for the sockets of a link with a delay.
    pub(crate) fn new(
        ends: [&Host; 2],
        number: usize,
        options: &LinkOptions,
        folder: &Path,
    ) -> Result<Self, NetworkError> {
        let name = format!("link{number}");
        let carriers = if options.delay.is_zero() {
            join(ends, &name)?;
            Vec::new()
        } else {
            carry(ends, &name, options.delay, folder)?
        };
        let link = Self { name, carriers };
        for (end, host) in (1..).zip(ends) {
            let address = format!("10.77.{number}.{end}/24");
            host.run("ip", &["address", "add", &address, "dev", &link.name])?;
            if options.loss_percent > 0 {
                link.lose(host, options.loss_percent)?;
            }
            if let Some(handed) = options.handed {
                host.run("ip", &["link", "set", "dev", &link.name, "gso_max_size", &handed.to_string()])?;
            }
            if let Some(rate) = options.rate {
                link.limit(host, rate, "add")?;
            }
            host.run("ip", &["link", "set", "dev", &link.name, "up"])?;
            if let Some(control) = options.congestion_control {
                let network = format!("10.77.{number}.0/24");
                host.run("ip", &["route", "replace", &network, "dev", &link.name, "congctl", control])?;
            }
        }
        Ok(link)
    }

    /// Drops packets that arrive.
    fn lose(&self, host: &Host, percent: u32) -> Result<(), NetworkError> {
        // Otherwise the kernel would hand over many packets as one, and lose them together.
        host.run("ip", &["link", "set", "dev", &self.name, "gso_max_segs", "1"])?;
        let table = format!("loss_{}", self.name);
        host.run("nft", &["add", "table", "inet", &table])?;
        let hook = "{ type filter hook prerouting priority 0 ; }";
        host.run("nft", &["add", "chain", "inet", &table, "arriving", hook])?;
        let percent = percent.to_string();
        let rule = ["iifname", &self.name, "numgen", "random", "mod", "100", "<", &percent, "drop"];
        host.run("nft", &[&["add", "rule", "inet", &table, "arriving"][..], &rule].concat())
    }

    /// Limits the rate, in kbit/s, of what a host sends. `verb` is `add` for the first time, and then `change`.
    pub(crate) fn limit(&self, host: &Host, rate: u32, verb: &str) -> Result<(), NetworkError> {
        let rate = format!("{rate}kbit");
        // What comes while the link stalls waits, and is not lost. It is as much as a link of 10 Mbit/s sends in 400 ms.
        let limit = ["tbf", "rate", &rate, "burst", "16kb", "limit", "500kb"];
        host.run("tc", &[&["qdisc", verb, "dev", &self.name, "root"][..], &limit].concat())
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        for carrier in &mut self.carriers {
            // An error is ignored: it has ended already.
            let _ = carrier.kill();
            let _ = carrier.wait();
        }
    }
}

/// Joins two hosts with a pair of virtual interfaces.
fn join([first, second]: [&Host; 2], name: &str) -> Result<(), NetworkError> {
    let pid = second.pid().to_string();
    let peer = ["peer", "name", name, "netns", &pid];
    first.run("ip", &[&["link", "add", name, "type", "veth"][..], &peer].concat())
}

/// Joins two hosts with a pair of TUN devices, between which two processes carry packets.
fn carry(ends: [&Host; 2], name: &str, delay: Duration, folder: &Path) -> Result<Vec<Child>, NetworkError> {
    let sockets = [0, 1].map(|end| folder.join(format!("{name}.{end}")));
    let mut carriers = Vec::new();
    for (end, host) in ends.into_iter().enumerate() {
        let mut command = host.command(program()?);
        command.arg(name).arg(&sockets[end]).arg(&sockets[1 - end]).arg(delay.as_micros().to_string());
        let mut carrier = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let mut line = String::new();
        if let Some(stdout) = carrier.stdout.take() {
            BufReader::new(stdout).read_line(&mut line)?;
        }
        carriers.push(carrier);
        if line.is_empty() {
            return Err(NetworkError::Failed("saltus-delay".into(), "it has ended".into()));
        }
    }
    Ok(carriers)
}

/// Returns the program that carries packets. It is built beside this one, or beside the folder of a test.
fn program() -> Result<PathBuf, NetworkError> {
    let own = std::env::current_exe()?;
    let found = own.ancestors().skip(1).take(2).map(|folder| folder.join("saltus-delay"));
    found.into_iter().find(|path| path.exists()).ok_or(NetworkError::NoCarrier)
}
