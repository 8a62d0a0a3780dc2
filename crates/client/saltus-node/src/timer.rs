//! Timers.

use std::{
    fmt,
    sync::{
        Arc, Mutex, MutexGuard, Weak,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use saltus_host::Waker;
use saltus_types::{Time, lock};

use crate::{
    CallbackGroup, Clock, ClockKind, Executed, Node, NodeError, Waitable, callback::Callback,
    clock::FollowsTime,
};

/// The largest step of simulated time, in periods, after which a timer is still called once for each period. After a
/// longer step it is called once.
const MAX_CATCH_UP_PERIODS: i64 = 1000;

impl Node {
    /// Returns a builder for a timer on the node's clock. The clock shows simulated time if `use_sim_time` is set.
    ///
    /// ```no_run
    /// # use std::time::Duration;
    /// # fn f(node: &saltus::Node) -> Result<(), saltus::node::NodeError> {
    /// let _timer = node.timer(Duration::from_secs(1)).callback(|| println!("a second has passed"))?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn timer(&self, period: Duration) -> TimerBuilder {
        TimerBuilder::new(self, period)
    }

    /// Returns a builder for a timer on the steady clock.
    pub fn wall_timer(&self, period: Duration) -> TimerBuilder {
        self.timer(period).clock(&Clock::steady())
    }
}

/// A builder for timers.
#[must_use = "nothing is called before `callback`"]
pub struct TimerBuilder {
    period: Duration,
    clock: Clock,
    group: CallbackGroup,
}

impl fmt::Debug for TimerBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TimerBuilder").field("period", &self.period).finish_non_exhaustive()
    }
}

impl TimerBuilder {
    pub(crate) fn new(node: &Node, period: Duration) -> Self {
        let (clock, group) = (node.clock().clone(), node.default_callback_group().clone());
        Self { period, clock, group }
    }

    /// Sets the clock of the timer. The default is the node's clock.
    pub fn clock(mut self, clock: &Clock) -> Self {
        self.clock = clock.clone();
        self
    }

    /// Sets the callback group that the timer belongs to. The default is the node's default group.
    pub fn callback_group(mut self, group: &CallbackGroup) -> Self {
        self.group = group.clone();
        self
    }

    /// Starts the timer. An executor calls `callback` once per period. The first call is after one period.
    ///
    /// Deadlines are absolute, so delays do not add up. A deadline that was missed by more than a period is skipped.
    /// With simulated time no deadline is skipped: the callback is called once for each period.
    pub fn callback(self, callback: impl FnMut() + Send + 'static) -> Result<Timer, NodeError> {
        self.start(Callback::exclusive(Box::new(callback)))
    }

    /// Starts the timer like [`TimerBuilder::callback`]. If the timer is in a re-entrant group, a call may begin before
    /// the previous one has returned.
    pub fn reentrant_callback(self, callback: impl Fn() + Send + Sync + 'static) -> Result<Timer, NodeError> {
        self.start(Callback::Reentrant(Box::new(callback)))
    }

    fn start(self, callback: OnTimer) -> Result<Timer, NodeError> {
        let period = nanos(self.period);
        if period == 0 {
            return Err(NodeError::Period);
        }
        let (span, due) = (AtomicI64::new(period), AtomicI64::new(CANCELLED));
        let next = AtomicI64::new(self.clock.now().as_nanos().saturating_add(period));
        let started = AtomicI64::new(next.load(Ordering::Relaxed).saturating_sub(period));
        let core = Arc::new(TimerCore {
            period: AtomicI64::new(period),
            clock: self.clock,
            last: started,
            next,
            span,
            due,
            callback,
            waker: Mutex::default(),
            _group: self.group.clone(),
        });
        let follows: Arc<dyn FollowsTime> = core.clone();
        if core.clock.kind() == ClockKind::Ros {
            core.clock.follow(Arc::downgrade(&follows));
        }
        let as_waitable: Arc<dyn Waitable> = core.clone();
        let weak: Weak<dyn Waitable> = Arc::downgrade(&as_waitable);
        self.group.add(weak);
        Ok(Timer(core))
    }
}

