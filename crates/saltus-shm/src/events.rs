//! What happens to a publisher or subscription besides messages: the events of ROS 2's QoS.
//!
//! Events of a kind that nobody has asked for yet are added up, as DDS does: so their memory is
//! bounded, and none is lost.

use std::fmt;

use saltus_types::QosMismatch;

use crate::{
    os::mutex::{Mutex, MutexGuard},
    waiter::Waker,
};

/// Something that happened to an endpoint. `total` counts since it was opened, `change` since the event
/// was last told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndpointEvent {
    /// A publisher did not publish, or a subscription did not receive, within the deadline: once for
    /// each period that went by.
    DeadlineMissed {
        /// Periods so far.
        total: u64,
        /// Periods since last told.
        change: u64,
    },
    /// A publisher with manual liveliness let its lease run out.
    LivelinessLost {
        /// Times so far.
        total: u64,
        /// Times since last told.
        change: u64,
    },
    /// Publishers of a subscription's topic came, went, fell silent or spoke again.
    LivelinessChanged {
        /// How many are alive now.
        alive: u64,
        /// How many are connected and silent beyond their lease.
        not_alive: u64,
        /// How `alive` differs from when it was last told.
        alive_change: i64,
        /// How `not_alive` differs from when it was last told.
        not_alive_change: i64,
    },
    /// An endpoint of the other side was found whose QoS does not suit.
    IncompatibleQos {
        /// Endpoints so far.
        total: u64,
        /// Endpoints since last told.
        change: u64,
        /// The policy that failed last.
        policy: QosMismatch,
    },
    /// An endpoint of the other side was found whose type is another.
    IncompatibleType {
        /// Endpoints so far.
        total: u64,
        /// Endpoints since last told.
        change: u64,
    },
    /// A subscription lost messages.
    MessageLost {
        /// Messages so far.
        total: u64,
        /// Messages since last told.
        change: u64,
    },
    /// Endpoints of the other side were connected, or have gone.
    Matched {
        /// Connections so far.
        total: u64,
        /// New connections since last told.
        change: u64,
        /// Connections now.
        current: u64,
        /// How `current` differs from when it was last told.
        current_change: i64,
    },
}

/// A count, and how much of it was told.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    total: u64,
    told: u64,
}

impl Tally {
    fn add(&mut self, count: u64) {
        self.total += count;
    }

    /// The total and what is new; `None` if nothing is.
    fn tell(&mut self) -> Option<(u64, u64)> {
        let change = self.total - std::mem::replace(&mut self.told, self.total);
        (change > 0).then_some((self.total, change))
    }
}

/// A number of the present, and what was told of it last.
#[derive(Clone, Copy, Debug, Default)]
struct Gauge {
    now: u64,
    told: u64,
}

impl Gauge {
    fn tell(&mut self) -> (u64, i64) {
        let told = std::mem::replace(&mut self.told, self.now);
        (self.now, self.now as i64 - told as i64)
    }
}

/// What happened to an endpoint, and who is to be told.
#[derive(Default)]
pub(crate) struct Events(Mutex<State>);

#[derive(Default)]
struct State {
    waker: Option<Waker>,
    deadline: Tally,
    liveliness_lost: Tally,
    incompatible_qos: Tally,
    policy: Option<QosMismatch>,
    incompatible_type: Tally,
    lost: Tally,
    matched: Tally,
    current: Gauge,
    alive: Gauge,
    not_alive: Gauge,
}

impl fmt::Debug for Events {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Events")
    }
}

