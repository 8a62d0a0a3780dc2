//! What happens to a publisher or subscription besides messages: the events of ROS 2's QoS.
//!
//! Events of a kind that nobody has asked for yet are added up, as DDS does: so their memory is
//! bounded, and none is lost.

use saltus_types::QosMismatch;

use crate::compatibility::Mismatch;

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

/// What happened to an endpoint and was not told yet.
#[derive(Clone, Copy, Debug, Default)]
pub struct EndpointEvents {
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

/// Whether something happened that is to be told.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Happened(pub bool);

impl EndpointEvents {
    /// A deadline was missed for so many periods.
    pub fn deadline_missed(&mut self, periods: u64) -> Happened {
        self.deadline.add(periods);
        Happened(periods > 0)
    }

    /// The lease of manual liveliness has run out.
    pub fn liveliness_lost(&mut self) -> Happened {
        self.liveliness_lost.add(1);
        Happened(true)
    }

    /// So many publishers are connected and alive now, and so many are silent.
    pub fn liveliness(&mut self, alive: usize, not_alive: usize) -> Happened {
        let now = (alive as u64, not_alive as u64);
        let changed = now != (self.alive.now, self.not_alive.now);
        (self.alive.now, self.not_alive.now) = now;
        Happened(changed)
    }

    /// An endpoint was found that can't be connected.
    pub fn mismatch(&mut self, mismatch: Mismatch) -> Happened {
        match mismatch {
            Mismatch::Type => self.incompatible_type.add(1),
            Mismatch::Qos(policy) => {
                self.incompatible_qos.add(1);
                self.policy = Some(policy);
            }
        }
        Happened(true)
    }

    /// So many messages were lost so far.
    pub fn lost(&mut self, total: u64) -> Happened {
        let is_more = total > self.lost.total;
        self.lost.total = self.lost.total.max(total);
        Happened(is_more)
    }

    /// So many endpoints are connected now, of which so many were not when this was last said.
    pub fn matched(&mut self, new: u64, current: usize) -> Happened {
        let current = current as u64;
        let happened = new > 0 || current != self.current.now;
        self.matched.add(new);
        self.current.now = current;
        Happened(happened)
    }

    /// How many endpoints did not suit so far.
    pub fn incompatible(&self) -> u64 {
        self.incompatible_qos.total + self.incompatible_type.total
    }

    /// The next event that was not told yet.
    pub fn take(&mut self) -> Option<EndpointEvent> {
        use EndpointEvent as Event;
        let counted = |tally: &mut Tally, event: fn(u64, u64) -> Event| {
            tally.tell().map(|(total, change)| event(total, change))
        };
        self.take_matched()
            .or_else(|| counted(&mut self.deadline, |total, change| Event::DeadlineMissed { total, change }))
            .or_else(|| {
                counted(&mut self.liveliness_lost, |total, change| Event::LivelinessLost { total, change })
            })
            .or_else(|| self.take_liveliness())
            .or_else(|| {
                let policy = self.policy.unwrap_or(QosMismatch::Reliability);
                let (total, change) = self.incompatible_qos.tell()?;
                Some(Event::IncompatibleQos { total, change, policy })
            })
            .or_else(|| {
                counted(&mut self.incompatible_type, |total, change| Event::IncompatibleType {
                    total,
                    change,
                })
            })
            .or_else(|| counted(&mut self.lost, |total, change| Event::MessageLost { total, change }))
    }

    fn take_matched(&mut self) -> Option<EndpointEvent> {
        let told = self.matched.tell();
        let (current, current_change) = self.current.tell();
        (told.is_some() || current_change != 0).then(|| EndpointEvent::Matched {
            total: self.matched.total,
            change: told.map_or(0, |(_, change)| change),
            current,
            current_change,
        })
    }

    fn take_liveliness(&mut self) -> Option<EndpointEvent> {
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