/// A timer: its callback is called once per period. Dropping the timer stops it.
///
/// ```
/// use saltus::{Context, Executor, SingleThreadedExecutor};
/// use std::time::Duration;
/// let context = Context::new()?;
/// let node = context.node("ticker").create()?;
/// let timer = node.wall_timer(Duration::from_millis(5)).callback(|| println!("5 ms have passed"))?;
/// let mut executor = SingleThreadedExecutor::new(&context)?;
/// executor.add_node(&node);
/// executor.spin_once(Some(Duration::from_secs(1)))?;
/// timer.cancel();
/// assert!(timer.is_cancelled());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "dropping it stops the timer; keep it in a variable, because `let _ =` drops it at once"]
pub struct Timer(Arc<TimerCore>);

struct TimerCore {
    /// The time between two calls, in nanoseconds. At least 1.
    period: AtomicI64,
    clock: Clock,
    /// The time of the last call on `clock`, in nanoseconds. The time of the start before the first call.
    last: AtomicI64,
    /// The deadline: the time of the next call on `clock`, in nanoseconds. [`CANCELLED`] if the timer is stopped.
    next: AtomicI64,
    /// The time until the deadline when it was set, in nanoseconds. If time restarts or goes back, the
    /// deadline is set to this far after the new time.
    span: AtomicI64,
    /// When the last call was due on `clock`, in nanoseconds. [`CANCELLED`] before the first call.
    due: AtomicI64,
    callback: OnTimer,
    /// The waker of the executor. It is rung when the deadline changes.
    waker: Mutex<Option<Waker>>,
    /// Keeps the callback group alive.
    _group: CallbackGroup,
}

type OnTimer = Callback<dyn FnMut() + Send, dyn Fn() + Send + Sync>;

/// The deadline of a timer that is stopped.
const CANCELLED: i64 = i64::MAX;

fn nanos(period: Duration) -> i64 {
    i64::try_from(period.as_nanos()).unwrap_or(i64::MAX / 2)
}

impl Timer {
    /// Stops the timer until [`Timer::reset`] is called.
    pub fn cancel(&self) {
        self.0.next.store(CANCELLED, Ordering::Release);
    }

    /// Whether the timer is stopped.
    pub fn is_cancelled(&self) -> bool {
        self.0.next.load(Ordering::Acquire) == CANCELLED
    }

    /// Restarts the timer: the next call is one period from now.
    pub fn reset(&self) {
        self.0.restart();
    }

    /// Restarts the timer: the next call is at `next` on the timer's clock, which may be in the past. After that, the
    /// timer is called once per period. With this method, a program can compute each deadline from the previous
    /// deadline, so that the deadlines do not drift.
    pub fn reset_at(&self, next: Time) {
        let at = next.as_nanos().clamp(0, CANCELLED - 1);
        self.0.set(at, at.saturating_sub(self.0.clock.now().as_nanos()).max(0));
    }

    /// Returns when the next call is due on the timer's clock, or `None` if the timer is stopped.
    pub fn next_call(&self) -> Option<Time> {
        let next = self.0.next.load(Ordering::Acquire);
        (next != CANCELLED).then(|| Time::from_nanos(next))
    }

    /// Returns when the last call was due on the timer's clock, or `None` before the first call. During a call, this is
    /// the running call.
    pub fn last_due(&self) -> Option<Time> {
        let due = self.0.due.load(Ordering::Acquire);
        (due != CANCELLED).then(|| Time::from_nanos(due))
    }

    /// Returns the time between two calls.
    pub fn period(&self) -> Duration {
        Duration::from_nanos(self.0.period() as u64)
    }

    /// Sets the time between two calls. It takes effect after the next call. 0 is treated as one nanosecond.
    pub fn set_period(&self, period: Duration) {
        self.0.period.store(nanos(period).max(1), Ordering::Release);
    }

    /// Returns the time since the last call on the timer's clock. Before the first call, returns the time since the
    /// timer was started.
    pub fn time_since_last_call(&self) -> Duration {
        let since = self.0.clock.now().as_nanos().saturating_sub(self.0.last.load(Ordering::Acquire));
        Duration::from_nanos(u64::try_from(since).unwrap_or(0))
    }

