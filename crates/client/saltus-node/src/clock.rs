//! Clocks: system time, steady time and ROS time, and callbacks for time jumps.
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

/// The time that a clock shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockKind {
    /// The time of day. It may be set forward and back.
    System,
    /// The time since an arbitrary moment in the past. It is never set.
    Steady,
    /// The time of day. If the node uses simulated time: the last time that was received on `/clock`, or 0 before the
    /// first message.
    Ros,
}

/// A jump of ROS time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeJump {
    /// Whether the source of time changed.
    pub change: ClockChange,
    /// The time after the jump minus the time before, in nanoseconds.
    pub delta: i64,
}

/// Whether a jump changed the source of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockChange {
    /// The source did not change. Simulated time jumped forward or backward by at least the threshold.
    SameSource,
    /// The clock switched from the time of day to simulated time.
    SimTimeActivated,
    /// The clock switched from simulated time to the time of day.
    SimTimeDeactivated,
}

/// The jumps for which a callback is called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JumpThreshold {
    /// The smallest forward jump for which the callback is called. With `None`, it is not called for forward jumps.
    pub min_forward: Option<Duration>,
    /// The smallest backward jump for which the callback is called. With `None`, it is not called for backward jumps.
    pub min_backward: Option<Duration>,
    /// Whether the callback is called when the source of time changes.
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

/// A registered jump callback. Dropping the handle ends the calls.
#[must_use = "dropping it ends the calls; keep it in a variable, because `let _ =` drops it at once"]
pub struct JumpHandle(#[expect(dead_code, reason = "it keeps the callback alive")] Arc<OnJump>);

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
/// use saltus::time::Clock;
/// let clock = Clock::steady();
/// assert!(clock.now() <= clock.now());
/// ```
#[derive(Clone)]
pub struct Clock(Arc<ClockState>);

struct ClockState {
    kind: ClockKind,
    is_simulated: AtomicBool,
    simulated: AtomicI64,
    /// Whether simulated time was set at least once since the clock was switched to it.
    has_begun: AtomicBool,
    /// Locked by the thread that changes the time, so that jumps are reported one at a time.
    change: Mutex<()>,
    on_jump: Mutex<Vec<Weak<OnJump>>>,
    timers: Mutex<Vec<Weak<dyn FollowsTime>>>,
}

/// An entity that must check its deadline again when the time of a clock changes.
pub(crate) trait FollowsTime: Send + Sync {
    /// Checks the deadline. `is_restart` is `true` if the new time does not continue the old one, because the source of
    /// time has changed or the first simulated time was received.
    fn time_changed(&self, is_restart: bool);
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Clock").field("kind", &self.0.kind).finish_non_exhaustive()
    }
}

impl Clock {
    fn new(kind: ClockKind) -> Self {
        Self(Arc::new(ClockState {
            kind,
            is_simulated: AtomicBool::new(false),
            simulated: AtomicI64::new(0),
            has_begun: AtomicBool::new(false),
            change: Mutex::default(),
            on_jump: Mutex::default(),
            timers: Mutex::default(),
        }))
    }

    /// Returns a clock that shows the time of day.
    pub fn system() -> Self {
        Self::new(ClockKind::System)
    }

    /// Returns a clock that is never set.
    pub fn steady() -> Self {
        Self::new(ClockKind::Steady)
    }

    /// Returns a clock that shows the time of day until it is switched to simulated time. A node's clock is
    /// [`crate::Node::clock`].
    pub(crate) fn ros() -> Self {
        Self::new(ClockKind::Ros)
    }

    /// Returns which time the clock shows.
    pub fn kind(&self) -> ClockKind {
        self.0.kind
    }

    /// Whether the clock shows simulated time.
    pub fn is_simulated(&self) -> bool {
        self.0.is_simulated.load(Ordering::Acquire)
    }

    /// Whether a simulated time has come since the clock was switched to it.
    pub(crate) fn has_begun(&self) -> bool {
        self.0.has_begun.load(Ordering::Acquire)
    }

    /// Returns the current time. System time and ROS time count from 1970, steady time counts from an arbitrary moment,
    /// and simulated time counts as the simulator defines it.
    pub fn now(&self) -> Time {
        match self.0.kind {
            ClockKind::Steady => Time::from_nanos(i64::try_from(monotonic_now()).unwrap_or(i64::MAX)),
            ClockKind::Ros if self.is_simulated() => {
                Time::from_nanos(self.0.simulated.load(Ordering::Acquire))
            }
            ClockKind::System | ClockKind::Ros => system_now(),
        }
    }

    /// Returns when the clock will show `time`, in monotonic nanoseconds. Returns `None` for a simulated time that has
    /// not come yet. Timers that [follow](Clock::follow) the clock are notified when simulated time changes.
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

    /// Registers a callback for jumps of ROS time that reach the threshold. It is called after the jump, on the thread
    /// that changed the time.
    ///
    /// That thread holds a lock until the callback returns, so that jumps are reported one at a time. So the callback
    /// must not switch simulated time on or off. When the time of day is set, the callback is not called, because the
    /// system does not report that.
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

    /// Registers `timer` to be notified whenever simulated time changes, or is switched on or off.
    pub(crate) fn follow(&self, timer: Weak<dyn FollowsTime>) {
        let mut timers = lock(&self.0.timers);
        timers.retain(|other| other.strong_count() > 0);
        timers.push(timer);
    }

    /// Sets simulated time. Does nothing if the clock shows the time of day.
    pub(crate) fn set(&self, now: Time) {
        let _change = lock(&self.0.change);
        // A message may still arrive after simulated time was switched off.
        if !self.is_simulated() {
            return;
        }
        let is_restart = !self.0.has_begun.swap(true, Ordering::AcqRel);
        let before = self.0.simulated.swap(now.as_nanos(), Ordering::AcqRel);
        let delta = now.as_nanos().saturating_sub(before);
        let jump = TimeJump { change: ClockChange::SameSource, delta };
        self.notify_timers(is_restart);
        self.notify_jump(jump);
    }

    /// Switches to simulated time, which is 0 at first, or back to the time of day.
    pub(crate) fn simulate(&self, simulate: bool) {
        let _change = lock(&self.0.change);
        let before = self.now();
        self.0.simulated.store(0, Ordering::Release);
        self.0.has_begun.store(false, Ordering::Release);
        if self.0.is_simulated.swap(simulate, Ordering::AcqRel) == simulate {
            return;
        }
        let change = if simulate { ClockChange::SimTimeActivated } else { ClockChange::SimTimeDeactivated };
        let jump = TimeJump { change, delta: self.now().as_nanos().saturating_sub(before.as_nanos()) };
        self.notify_timers(true);
        self.notify_jump(jump);
    }

    fn notify_jump(&self, jump: TimeJump) {
        let all: Vec<_> = lock(&self.0.on_jump).iter().filter_map(Weak::upgrade).collect();
        for one in all.iter().filter(|one| one.threshold.is_exceeded(jump)) {
            lock(&one.callback)(jump);
        }
    }

    fn notify_timers(&self, is_restart: bool) {
        let timers: Vec<_> = lock(&self.0.timers).iter().filter_map(Weak::upgrade).collect();
        timers.iter().for_each(|timer| timer.time_changed(is_restart));
    }
}

/// A waitable that sets a clock to the times that are received on `/clock`.
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
