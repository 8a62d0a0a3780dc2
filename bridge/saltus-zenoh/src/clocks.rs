//! How far the clocks of other hosts are ahead.
//!
//! A bridge tells others its system time. The time of an answer is taken as that in the middle between the question and the answer (as NTP does), so it
//! is wrong by half of the time between the two at most.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use saltus_host::system_now;
use saltus_types::lock;
use zenoh::{Wait, query::Queryable, sample::Locality};

use crate::{
    link::{Link, MARKS, Task},
    session::SessionError,
    table::Table,
};

/// The time between two questions.
const EVERY: Duration = Duration::from_secs(10);
/// The time until the first question.
const FIRST: Duration = Duration::from_secs(1);
/// The longest time until an answer.
const ANSWERS_WITHIN: Duration = Duration::from_secs(2);
/// The most bridges that are asked.
const MAX_ASKED: usize = 1_000;
/// How long a more precise answer is used in place of newer ones. A clock may be off by some parts in 10,000 and be corrected.
const KEPT: Duration = Duration::from_secs(60);

/// How far a clock is ahead of that of this host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Offset {
    /// In nanoseconds; less than 0 if it is behind.
    pub(crate) ahead: i64,
    /// How far that may be wrong.
    pub(crate) error: Duration,
    measured: Instant,
}

impl Offset {
    /// Returns the offset of a clock that had the time `theirs` at a moment between two times of this host, in nanoseconds.
    fn of(asked: i64, theirs: i64, answered: i64) -> Self {
        let half = answered.saturating_sub(asked).max(0) / 2;
        let ahead = theirs.saturating_sub(asked.saturating_add(half));
        Self { ahead, error: Duration::from_nanos(half.unsigned_abs()), measured: Instant::now() }
    }

    /// Returns the better one of two offsets, of which this is the newer one.
    fn or(self, older: Option<Self>) -> Self {
        let is_kept = |older: &Self| older.error < self.error && older.measured.elapsed() < KEPT;
        older.filter(is_kept).unwrap_or(self)
    }
}

/// The clocks of the hosts of other bridges.
pub(crate) struct Clocks {
    link: Arc<Link>,
    table: Arc<Mutex<Table>>,
    offsets: Mutex<HashMap<String, Offset>>,
    /// Tells others the time.
    _queryable: Queryable<()>,
}

impl Clocks {
    /// Tells others the time from now on, and asks them for theirs.
    pub(crate) fn new(link: &Arc<Link>, table: &Arc<Mutex<Table>>) -> Result<Arc<Self>, SessionError> {
        let key = key(link.domain, link.id());
        let queryable = link.session.declare_queryable(key).allowed_origin(Locality::Remote);
        let queryable = queryable.callback(|query| {
            // An error is ignored: who has asked has gone.
            let _ = query.reply(query.key_expr(), system_now().as_nanos().to_le_bytes().to_vec()).wait();
        });
        let queryable = queryable.wait().map_err(SessionError::open)?;
        let (link, table, offsets) = (link.clone(), table.clone(), Mutex::default());
        let clocks = Arc::new(Self { link, table, offsets, _queryable: queryable });
        clocks.ask_after(FIRST);
        Ok(clocks)
    }

    /// Returns how far the clock of a session is ahead, if that is known.
    pub(crate) fn offset(&self, session: &str) -> Option<Offset> {
        lock(&self.offsets).get(session).copied()
    }

    fn ask_after(self: &Arc<Self>, pause: Duration) {
        let clocks = self.clone();
        let ask = move || {
            clocks.ask();
            clocks.ask_after(EVERY);
        };
        // It fails only when the bridge ends.
        let _ = self.link.tasks.send(Task::RunAfter(pause, Box::new(ask)));
    }

    /// Asks all bridges for their time.
    fn ask(self: &Arc<Self>) {
        let bridges = lock(&self.table).hosts().sessions();
        lock(&self.offsets).retain(|session, _| bridges.contains(session));
        for session in bridges.into_iter().take(MAX_ASKED) {
            let get = self.link.session.get(key(self.link.domain, &session));
            let get = get.allowed_destination(Locality::Remote).timeout(ANSWERS_WITHIN);
            let (clocks, asked) = (self.clone(), system_now().as_nanos());
            let get = get.callback(move |reply| {
                let answered = system_now().as_nanos();
                let Ok(sample) = reply.result() else { return };
                let Ok(theirs) = <[u8; 8]>::try_from(&*sample.payload().to_bytes()) else { return };
                let offset = Offset::of(asked, i64::from_le_bytes(theirs), answered);
                let mut offsets = lock(&clocks.offsets);
                let older = offsets.get(&session).copied();
                offsets.insert(session.clone(), offset.or(older));
            });
            // Without an answer, the offset stays unknown.
            let _ = get.wait();
        }
    }
}

/// Returns the key at which a session tells its time.
fn key(domain: u32, session: &str) -> String {
    format!("{MARKS}/{domain}/{session}/clock")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_an_answer_is_that_in_the_middle() {
        let offset = Offset::of(1_000, 5_500, 2_000);
        assert_eq!((offset.ahead, offset.error), (4_000, Duration::from_nanos(500)));
        assert_eq!(Offset::of(1_000, 500, 1_000).ahead, -500);
        // Times of others may be anything, and the own clock may be set back.
        assert_eq!(Offset::of(1_000, i64::MIN, 2_000).ahead, i64::MIN);
        assert_eq!(Offset::of(2_000, 2_000, 1_000).error, Duration::ZERO);
    }

    #[test]
    fn a_more_precise_answer_is_kept_for_some_time() {
        let (coarse, fine) = (Offset::of(0, 0, 1_000), Offset::of(0, 0, 100));
        assert_eq!(coarse.or(Some(fine)), fine);
        assert_eq!(fine.or(Some(coarse)), fine);
        let old = Offset { measured: Instant::now() - KEPT, ..fine };
        assert_eq!(coarse.or(Some(old)), coarse);
    }
}
