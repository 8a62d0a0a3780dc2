//! Hosts with their links.

use std::{ffi::OsStr, process::Command};

use crate::{
    error::NetworkError,
    host::Host,
    link::{Link, LinkOptions},
};

/// Hosts and the links between them. Everything ends when this is dropped.
///
/// ```no_run
/// # use saltus_bench_network::{LinkOptions, Network};
/// let mut network = Network::new(2)?;
/// let link = network.join(0, 1, &LinkOptions { loss_percent: 10, ..LinkOptions::default() })?;
/// network.command(0, "ping").args(["-c", "3", &network.address(link, 1)]).status()?;
/// # Ok::<(), saltus_bench_network::NetworkError>(())
/// ```
#[derive(Debug)]
pub struct Network {
    // The links end before their hosts.
    links: Vec<(Link, [usize; 2])>,
    hosts: Vec<Host>,
    folder: tempfile::TempDir,
}

impl Network {
    /// Creates hosts without links.
    ///
    /// # Errors
    /// Returns an error if the system makes no namespaces.
    pub fn new(hosts: usize) -> Result<Self, NetworkError> {
        let mut all: Vec<Host> = Vec::new();
        for _ in 0..hosts {
            all.push(Host::new(all.first())?);
        }
        Ok(Self { links: Vec::new(), hosts: all, folder: tempfile::tempdir()? })
    }

    /// Joins two hosts. Returns the number of the link.
    ///
    /// # Errors
    /// Returns an error if the link can't be made.
    ///
    /// # Panics
    /// Panics if there is no host with one of the numbers.
    pub fn join(
        &mut self,
        first: usize,
        second: usize,
        options: &LinkOptions,
    ) -> Result<usize, NetworkError> {
        let number = self.links.len();
        let ends = [&self.hosts[first], &self.hosts[second]];
        self.links.push((Link::new(ends, number, options, self.folder.path())?, [first, second]));
        Ok(number)
    }

    /// Returns the address of a host on a link: `end` is 0 for the first of its hosts, and 1 for the second.
    pub fn address(&self, link: usize, end: usize) -> String {
        format!("10.77.{link}.{}", end + 1)
    }

    /// Returns a command that runs a program on a host.
    ///
    /// # Panics
    /// Panics if there is no host with this number.
    pub fn command(&self, host: usize, program: impl AsRef<OsStr>) -> Command {
        self.hosts[host].command(program)
    }

    /// Changes the rate of a link, in kbit/s. The link must have had one.
    ///
    /// # Errors
    /// Returns an error if `tc` fails.
    ///
    /// # Panics
    /// Panics if there is no link with this number.
    pub fn limit(&self, link: usize, rate: u32) -> Result<(), NetworkError> {
        let (link, ends) = &self.links[link];
        ends.iter().try_for_each(|end| link.limit(&self.hosts[*end], rate, "change"))
    }

    /// Pulls the cable of a link, or plugs it in again.
    ///
    /// # Errors
    /// Returns an error if `ip` fails.
    ///
    /// # Panics
    /// Panics if there is no link with this number.
    pub fn plug(&self, link: usize, is_in: bool) -> Result<(), NetworkError> {
        let (link, [first, _]) = &self.links[link];
        let state = if is_in { "up" } else { "down" };
        self.hosts[*first].run("ip", &["link", "set", "dev", &link.name, state])
    }
}
