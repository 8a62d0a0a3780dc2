//! A loom model of a mailbox: loom checks all interleavings of threads that put messages and the one that takes them.

/// The synchronization types that [`mailbox`] uses, from loom.
mod sync {
    use std::io;

    use loom::sync::Condvar;
    pub(super) use loom::sync::{Mutex, MutexGuard};

    pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
        mutex.lock().unwrap()
    }

    /// An event that stays set until it is cleared, like an eventfd.
    #[derive(Debug)]
    pub(super) struct WakeEvent {
        is_set: Mutex<bool>,
        changed: Condvar,
    }

    impl WakeEvent {
        pub(super) fn new() -> io::Result<Self> {
            Ok(Self { is_set: Mutex::new(false), changed: Condvar::new() })
        }

        pub(super) fn signal(&self) {
            *lock(&self.is_set) = true;
            self.changed.notify_one();
        }

        pub(super) fn clear(&self) {
            *lock(&self.is_set) = false;
        }

        pub(super) fn wait(&self) {
            let mut is_set = lock(&self.is_set);
            while !*is_set {
                is_set = self.changed.wait(is_set).unwrap();
            }
        }
    }
}

#[expect(clippy::duplicate_mod, reason = "the same code, with the synchronization types of loom")]
#[expect(dead_code, reason = "the model uses only a part of it")]
#[path = "mailbox.rs"]
mod mailbox;

use loom::{sync::Arc, thread};
use mailbox::{Mailbox, MailboxSlot};
use tungstenite::Message;

/// The number of preemptions that loom tries, if LOOM_MAX_PREEMPTIONS is not set.
const PREEMPTIONS: usize = 3;

/// Two topics with two messages each. The page must get the last message of each topic. Loom also finds a page that waits
/// forever.
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
                    mailbox.put(MailboxSlot::Data(topic), Message::binary(vec![topic as u8, number]));
                }
            })
        });
        let mut newest = [None; 3];
        let mut taken = 0;
        while newest != [None, Some(1), Some(1)] {
            mailbox.wake_event().clear();
            while let Some(message) = mailbox.take() {
                let message = message.into_data();
                assert!(newest[usize::from(message[0])] < Some(message[1]), "in order");
                newest[usize::from(message[0])] = Some(message[1]);
                taken += 1;
            }
            if newest != [None, Some(1), Some(1)] {
                mailbox.wake_event().wait();
            }
        }
        topics.into_iter().for_each(|topic| topic.join().unwrap());
        assert_eq!(taken + mailbox.replaced(), 4);
    });
}
