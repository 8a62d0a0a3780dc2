//! All managed nodes.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU8, Ordering},
    },
    time::{Duration, Instant},
};

use saltus::{Node, node::NodeError};
use saltus_bond::Bonds;

use crate::{
    remote::{ACTIVATE, CLEANUP, CONFIGURE, Change, DEACTIVATE, Remote, SHUTDOWN},
    settings::Settings,
};

/// The state of the managed nodes together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SystemState {
    /// The nodes were not configured.
    Unconfigured,
    /// All nodes are active.
    Active,
    /// All nodes are inactive.
    Inactive,
    /// All nodes are shut down.
    Finalized,
    /// A transition has failed.
    Unknown,
}

/// A [`SystemState`] that other threads can read.
#[derive(Debug)]
pub(crate) struct SystemStateCell(AtomicU8);

const STATES: [SystemState; 5] = [
    SystemState::Unconfigured,
    SystemState::Active,
    SystemState::Inactive,
    SystemState::Finalized,
    SystemState::Unknown,
];

impl SystemStateCell {
    pub(crate) fn new() -> Self {
        Self(AtomicU8::new(0))
    }

    pub(crate) fn get(&self) -> SystemState {
        // Only `set` writes it.
        STATES.get(usize::from(self.0.load(Ordering::Acquire))).copied().unwrap_or(SystemState::Unknown)
    }

    fn set(&self, state: SystemState) {
        let index = STATES.iter().position(|other| *other == state).unwrap_or(0);
        self.0.store(index as u8, Ordering::Release);
    }
}

/// All managed nodes.
pub(crate) struct Manager {
    node: Node,
    settings: Settings,
    /// The bonds are dropped before the parts that they need.
    remotes: Vec<Remote>,
    bonds: Bonds,
    state: Arc<SystemStateCell>,
    is_closed: Arc<AtomicBool>,
    /// The time since which a lost node is missing.
    missing_since: Option<Instant>,
    /// The last time that a missing node was logged.
    reported: Instant,
}

/// Whether a change was made. An error was logged.
type Done = Result<(), ()>;

/// The longest time for a change of a node that is silent.
const SILENT_TIMEOUT: Duration = Duration::from_secs(2);

impl Manager {
    pub(crate) fn new(
        node: &Node,
        settings: Settings,
        state: Arc<SystemStateCell>,
        is_closed: Arc<AtomicBool>,
    ) -> Result<Self, NodeError> {
        let remotes = settings.names.iter().map(|name| Remote::new(node, name)).collect::<Result<_, _>>()?;
        let (bonds, node) = (Bonds::new(node, "bond")?, node.clone());
        Ok(Self {
            node,
            settings,
            bonds,
            remotes,
            state,
            is_closed,
            missing_since: None,
            reported: Instant::now(),
        })
    }

