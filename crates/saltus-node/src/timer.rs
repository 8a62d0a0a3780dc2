//! Timers on the steady clock.

use std::{
    fmt,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use saltus_shm::{Waiter, Waker, monotonic_now};

use crate::{Executed, Node, NodeError, Waitable};

/// Calls back once per period. Dropping it stops it.
pub struct Timer(Arc<Core>);

struct Core {
    /// In nanoseconds, at least 1.
    period: u64,
    /// The next call in monotonic nanoseconds; [`CANCELLED`] for none.
    next: AtomicU64,
    callback: Mutex<Box<dyn FnMut() + Send>>,
    /// Who waits for it, to be told when the deadline changes.
    waker: Mutex<Option<Waker>>,
}

const CANCELLED: u64 = u64::MAX;

impl Timer {
    pub(crate) fn new(
        node: &Node,
        period: Duration,
        callback: Box<dyn FnMut() + Send>,
    ) -> Result<Self, NodeError> {
        let period = u64::try_from(period.as_nanos()).unwrap_or(u64::MAX / 2);
        if period == 0 {
            return Err(NodeError::Period);
        }
        let core = Arc::new(Core {
            period,
            next: AtomicU64::new(monotonic_now().saturating_add(period)),
            callback: Mutex::new(callback),
            waker: Mutex::default(),
        });
        let as_waitable: Arc<dyn Waitable> = core.clone();
        node.add_waitable(Arc::downgrade(&as_waitable));
        Ok(Self(core))
    }

    /// Stops calling back until [`Timer::reset`].
    pub fn cancel(&self) {
        self.0.next.store(CANCELLED, Ordering::Release);
    }

    /// Whether it is stopped.
    pub fn is_cancelled(&self) -> bool {
        self.0.next.load(Ordering::Acquire) == CANCELLED
    }

    /// Begins anew: the next call is one period from now.
    pub fn reset(&self) {
        self.0.next.store(monotonic_now().saturating_add(self.0.period), Ordering::Release);
        if let Some(waker) = &*self.0.waker() {
            waker.ring();
        }
    }

    /// How long until the next call; `None` if it is stopped.
    pub fn time_until_next_call(&self) -> Option<Duration> {
        let next = self.0.deadline()?;
        Some(Duration::from_nanos(next.saturating_sub(monotonic_now())))
    }
}

impl fmt::Debug for Timer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Timer").field("period", &Duration::from_nanos(self.0.period)).finish_non_exhaustive()
    }
}

impl Core {
    fn waker(&self) -> MutexGuard<'_, Option<Waker>> {
        self.waker.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Moves the deadline to the next point of the grid that lies ahead. `None` if it is not due.
    fn advance(&self) -> Option<()> {
        let due = self.next.load(Ordering::Acquire);
        let now = monotonic_now();
        let late = now.checked_sub(due)?;
        let next = due.saturating_add(self.period.saturating_mul(late / self.period + 1));
        // If it was cancelled or reset meanwhile, that holds.
        self.next.compare_exchange(due, next, Ordering::AcqRel, Ordering::Relaxed).ok().map(drop)
    }
}

impl Waitable for Core {
    fn set_waker(&self, waker: Option<&Waker>) {
        *self.waker() = waker.cloned();
    }

    fn is_timer(&self) -> bool {
        true
    }

    fn deadline(&self) -> Option<u64> {
        Some(self.next.load(Ordering::Acquire)).filter(|next| *next != CANCELLED)
    }

    fn execute(&self, _waiter: &mut Waiter) -> Executed {
        let mut callback = self.callback.lock().unwrap_or_else(PoisonError::into_inner);
        if self.advance().is_none() {
            return Executed::Nothing;
        }
        callback();
        Executed::Ran
    }
}
