//! A managed node: its state, its transitions, its bond.

use std::time::{Duration, Instant};

use saltus::{
    Client, Node,
    msgs::lifecycle_msgs::{
        msg::{State, Transition},
        srv::{ChangeState, ChangeState_Request, GetState, GetState_Request},
    },
    node::NodeError,
    service::CallError,
};
use saltus_bond::{Bond, BondSettings, Bonds};

/// The reason why a node does not have the expected state.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ChangeError {
    /// The node is not there.
    #[error("{0} service is not available!")]
    NoService(&'static str),
    /// The node did not answer.
    #[error(transparent)]
    Call(#[from] CallError),
    /// The manager is closed.
    #[error("the lifecycle manager is closed")]
    Closed,
}

/// A transition, and the state after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    /// The text for the log.
    pub(crate) label: &'static str,
    id: u8,
    /// The state after the transition.
    goal: u8,
}

/// Becomes inactive.
pub(crate) const CONFIGURE: Change = Change {
    label: "Configuring ",
    id: Transition::TRANSITION_CONFIGURE,
    goal: State::PRIMARY_STATE_INACTIVE,
};
/// Becomes unconfigured.
pub(crate) const CLEANUP: Change = Change {
    label: "Cleaning up ",
    id: Transition::TRANSITION_CLEANUP,
    goal: State::PRIMARY_STATE_UNCONFIGURED,
};
/// Becomes active.
pub(crate) const ACTIVATE: Change =
    Change { label: "Activating ", id: Transition::TRANSITION_ACTIVATE, goal: State::PRIMARY_STATE_ACTIVE };
/// Becomes inactive.
pub(crate) const DEACTIVATE: Change = Change {
    label: "Deactivating ",
    id: Transition::TRANSITION_DEACTIVATE,
    goal: State::PRIMARY_STATE_INACTIVE,
};
/// Becomes finalized.
pub(crate) const SHUTDOWN: Change = Change {
    label: "Shutting down ",
    id: Transition::TRANSITION_UNCONFIGURED_SHUTDOWN,
    goal: State::PRIMARY_STATE_FINALIZED,
};

/// The longest time for which a service may be absent.
const ABSENT: Duration = Duration::from_secs(5);
/// The longest time for a response with the state of a node.
const STATE: Duration = Duration::from_secs(2);
/// The longest time for a node to respond at all.
const RESPONSE: Duration = Duration::from_millis(500);
/// The period in which a wait checks whether the manager is closed.
const SLICE: Duration = Duration::from_millis(50);

/// A managed node.
#[derive(Debug)]
pub(crate) struct Remote {
    pub(crate) name: String,
    change: Client<ChangeState>,
    state: Client<GetState>,
    bond: Option<Bond>,
}

impl Remote {
    pub(crate) fn new(node: &Node, name: &str) -> Result<Self, NodeError> {
        Ok(Self {
            name: name.into(),
            change: node.client(&format!("{name}/change_state")).create()?,
            state: node.client(&format!("{name}/get_state")).create()?,
            bond: None,
        })
    }

    /// Returns the name of the service with the state of the node.
    pub(crate) fn state_service(&self) -> &str {
        self.state.service_name()
    }

    /// Whether the node is there.
    pub(crate) fn is_there(&self) -> bool {
        self.state.service_is_ready() && self.change.service_is_ready()
    }

    /// Whether the node returns its state.
    pub(crate) fn responds(&self) -> bool {
        self.state.call(&GetState_Request::default(), RESPONSE).is_ok()
    }

    /// Whether the node was there at its last activation, and is gone or has ended its bond.
    pub(crate) fn is_lost(&self) -> bool {
        !self.is_there() || !self.answers()
    }

    /// Whether the node has a bond that was formed after its activation.
    pub(crate) fn has_bond(&self) -> bool {
        self.bond.is_some()
    }

    /// Whether the bond is alive. Without a bond, it is true.
    pub(crate) fn answers(&self) -> bool {
        self.bond.as_ref().is_none_or(|bond| !bond.is_broken())
    }

    /// Changes its state within a time, or without a limit. Returns whether it has the state that it should have then. `is_closed`
    /// returns whether to give up.
    pub(crate) fn change(
        &self,
        change: Change,
        limit: Option<Duration>,
        is_closed: &dyn Fn() -> bool,
    ) -> Result<bool, ChangeError> {
        wait(ABSENT, is_closed, |slice| self.change.wait_for_service(slice), "change_state")?;
        let transition = Transition { id: change.id, ..Transition::default() };
        let mut call = self.change.call_async(&ChangeState_Request { transition })?;
        let start = Instant::now();
        loop {
            match call.wait(SLICE) {
                Ok(_) => break,
                Err(CallError::Timeout { .. }) if is_closed() => return Err(ChangeError::Closed),
                Err(CallError::Timeout { .. }) if limit.is_none_or(|limit| start.elapsed() < limit) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let state = self.state.call(&GetState_Request::default(), STATE)?;
        Ok(state.current_state.id == change.goal)
    }

    /// Starts a bond with the node. Returns whether it was formed within half of the bond's timeout.
    pub(crate) fn bind(
        &mut self,
        bonds: &Bonds,
        timeout: Duration,
        is_closed: &dyn Fn() -> bool,
    ) -> Result<bool, String> {
        self.bond = None;
        let settings = BondSettings {
            heartbeat_timeout: Some(timeout),
            heartbeat_period: Duration::from_millis(100),
            ..BondSettings::default()
        };
        let bond = bonds.start(&self.name, settings)?;
        let is_formed = wait(timeout / 2, is_closed, |slice| bond.wait_until_formed(slice), "bond").is_ok();
        self.bond = is_formed.then_some(bond);
        Ok(is_formed)
    }

    /// Ends the bond.
    pub(crate) fn release(&mut self) {
        self.bond = None;
    }
}

/// Waits in slices until a condition is true. `is_so` waits for one slice.
fn wait(
    timeout: Duration,
    is_closed: &dyn Fn() -> bool,
    is_so: impl Fn(Duration) -> bool,
    what: &'static str,
) -> Result<(), ChangeError> {
    let end = Instant::now() + timeout;
    while !is_so(SLICE) {
        if is_closed() {
            return Err(ChangeError::Closed);
        }
        if Instant::now() >= end {
            return Err(ChangeError::NoService(what));
        }
    }
    Ok(())
}
