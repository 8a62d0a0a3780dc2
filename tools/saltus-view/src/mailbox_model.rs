//! A loom model of a mailbox: loom checks all interleavings of threads that put messages and the one that takes them.

/// The synchronization types that [`mailbox`] uses, from loom.
mod sync {
    use std::io;

    use loom::sync::Condvar;
    pub(super) use loom::sync::{Mutex, MutexGuard};

    pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
        mutex.lock().unwrap()
    }

    /// It keeps that it was rung, like a counter of the system.
    #[derive(Debug)]
    pub(super) struct Bell {
        has_rung: Mutex<bool>,
        changed: Condvar,
    }

    impl Bell {
        pub(super) fn new() -> io::Result<Self> {
            Ok(Self { has_rung: Mutex::new(false), changed: Condvar::new() })
        }

        pub(super) fn ring(&self) {
            *lock(&self.has_rung) = true;
            self.changed.notify_one();
        }

        pub(super) fn silence(&self) {
            *lock(&self.has_rung) = false;
        }

        pub(super) fn wait(&self) {
            let mut has_rung = lock(&self.has_rung);
            while !*has_rung {
                has_rung = self.changed.wait(has_rung).unwrap();
            }
        }
    }
}

#[expect(clippy::duplicate_mod, reason = "the same code, with the synchronization types of loom")]
#[expect(dead_code, reason = "the model uses only a part of it")]
#[path = "mailbox.rs"]
mod mailbox;

use loom::{sync::Arc, thread};
use mailbox::{Mailbox, Place};
use tungstenite::Message;

/// How many times a thread may be preempted, if LOOM_MAX_PREEMPTIONS is not set.
const PREEMPTIONS: usize = 3;

/// Two topics with two messages each. The page gets the last one of both, and loom also finds a page that waits for ever.
#[test]
fn the_newest_message_of_each_topic_arrives() {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound.get_or_insert(PREEMPTIONS);
    builder.check(|| {
        let mailbox = Arc::new(Mailbox::new().unwrap());
        let topics = [1, 2].map(|topic| {
            let mailbox = mailbox.clone();
            thread::spawn(move || {
                for number in [0, 1] {
                    mailbox.put(Place::Data(topic), Message::binary(vec![topic as u8, number]));
                }
            })
        });
        let mut newest = [None; 3];
        let mut taken = 0;
        while newest != [None, Some(1), Some(1)] {
            mailbox.bell().silence();
            while let Some(message) = mailbox.take() {
                let message = message.into_data();
                assert!(newest[usize::from(message[0])] < Some(message[1]), "in order");
                newest[usize::from(message[0])] = Some(message[1]);
                taken += 1;
            }
            if newest != [None, Some(1), Some(1)] {
                mailbox.bell().wait();
            }
        }
        topics.into_iter().for_each(|topic| topic.join().unwrap());
        assert_eq!(taken + mailbox.replaced(), 4);
    });
}
