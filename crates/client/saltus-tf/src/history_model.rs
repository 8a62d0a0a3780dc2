//! A loom model of a history that is read while it is written: loom checks all interleavings.

/// The atomic types that [`history`] uses, from loom.
mod sync {
    pub(super) use loom::sync::atomic::{AtomicI64, AtomicU64, Ordering};
}

#[expect(clippy::duplicate_mod, reason = "the same code, with the atomic types of loom")]
#[expect(dead_code, reason = "the model uses only a part of it")]
#[path = "history.rs"]
mod history;

use history::{Found, Ring, Sample};
use loom::{sync::Arc, thread};

/// The number of preemptions that loom explores, if LOOM_MAX_PREEMPTIONS is not set.
const PREEMPTIONS: usize = 2;

fn sample(stamp: i64) -> Sample {
    Sample { stamp, numbers: [stamp as f64; 7] }
}

fn is_whole(sample: Sample) -> bool {
    sample.numbers == [sample.stamp as f64; 7]
}

/// The ring has two slots, so the writer writes the slot again that the reader reads.
#[test]
fn a_reader_never_sees_a_mixture() {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound.get_or_insert(PREEMPTIONS);
    builder.check(|| {
        let ring = Arc::new(Ring::tiny(sample(1), 2));
        let writer = ring.clone();
        let writer = thread::spawn(move || {
            assert!(writer.append(sample(2), 0));
            assert!(writer.append(sample(3), 2));
        });
        assert!(ring.samples().into_iter().all(is_whole));
        match ring.find(2) {
            Found::At(found) => assert!(is_whole(found) && found.stamp == 2),
            Found::Between(older, newer) => {
                assert!(is_whole(older) && is_whole(newer), "{older:?} {newer:?}");
            }
            Found::Only(stamp) | Found::Before(stamp, _) | Found::After(stamp) => {
                assert!((1..4).contains(&stamp));
            }
        }
        writer.join().unwrap();
    });
}