    /// Returns the clock of the timer.
    pub fn clock(&self) -> &Clock {
        &self.0.clock
    }

    /// Returns the time until the next call on the timer's clock, or `None` if the timer is stopped.
    pub fn time_until_next_call(&self) -> Option<Duration> {
        let next = self.0.next.load(Ordering::Acquire);
        let left = next.saturating_sub(self.0.clock.now().as_nanos());
        (next != CANCELLED).then(|| Duration::from_nanos(u64::try_from(left).unwrap_or(0)))
    }
}

impl fmt::Debug for Timer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Timer").field("period", &self.period()).finish_non_exhaustive()
    }
}

impl TimerCore {
    fn period(&self) -> i64 {
        self.period.load(Ordering::Acquire)
    }

    fn waker(&self) -> MutexGuard<'_, Option<Waker>> {
        lock(&self.waker)
    }

    fn ring(&self) {
        if let Some(waker) = &*self.waker() {
            waker.ring();
        }
    }

    fn restart(&self) {
        let period = self.period();
        self.set(self.clock.now().as_nanos().saturating_add(period), period);
    }

    fn set(&self, next: i64, span: i64) {
        self.span.store(span, Ordering::Release);
        self.next.store(next, Ordering::Release);
        self.ring();
    }

    /// Calls `callback` if the timer is due.
    fn call(&self, callback: impl FnOnce()) -> Executed {
        if self.advance().is_none() {
            return Executed::Nothing;
        }
        callback();
        Executed::Ran(None)
    }

    /// Advances the deadline by whole periods. Returns `None` if the timer is not due.
    fn advance(&self) -> Option<()> {
        let due = self.next.load(Ordering::Acquire);
        let (now, period) = (self.clock.now().as_nanos(), self.period());
        let late = now.checked_sub(due).filter(|late| *late >= 0)?;
        let periods = late / period;
        let ahead =
            if self.clock.is_simulated() && periods <= MAX_CATCH_UP_PERIODS { 1 } else { periods + 1 };
        let next = due.saturating_add(period.saturating_mul(ahead));
        // If another thread has cancelled or reset the timer meanwhile, the exchange fails and that stays in effect.
        self.next.compare_exchange(due, next, Ordering::AcqRel, Ordering::Relaxed).ok()?;
        self.span.store(period, Ordering::Release);
        self.due.store(due, Ordering::Release);
        self.last.store(now, Ordering::Release);
        Some(())
    }
}

impl FollowsTime for TimerCore {
    fn time_changed(&self, is_restart: bool) {
        let (next, now) = (self.next.load(Ordering::Acquire), self.clock.now().as_nanos());
        // If time restarts, or goes back to before the time at which the deadline was set, the deadline is set again.
        let span = self.span.load(Ordering::Acquire);
        let is_behind = next != CANCELLED && next.saturating_sub(now) > span;
        if next != CANCELLED && (is_restart || is_behind) {
            // If another thread has cancelled or reset the timer meanwhile, the exchange fails and that stays in
            // effect.
            let new_next = now.saturating_add(span);
            let _ = self.next.compare_exchange(next, new_next, Ordering::AcqRel, Ordering::Relaxed);
        }
        self.ring();
    }
}

impl Waitable for TimerCore {
    fn set_waker(&self, waker: Option<&Waker>) {
        *self.waker() = waker.cloned();
    }

    fn is_timer(&self) -> bool {
        true
    }

    fn deadline(&self) -> Option<u64> {
        let next = self.next.load(Ordering::Acquire);
        if next == CANCELLED {
            return None;
        }
        self.clock.monotonic_deadline(next)
    }

    fn is_reentrant(&self) -> bool {
        self.callback.is_reentrant()
    }

    fn execute(&self) -> Executed {
        match &self.callback {
            Callback::Exclusive(callback) => self.call(&mut **lock(callback)),
            Callback::Reentrant(callback) => self.call(callback),
        }
    }
}
