//! The events of a publisher or subscription besides messages: the QoS events of ROS 2.
//!
//! Events of one kind that were not taken yet are added up, as in DDS. So their memory is bounded, and
//! no event is lost.

use saltus_types::QosMismatch;

use crate::compatibility::Mismatch;

/// Something that happened to an endpoint. `total` counts since the endpoint was opened, `change` since the
/// last event of the same kind was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndpointEvent {
    /// A publisher did not publish, or a subscription did not receive, within the deadline. Each period
    /// without a message counts once.
    DeadlineMissed {
        /// Periods so far.
        total: u64,
        /// Periods since the last event.
        change: u64,
    },
    /// The lease of a publisher with manual liveliness expired.
    LivelinessLost {
        /// Times so far.
        total: u64,
        /// Times since the last event.
        change: u64,
    },
    /// Publishers of a subscription's topic came, went, became silent or became active again.
    LivelinessChanged {
        /// The number of publishers that are alive now.
        alive: u64,
        /// The number of publishers that are connected and silent beyond their lease.
        not_alive: u64,
        /// The change of `alive` since the last event.
        alive_change: i64,
        /// The change of `not_alive` since the last event.
        not_alive_change: i64,
    },
    /// An endpoint of the other side was found whose QoS is incompatible.
    IncompatibleQos {
        /// Endpoints so far.
        total: u64,
        /// Endpoints since the last event.
        change: u64,
        /// The incompatible policy of the endpoint that was found last.
        policy: QosMismatch,
    },
    /// An endpoint of the other side was found that has another type.
    IncompatibleType {
        /// Endpoints so far.
        total: u64,
        /// Endpoints since the last event.
        change: u64,
    },
    /// A subscription lost messages.
    MessageLost {
        /// Messages so far.
        total: u64,
        /// Messages since the last event.
        change: u64,
    },
    /// Endpoints of the other side were connected, or have gone.
    Matched {
        /// Connections so far.
        total: u64,
        /// New connections since the last event.
        change: u64,
        /// Connections now.
        current: u64,
        /// The change of `current` since the last event.
        current_change: i64,
    },
}

/// A count, and how much of it was reported.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    total: u64,
    reported: u64,
}

impl Tally {
    fn add(&mut self, count: u64) {
        self.total += count;
    }

    /// Reports the count. Returns the total and how much of it is new, or `None` if nothing is new.
    fn report(&mut self) -> Option<(u64, u64)> {
        let change = self.total - std::mem::replace(&mut self.reported, self.total);
        (change > 0).then_some((self.total, change))
    }
}

/// A number that rises and falls, and the value that was reported last.
#[derive(Clone, Copy, Debug, Default)]
struct Gauge {
    now: u64,
    reported: u64,
}

impl Gauge {
    /// Reports the number. Returns it and its change since the last report.
    fn report(&mut self) -> (u64, i64) {
        let before = std::mem::replace(&mut self.reported, self.now);
        (self.now, self.now as i64 - before as i64)
    }
}

/// The events of an endpoint that were not taken yet.
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

/// Whether there is something new to report.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Happened(pub bool);

impl EndpointEvents {
    /// Notes that the deadline was missed for `periods` more periods.
    pub fn deadline_missed(&mut self, periods: u64) -> Happened {
        self.deadline.add(periods);
        Happened(periods > 0)
    }

    /// Notes that the lease of manual liveliness has expired.
    pub fn liveliness_lost(&mut self) -> Happened {
        self.liveliness_lost.add(1);
        Happened(true)
    }

    /// Notes how many connected publishers are alive, and how many are silent beyond their lease.
    pub fn liveliness(&mut self, alive: usize, not_alive: usize) -> Happened {
        let now = (alive as u64, not_alive as u64);
        let changed = now != (self.alive.now, self.not_alive.now);
        (self.alive.now, self.not_alive.now) = now;
        Happened(changed)
    }

    /// Notes that an incompatible endpoint was found.
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

    /// Notes that `total` messages were lost so far.
    pub fn lost(&mut self, total: u64) -> Happened {
        let is_more = total > self.lost.total;
        self.lost.total = self.lost.total.max(total);
        Happened(is_more)
    }

    /// Notes that `current` endpoints are connected. `new` is how many were connected since the last call.
    pub fn matched(&mut self, new: u64, current: usize) -> Happened {
        let current = current as u64;
        let happened = new > 0 || current != self.current.now;
        self.matched.add(new);
        self.current.now = current;
        Happened(happened)
    }

    /// Returns how many incompatible endpoints were found so far.
    pub fn incompatible(&self) -> u64 {
        self.incompatible_qos.total + self.incompatible_type.total
    }

    /// Takes the next event.
    pub fn take(&mut self) -> Option<EndpointEvent> {
        use EndpointEvent as Event;
        let counted = |tally: &mut Tally, event: fn(u64, u64) -> Event| {
            tally.report().map(|(total, change)| event(total, change))
        };
        self.take_matched()
            .or_else(|| counted(&mut self.deadline, |total, change| Event::DeadlineMissed { total, change }))
            .or_else(|| {
                counted(&mut self.liveliness_lost, |total, change| Event::LivelinessLost { total, change })
            })
            .or_else(|| self.take_liveliness())
            .or_else(|| {
                let policy = self.policy.unwrap_or(QosMismatch::Reliability);
                let (total, change) = self.incompatible_qos.report()?;
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
        let matched = self.matched.report();
        let (current, current_change) = self.current.report();
        (matched.is_some() || current_change != 0).then(|| EndpointEvent::Matched {
            total: self.matched.total,
            change: matched.map_or(0, |(_, change)| change),
            current,
            current_change,
        })
    }

    fn take_liveliness(&mut self) -> Option<EndpointEvent> {
        let ((alive, alive_change), (not_alive, not_alive_change)) =
            (self.alive.report(), self.not_alive.report());
        (alive_change != 0 || not_alive_change != 0).then_some(EndpointEvent::LivelinessChanged {
            alive,
            not_alive,
            alive_change,
            not_alive_change,
        })
    }
}