impl Events {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock()
    }

    /// From now on an event rings there, or nowhere; what was not told yet rings at once.
    pub(crate) fn set_waker(&self, waker: Option<&Waker>) {
        self.lock().waker = waker.cloned();
        waker.inspect(|waker| waker.ring());
    }

    /// Has whoever is told of events look, though there may be none.
    pub(crate) fn ring(&self) {
        if let Some(waker) = &self.lock().waker {
            waker.ring();
        }
    }

    fn note(&self, happen: impl FnOnce(&mut State)) {
        let mut state = self.lock();
        happen(&mut state);
        if let Some(waker) = &state.waker {
            waker.ring();
        }
    }

    pub(crate) fn deadline_missed(&self, periods: u64) {
        self.note(|state| state.deadline.add(periods));
    }

    pub(crate) fn liveliness_lost(&self) {
        self.note(|state| state.liveliness_lost.add(1));
    }

    pub(crate) fn liveliness(&self, alive: usize, not_alive: usize) {
        let (alive, not_alive) = (alive as u64, not_alive as u64);
        if (alive, not_alive) != self.with(|state| (state.alive.now, state.not_alive.now)) {
            self.note(|state| (state.alive.now, state.not_alive.now) = (alive, not_alive));
        }
    }

    pub(crate) fn incompatible_qos(&self, policy: QosMismatch) {
        self.note(|state| {
            state.incompatible_qos.add(1);
            state.policy = Some(policy);
        });
    }

    pub(crate) fn incompatible_type(&self) {
        self.note(|state| state.incompatible_type.add(1));
    }

    /// The total of messages lost so far.
    pub(crate) fn lost(&self, total: u64) {
        if total > self.with(|state| state.lost.total) {
            self.note(|state| state.lost.total = state.lost.total.max(total));
        }
    }

    /// How many are connected now, and how many of them were not when this was last said.
    pub(crate) fn matched(&self, new: u64, current: usize) {
        let current = current as u64;
        if new > 0 || current != self.with(|state| state.current.now) {
            self.note(|state| {
                state.matched.add(new);
                state.current.now = current;
            });
        }
    }

    /// How many endpoints did not suit so far.
    pub(crate) fn incompatible(&self) -> u64 {
        self.with(|state| state.incompatible_qos.total + state.incompatible_type.total)
    }

    fn with<T>(&self, look: impl FnOnce(&State) -> T) -> T {
        look(&self.lock())
    }

    /// The next event that was not told yet.
    pub(crate) fn take(&self) -> Option<EndpointEvent> {
        let mut state = self.lock();
        let state = &mut *state;
        let counted = |tally: &mut Tally, event: fn(u64, u64) -> EndpointEvent| {
            tally.tell().map(|(total, change)| event(total, change))
        };
        use EndpointEvent as Event;
        state
            .matched()
            .or_else(|| counted(&mut state.deadline, |total, change| Event::DeadlineMissed { total, change }))
            .or_else(|| {
                counted(&mut state.liveliness_lost, |total, change| Event::LivelinessLost { total, change })
            })
            .or_else(|| state.liveliness_changed())
            .or_else(|| {
                let policy = state.policy.unwrap_or(QosMismatch::Reliability);
                let (total, change) = state.incompatible_qos.tell()?;
                Some(Event::IncompatibleQos { total, change, policy })
            })
            .or_else(|| {
                counted(&mut state.incompatible_type, |total, change| Event::IncompatibleType {
                    total,
                    change,
                })
            })
            .or_else(|| counted(&mut state.lost, |total, change| Event::MessageLost { total, change }))
    }
}

impl State {
    fn matched(&mut self) -> Option<EndpointEvent> {
        let told = self.matched.tell();
        let (current, current_change) = self.current.tell();
        (told.is_some() || current_change != 0).then(|| EndpointEvent::Matched {
            total: self.matched.total,
            change: told.map_or(0, |(_, change)| change),
            current,
            current_change,
        })
    }

    fn liveliness_changed(&mut self) -> Option<EndpointEvent> {
        let ((alive, alive_change), (not_alive, not_alive_change)) =
            (self.alive.tell(), self.not_alive.tell());
        (alive_change != 0 || not_alive_change != 0).then_some(EndpointEvent::LivelinessChanged {
            alive,
            not_alive,
            alive_change,
            not_alive_change,
        })
    }
}
