//! The states of a bond. Times are durations since an arbitrary start.
//!
//! Source: the states and the times are those of `bond_core`.

use std::time::Duration;

/// The period and the timeouts of a bond.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BondSettings {
    /// The time within which the first heartbeat of the other side must come.
    pub connect_timeout: Duration,
    /// The longest time between two heartbeats of the other side; no limit if `None`.
    pub heartbeat_timeout: Option<Duration>,
    /// The longest time for which the end of the bond is published if the other side does not answer.
    pub disconnect_timeout: Duration,
    /// The time between two heartbeats of this side.
    pub heartbeat_period: Duration,
}

impl Default for BondSettings {
    fn default() -> Self {
        Self {
            connect_timeout: Duration::from_secs(10),
            heartbeat_timeout: Some(Duration::from_secs(4)),
            disconnect_timeout: Duration::from_secs(2),
            heartbeat_period: Duration::from_secs(1),
        }
    }
}

/// The time between two messages that this side has ended the bond.
pub(crate) const DEAD_PERIOD: Duration = Duration::from_millis(50);

/// The state of a bond.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BondState {
    /// No heartbeat of the other side has come.
    Waiting,
    /// Both sides are alive.
    Alive,
    /// This side has ended the bond, and the other one has not answered.
    Ending,
    /// The bond is broken.
    Dead,
}

/// A bond, as one side sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Machine {
    settings: BondSettings,
    state: BondState,
    was_formed: bool,
    /// The time at which the state changes if no message comes.
    until: Option<Duration>,
    /// The time at which the next message is due.
    next: Duration,
}

impl Machine {
    pub(crate) fn new(settings: BondSettings, now: Duration) -> Self {
        let until = Some(now + settings.connect_timeout);
        Self { settings, state: BondState::Waiting, was_formed: false, until, next: now }
    }

    pub(crate) fn settings(&self) -> &BondSettings {
        &self.settings
    }

    pub(crate) fn state(&self) -> BondState {
        self.state
    }

    /// Whether both sides have been alive at the same time.
    pub(crate) fn was_formed(&self) -> bool {
        self.was_formed
    }

    fn die(&mut self) {
        (self.state, self.until) = (BondState::Dead, None);
    }

    /// Processes a message of the other side: a heartbeat, or the end of the bond. Returns the message that must be published at
    /// once, if any: `true` for a heartbeat, `false` for the end.
    pub(crate) fn receive(&mut self, is_alive: bool, now: Duration) -> Option<bool> {
        let before = self.state;
        match (before, is_alive) {
            (BondState::Waiting | BondState::Alive, true) => {
                (self.state, self.was_formed) = (BondState::Alive, true);
                self.until = self.settings.heartbeat_timeout.map(|timeout| now + timeout);
                // The other side waits for a heartbeat of this one.
                (before == BondState::Waiting).then_some(true)
            }
            (BondState::Waiting | BondState::Alive, false) => {
                self.die();
                Some(false)
            }
            (BondState::Ending, false) => {
                self.die();
                None
            }
            (BondState::Ending, true) | (BondState::Dead, _) => None,
        }
    }

    /// Ends the bond. Returns whether this must be published at once.
    pub(crate) fn end(&mut self, now: Duration) -> bool {
        match self.state {
            BondState::Waiting => self.die(),
            BondState::Alive => {
                (self.state, self.next) = (BondState::Ending, now + DEAD_PERIOD);
                self.until = Some(now + self.settings.disconnect_timeout);
            }
            BondState::Ending | BondState::Dead => return false,
        }
        true
    }

    /// Returns the message that is due, if any: `true` for a heartbeat, `false` for the end of the bond.
    pub(crate) fn tick(&mut self, now: Duration) -> Option<bool> {
        if self.until.is_some_and(|until| now >= until) {
            self.die();
        }
        let period = match self.state {
            BondState::Waiting | BondState::Alive => self.settings.heartbeat_period,
            BondState::Ending => DEAD_PERIOD,
            BondState::Dead => return None,
        };
        if now < self.next {
            return None;
        }
        // After a pause, there is one message, and not one for each period.
        self.next = (self.next + period).max(now + period / 2);
        Some(self.state != BondState::Ending)
    }
}