    fn log(&self, text: &str) {
        saltus::info!(self.node.logger(), "{text}");
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Acquire) || self.node.context().is_shut_down()
    }

    /// Whether all nodes are there. A missing node is logged from time to time.
    pub(crate) fn are_there(&mut self) -> bool {
        const REPORT_PERIOD: Duration = Duration::from_secs(2);
        let Some(missing) = self.remotes.iter().find(|remote| !remote.is_there()) else { return true };
        if self.reported.elapsed() > REPORT_PERIOD {
            self.log(&format!("Waiting for service {}...", missing.state_service()));
            self.reported = Instant::now();
        }
        false
    }

    /// Stops waiting for lost nodes.
    pub(crate) fn forget_missing(&mut self) {
        self.missing_since = None;
    }

    /// Changes one node. Its bond begins with the activation, and ends with the deactivation.
    fn change_one(&mut self, index: usize, change: Change, limit: Option<Duration>) -> Done {
        let name = self.remotes[index].name.clone();
        self.log(&format!("{}{name}", change.label));
        if change == DEACTIVATE {
            self.remotes[index].release();
        }
        let is_closed = || self.is_closed();
        match self.remotes[index].change(change, limit, &is_closed) {
            Ok(true) => {}
            Ok(false) => {
                saltus::error!(self.node.logger(), "Failed to change state for node: {name}");
                return Err(());
            }
            Err(error) => {
                saltus::error!(
                    self.node.logger(),
                    "Failed to change state for node: {name}. Exception: {error}."
                );
                return Err(());
            }
        }
        if change == ACTIVATE && !self.settings.bond_timeout.is_zero() { self.bind(index) } else { Ok(()) }
    }

    fn bind(&mut self, index: usize) -> Done {
        let (closed, context) = (self.is_closed.clone(), self.node.context().clone());
        let is_closed = || closed.load(Ordering::Acquire) || context.is_shut_down();
        let timeout = self.settings.bond_timeout;
        let formed = self.remotes[index].bind(&self.bonds, timeout, &is_closed);
        let name = &self.remotes[index].name;
        if formed == Ok(true) {
            self.log(&format!("Server {name} connected with bond."));
            return Ok(());
        }
        saltus::error!(
            self.node.logger(),
            "Server {name} was unable to be reached after {:.2}s by bond. This server may be misconfigured.",
            timeout.as_secs_f64()
        );
        Err(())
    }

    /// Changes all nodes: in their order if they are brought up, and in the reverse order otherwise. With `goes_on`, a node that
    /// fails does not keep the others from their change.
    fn change_all(&mut self, change: Change, goes_on: bool) -> Done {
        let is_up = change == CONFIGURE || change == ACTIVATE;
        let count = self.remotes.len();
        let mut result = Ok(());
        for step in 0..count {
            let index = if is_up { step } else { count - 1 - step };
            // A transition has no time limit.
            let done = self.change_one(index, change, None);
            result = result.and(done);
            if result.is_err() && (!goes_on || self.is_closed()) {
                break;
            }
        }
        result
    }

    fn end(&self, done: Done, state: SystemState, good: &str, bad: &str) -> bool {
        match done {
            Ok(()) => {
                self.log(good);
                self.state.set(state);
            }
            Err(()) => {
                saltus::error!(self.node.logger(), "{bad}");
                self.state.set(SystemState::Unknown);
            }
        }
        done.is_ok()
    }

    /// Configures and activates all nodes.
    pub(crate) fn startup(&mut self) -> bool {
        self.missing_since = None;
        self.log("Starting managed nodes bringup...");
        let done = self.change_all(CONFIGURE, false).and_then(|()| self.change_all(ACTIVATE, false));
        let bad = "Failed to bring up all requested nodes. Aborting bringup.";
        self.end(done, SystemState::Active, "Managed nodes are active", bad)
    }

    /// Configures all nodes.
    pub(crate) fn configure(&mut self) -> bool {
        self.log("Configuring managed nodes...");
        let done = self.change_all(CONFIGURE, false);
        let bad = "Failed to configure all requested nodes. Aborting bringup.";
        self.end(done, SystemState::Inactive, "Managed nodes are now configured", bad)
    }

    /// Cleans up all nodes.
    pub(crate) fn cleanup(&mut self) -> bool {
        self.log("Cleaning up managed nodes...");
        let done = self.change_all(CLEANUP, false);
        let bad = "Failed to cleanup all requested nodes. Aborting cleanup.";
        self.end(done, SystemState::Unconfigured, "Managed nodes have been cleaned up", bad)
    }

    /// Deactivates all nodes.
    pub(crate) fn pause(&mut self) -> bool {
        self.log("Pausing managed nodes...");
        let done = self.change_all(DEACTIVATE, false);
        self.end(
            done,
            SystemState::Inactive,
            "Managed nodes have been paused",
            "Failed to pause nodes: aborting pause",
        )
    }

    /// Activates all nodes.
    pub(crate) fn resume(&mut self) -> bool {
        self.log("Resuming managed nodes...");
        let done = self.change_all(ACTIVATE, false);
        self.end(
            done,
            SystemState::Active,
            "Managed nodes are active",
            "Failed to resume nodes: aborting resume",
        )
    }

    /// Deactivates and cleans up all nodes.
    pub(crate) fn reset(&mut self) -> bool {
        self.log("Resetting managed nodes...");
        let done = self.change_all(DEACTIVATE, false).and_then(|()| self.change_all(CLEANUP, false));
        let bad = "Failed to reset nodes: aborting reset";
        self.end(done, SystemState::Unconfigured, "Managed nodes have been reset", bad)
    }

    /// Shuts all nodes down, in any state.
    pub(crate) fn shutdown(&mut self) -> bool {
        self.log("Shutting down managed nodes...");
        self.log("Deactivate, cleanup, and shutdown nodes");
        for change in [DEACTIVATE, CLEANUP, SHUTDOWN] {
            // A node that is not in the right state for a change gets the next one.
            let _ = self.change_all(change, true);
        }
        self.end(Ok(()), SystemState::Finalized, "Managed nodes have been shut down", "")
    }

    /// Checks whether all nodes are there and answer. If one is lost, all others are deactivated, so that nothing moves on without
    /// it. When all are there again, they are brought up again.
    pub(crate) fn watch(&mut self) {
        let state = self.state.get();
        // After a failed command, the nodes that have a bond are still active.
        let is_watched = |remote: &&Remote| state == SystemState::Active || remote.has_bond();
        if matches!(state, SystemState::Active | SystemState::Unknown) {
            let lost = self.remotes.iter().filter(is_watched).find(|remote| remote.is_lost());
            if let Some(name) = lost.map(|remote| remote.name.clone()) {
                self.lose(&name);
            }
            return;
        }
        let Some(since) = self.missing_since else { return };
        if self.remotes.iter().all(|remote| remote.is_there() && remote.responds()) {
            self.log("Successfully re-established connections from server respawns, starting back up.");
            self.startup();
        } else if since.elapsed() > self.settings.respawn_duration {
            saltus::error!(
                self.node.logger(),
                "Failed to re-establish connection from a server crash after maximum timeout."
            );
            self.missing_since = None;
        }
    }

    fn lose(&mut self, name: &str) {
        let timeout = self.settings.bond_timeout.as_millis();
        saltus::error!(
            self.node.logger(),
            "CRITICAL FAILURE: SERVER {name} IS DOWN: it has left, or sent no heartbeat for {timeout} ms. Shutting down related nodes."
        );
        self.log("Resetting managed nodes...");
        // The nodes that answer are first, so that the robot stops at once.
        let there = (0..self.remotes.len()).rev().filter(|index| self.remotes[*index].is_there());
        let (answering, silent): (Vec<_>, Vec<_>) = there.partition(|index| self.remotes[*index].answers());
        let mut all_done = true;
        for (indices, limit) in [(answering, None), (silent, Some(SILENT_TIMEOUT))] {
            for change in [DEACTIVATE, CLEANUP] {
                for index in &indices {
                    all_done &= self.change_one(*index, change, limit).is_ok();
                }
            }
        }
        self.remotes.iter_mut().for_each(Remote::release);
        match all_done {
            true => self.log("Managed nodes have been reset"),
            false => saltus::error!(self.node.logger(), "Failed to reset some nodes"),
        }
        self.state.set(SystemState::Unconfigured);
        self.missing_since = self.settings.reconnects.then(Instant::now);
    }
}
