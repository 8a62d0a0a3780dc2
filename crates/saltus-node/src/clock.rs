//! Clocks: system, steady and ROS time, and what happens when time jumps.
//!
//! Source: "Clock and Time" in the ROS 2 design documents.

use std::{
    fmt,
    sync::{
        Arc, Mutex, Weak,
        atomic::{AtomicBool, AtomicI64, Ordering},
    },
    time::Duration,
};

use saltus_host::{Subscription, Waker, monotonic_now, system_now};
use saltus_msgs::rosgraph_msgs::msg::Clock as ClockMessage;
use saltus_types::{Time, lock};

use crate::{Arrival, Executed, Waitable};

/// Which time a clock shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockKind {
    /// The time of day; may be set forward and back.
    System,
    /// Time since some point of the past; never set.
    Steady,
    /// The time of day, or, while its node uses simulated time, what `/clock` said last: 0 until it
    /// has said anything.
    Ros,
}

/// How ROS time jumped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeJump {
    /// What changed besides the time.
    pub change: ClockChange,
    /// From the time before to the time after, in nanoseconds.
    pub delta: i64,
}

/// Whether a jump came with another source of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockChange {
    /// Simulated time went on by more than the threshold, or back.
    SameSource,
    /// From the time of day to simulated time.
    SimTimeActivated,
    /// From simulated time to the time of day.
    SimTimeDeactivated,
}

/// Which jumps are told of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JumpThreshold {
    /// Those forward by at least this; `None` for none.
    pub min_forward: Option<Duration>,
    /// Those back by at least this; `None` for none.
    pub min_backward: Option<Duration>,
    /// Those to another source of time.
    pub on_clock_change: bool,
}

impl JumpThreshold {
    fn is_exceeded(&self, jump: TimeJump) -> bool {
        let at_least = |limit: Option<Duration>, nanos: i64| {
            limit.is_some_and(|limit| {
                u128::try_from(nanos).is_ok_and(|nanos| nanos > 0 && nanos >= limit.as_nanos())
            })
        };
        match jump.change {
            ClockChange::SameSource => {
                at_least(self.min_forward, jump.delta)
                    || at_least(self.min_backward, jump.delta.saturating_neg())
            }
            _ => self.on_clock_change,
        }
    }
}

/// Keeps a jump callback; dropping it ends the calls.
pub struct JumpHandle(#[expect(dead_code, reason = "held, not used")] Arc<OnJump>);

impl fmt::Debug for JumpHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JumpHandle")
    }
}

struct OnJump {
    threshold: JumpThreshold,
    callback: Mutex<Box<dyn FnMut(TimeJump) + Send>>,
}

/// A source of time. Cheap to clone.
///
/// ```
/// use saltus_node::Clock;
/// let clock = Clock::steady();
/// assert!(clock.now() <= clock.now());
/// ```
#[derive(Clone)]
pub struct Clock(Arc<Inner>);

struct Inner {
    kind: ClockKind,
    is_simulated: AtomicBool,
    simulated: AtomicI64,
    /// Whether simulated time has been said at all.
    has_begun: AtomicBool,
    /// Kept in this order by whoever changes the time, so that jumps are told one by one.
    turn: Mutex<()>,
    on_jump: Mutex<Vec<Weak<OnJump>>>,
    timers: Mutex<Vec<Weak<dyn FollowsTime>>>,
}

/// What must look when simulated time goes on or jumps.
pub(crate) trait FollowsTime: Send + Sync {
    /// `begins`: it is not the time that went on, but another.
    fn time_went_on(&self, begins: bool);
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Clock").field("kind", &self.0.kind).finish_non_exhaustive()
    }
}

impl Clock {
    fn new(kind: ClockKind) -> Self {
        Self(Arc::new(Inner {
            kind,
            is_simulated: AtomicBool::new(false),
            simulated: AtomicI64::new(0),
            has_begun: AtomicBool::new(false),
            turn: Mutex::default(),
            on_jump: Mutex::default(),
            timers: Mutex::default(),
        }))
    }

    /// A clock that shows the time of day.
    pub fn system() -> Self {
        Self::new(ClockKind::System)
    }

    /// A clock that is never set.
    pub fn steady() -> Self {
        Self::new(ClockKind::Steady)
    }

    /// A clock that shows the time of day until it is told otherwise. A node's own is [`crate::Node::clock`].
    pub(crate) fn ros() -> Self {
        Self::new(ClockKind::Ros)
    }

    /// Which time it shows.
    pub fn kind(&self) -> ClockKind {
        self.0.kind
    }

    /// Whether it shows simulated time.
    pub fn is_simulated(&self) -> bool {
        self.0.is_simulated.load(Ordering::Acquire)
    }

