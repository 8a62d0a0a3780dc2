//! Futures that wait until a clock shows a given time.

use std::{
    fmt,
    future::Future,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, Weak},
    task::{self, Poll},
    time::Duration,
};

use saltus_host::Waker;
use saltus_types::{Time, lock};

use crate::{Clock, Executed, Node, Waitable, clock::FollowsTime};

impl Node {
    /// Returns a future that completes when a clock shows `until` or a later time. An executor must spin the node.
    ///
    /// The result is `true` if that time has come. It is `false` if the clock has switched to simulated time, or back
    /// to the time of day, before that.
    ///
    /// ```no_run
    /// use saltus::time::Clock;
    /// use saltus::Time;
    /// let context = saltus::Context::new()?;
    /// let node = context.node("patient").create()?;
    /// let sleep = node.sleep_until(node.clock(), Time::from_nanos(2_000_000_000));
    /// // executor.spin_until_future_complete(sleep, None)?;
    /// # drop(sleep);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn sleep_until(&self, clock: &Clock, until: Time) -> Sleep {
        let core = Arc::new(SleepCore {
            clock: clock.clone(),
            until: until.as_nanos(),
            is_simulated: clock.is_simulated(),
            state: Mutex::default(),
        });
        let follows: Arc<dyn FollowsTime> = core.clone();
        clock.follow(Arc::downgrade(&follows));
        let as_waitable: Arc<dyn Waitable> = core.clone();
        let weak: Weak<dyn Waitable> = Arc::downgrade(&as_waitable);
        self.sleep_group().add(weak);
        Sleep(core)
    }

    /// Returns a future that completes when `duration` has passed on a clock. See [`Node::sleep_until`].
    pub fn sleep_for(&self, clock: &Clock, duration: Duration) -> Sleep {
        let nanos = i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX);
        self.sleep_until(clock, Time::from_nanos(clock.now().as_nanos().saturating_add(nanos)))
    }
}

/// A future that completes when a clock shows a given time. See [`Node::sleep_until`].
#[must_use = "a future does nothing unless it is awaited"]
pub struct Sleep(Arc<SleepCore>);

impl fmt::Debug for Sleep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sleep").field("until", &self.0.until).finish_non_exhaustive()
    }
}

impl Future for Sleep {
    type Output = bool;

    fn poll(self: Pin<&mut Self>, context: &mut task::Context<'_>) -> Poll<bool> {
        let mut state = self.0.state();
        match self.0.outcome() {
            Some(outcome) => Poll::Ready(outcome),
            None => {
                let before = state.task.replace(context.waker().clone());
                if let (None, Some(executor)) = (before, &state.executor) {
                    // `deadline` returns a time only from now on, so the executor must call it again.
                    executor.ring();
                }
                Poll::Pending
            }
        }
    }
}

struct SleepCore {
    clock: Clock,
    /// The time to wait for, on `clock`, in nanoseconds.
    until: i64,
    /// Whether the clock showed simulated time when the future was created.
    is_simulated: bool,
    state: Mutex<SleepState>,
}

#[derive(Default)]
struct SleepState {
    /// The waker of the task that polls the future.
    task: Option<task::Waker>,
    /// The waker of the executor.
    executor: Option<Waker>,
}

impl SleepCore {
    fn state(&self) -> MutexGuard<'_, SleepState> {
        lock(&self.state)
    }

    /// Returns the result of the future, or `None` if it must still wait.
    fn outcome(&self) -> Option<bool> {
        if self.clock.is_simulated() != self.is_simulated {
            return Some(false);
        }
        (self.clock.now().as_nanos() >= self.until).then_some(true)
    }
}

impl FollowsTime for SleepCore {
    fn time_changed(&self, _: bool) {
        if let Some(executor) = &self.state().executor {
            executor.ring();
        }
    }
}

impl Waitable for SleepCore {
    fn set_waker(&self, waker: Option<&Waker>) {
        self.state().executor = waker.cloned();
    }

    fn is_timer(&self) -> bool {
        true
    }

    /// Returns `None` as long as no task polls the future.
    fn deadline(&self) -> Option<u64> {
        self.state().task.as_ref()?;
        if self.outcome().is_some() { Some(0) } else { self.clock.monotonic_deadline(self.until) }
    }

    fn execute(&self) -> Executed {
        let task = self.outcome().and_then(|_| self.state().task.take());
        let Some(task) = task else { return Executed::Nothing };
        task.wake();
        Executed::Ran(None)
    }
}
