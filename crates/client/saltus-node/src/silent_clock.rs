//! A warning for nodes that wait for simulated time which never comes.

use std::{
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    time::Duration,
};

use saltus_host::{Waker, monotonic_now};

use crate::{Clock, Executed, Logger, Waitable};

/// The time without a message after which there is a warning.
const WARN_AFTER: Duration = Duration::from_secs(5);

/// A waitable that warns once if a clock has shown no simulated time for a while. The timers of the node stand still until then.
pub(crate) struct SilentClock {
    clock: Clock,
    topic: String,
    logger: Logger,
    /// The time of the warning, in monotonic nanoseconds; 0 before an executor has asked for it.
    due: AtomicU64,
    has_warned: AtomicBool,
}

impl SilentClock {
    pub(crate) fn new(clock: Clock, topic: String, logger: Logger) -> Self {
        Self { clock, topic, logger, due: AtomicU64::new(0), has_warned: AtomicBool::new(false) }
    }
}

impl Waitable for SilentClock {
    fn set_waker(&self, _waker: Option<&Waker>) {}

    fn is_timer(&self) -> bool {
        true
    }

    fn deadline(&self) -> Option<u64> {
        let is_over = self.has_warned.load(Ordering::Relaxed) || self.clock.has_begun();
        if is_over {
            return None;
        }
        // The time begins when an executor could receive a message.
        let due = monotonic_now().saturating_add(WARN_AFTER.as_nanos() as u64);
        Some(self.due.compare_exchange(0, due, Ordering::Relaxed, Ordering::Relaxed).err().unwrap_or(due))
    }

    fn execute(&self) -> Executed {
        let is_due = self.deadline().is_some_and(|due| due <= monotonic_now());
        if !is_due || self.has_warned.swap(true, Ordering::Relaxed) {
            return Executed::Nothing;
        }
        crate::log_at!(
            self.logger,
            Warn,
            WARN,
            {},
            "use_sim_time is set, but no time has come on {} for {} s: the clock of this node stands at 0, and its timers stand still. Start the simulator, or set use_sim_time to false",
            self.topic,
            WARN_AFTER.as_secs()
        );
        Executed::Ran(None)
    }
}

#[cfg(test)]
mod tests {
    use saltus_types::Time;

    use super::*;

    fn silent(clock: &Clock) -> SilentClock {
        SilentClock {
            due: AtomicU64::new(1),
            ..SilentClock::new(clock.clone(), "/clock".into(), Logger::new("test"))
        }
    }

    #[test]
    fn a_clock_that_shows_no_time_has_warned_once() {
        let clock = Clock::ros();
        clock.simulate(true);
        let without_time = silent(&clock);
        assert_eq!(without_time.deadline(), Some(1));
        assert_eq!(
            [without_time.execute(), without_time.execute()],
            [Executed::Ran(None), Executed::Nothing]
        );
        assert_eq!(without_time.deadline(), None);
        let with_time = silent(&clock);
        clock.set(Time::from_nanos(1));
        assert_eq!((with_time.deadline(), with_time.execute()), (None, Executed::Nothing));
    }
}