    /// The time now, in nanoseconds: since 1970 for system and ROS time, since an arbitrary moment for
    /// the steady clock, and whatever a simulation says.
    pub fn now(&self) -> Time {
        match self.0.kind {
            ClockKind::Steady => Time::from_nanos(i64::try_from(monotonic_now()).unwrap_or(i64::MAX)),
            ClockKind::Ros if self.is_simulated() => {
                Time::from_nanos(self.0.simulated.load(Ordering::Acquire))
            }
            ClockKind::System | ClockKind::Ros => system_now(),
        }
    }

    /// When it will show a time, in monotonic nanoseconds. `None` for simulated time that is yet to come: what
    /// [follows](Clock::follow) it is told when that goes on.
    pub(crate) fn monotonic_deadline(&self, time: i64) -> Option<u64> {
        if self.kind() == ClockKind::Steady {
            return Some(u64::try_from(time).unwrap_or(0));
        }
        let left = u64::try_from(time.saturating_sub(self.now().as_nanos())).unwrap_or(0);
        match left {
            0 => Some(0),
            _ if self.is_simulated() => None,
            _ => Some(monotonic_now().saturating_add(left)),
        }
    }

    /// Calls back after each jump beyond a threshold, on the thread that learned of it, which has no other
    /// jump told meanwhile: the callback must not switch simulated time. Only ROS time is watched: what sets
    /// the time of day tells nobody.
    pub fn on_jump(
        &self,
        threshold: JumpThreshold,
        callback: impl FnMut(TimeJump) + Send + 'static,
    ) -> JumpHandle {
        let on_jump = Arc::new(OnJump { threshold, callback: Mutex::new(Box::new(callback)) });
        let mut all = lock(&self.0.on_jump);
        all.retain(|other| other.strong_count() > 0);
        all.push(Arc::downgrade(&on_jump));
        JumpHandle(on_jump)
    }

    pub(crate) fn follow(&self, timer: Weak<dyn FollowsTime>) {
        let mut timers = lock(&self.0.timers);
        timers.retain(|other| other.strong_count() > 0);
        timers.push(timer);
    }

    /// Simulated time is now this.
    pub(crate) fn set(&self, now: Time) {
        let _turn = lock(&self.0.turn);
        // A message may be on its way when it is switched off.
        if !self.is_simulated() {
            return;
        }
        let begins = !self.0.has_begun.swap(true, Ordering::AcqRel);
        let before = self.0.simulated.swap(now.as_nanos(), Ordering::AcqRel);
        let delta = now.as_nanos().saturating_sub(before);
        let jump = TimeJump { change: ClockChange::SameSource, delta };
        self.tell_timers(begins);
        self.tell_jump(jump);
    }

    /// Shows simulated time from now on, 0 at first, or the time of day.
    pub(crate) fn simulate(&self, simulate: bool) {
        let _turn = lock(&self.0.turn);
        let before = self.now();
        self.0.simulated.store(0, Ordering::Release);
        self.0.has_begun.store(false, Ordering::Release);
        if self.0.is_simulated.swap(simulate, Ordering::AcqRel) == simulate {
            return;
        }
        let change = if simulate { ClockChange::SimTimeActivated } else { ClockChange::SimTimeDeactivated };
        let jump = TimeJump { change, delta: self.now().as_nanos().saturating_sub(before.as_nanos()) };
        self.tell_timers(true);
        self.tell_jump(jump);
    }

    fn tell_jump(&self, jump: TimeJump) {
        let all: Vec<_> = lock(&self.0.on_jump).iter().filter_map(Weak::upgrade).collect();
        for one in all.iter().filter(|one| one.threshold.is_exceeded(jump)) {
            lock(&one.callback)(jump);
        }
    }

    fn tell_timers(&self, begins: bool) {
        let timers: Vec<_> = lock(&self.0.timers).iter().filter_map(Weak::upgrade).collect();
        timers.iter().for_each(|timer| timer.time_went_on(begins));
    }
}

/// Takes simulated time from `/clock`.
pub(crate) struct TimeSource {
    clock: Clock,
    subscription: Subscription,
}

impl TimeSource {
    pub(crate) fn new(clock: Clock, subscription: Subscription) -> Self {
        Self { clock, subscription }
    }
}

impl Waitable for TimeSource {
    fn set_waker(&self, waker: Option<&Waker>) {
        self.subscription.set_waker(waker);
    }

    fn execute(&self) -> Executed {
        let Some(sample) = self.subscription.take() else { return Executed::Nothing };
        match saltus_cdr::decode::<ClockMessage>(&sample) {
            Ok(ClockMessage { clock }) => {
                self.clock
                    .set(Time::from_nanos(i64::from(clock.sec) * 1_000_000_000 + i64::from(clock.nanosec)));
            }
            Err(_) => self.subscription.count_unreadable(),
        }
        Executed::Ran(Some(Arrival::from(&sample)))
    }
}
