//! Runs every interleaving of joining, leaving, dying, removing and reading with loom.
//!
//! The kernel's part is modelled. The table's lock is a mutex that is free again when its holder dies. The lock of a
//! member's segment is a flag that is set exactly while the member lives.

use loom::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use super::{MemberInfo, MemberSlot, MemberState, MemberTable, TableHeader};

const SLOTS: usize = 2;

struct Domain {
    header: TableHeader,
    slots: [MemberSlot; SLOTS],
    lock: Mutex<()>,
}

impl Domain {
    fn new() -> Arc<Self> {
        let slots = [MemberSlot::new(), MemberSlot::new()];
        Arc::new(Self { header: TableHeader::new(), slots, lock: Mutex::new(()) })
    }

    fn table(&self) -> MemberTable<'_> {
        MemberTable { header: &self.header, slots: &self.slots }
    }

    fn holding_the_lock<T>(&self, change: impl FnOnce(&MemberTable<'_>) -> T) -> T {
        let _lock = self.lock.lock().unwrap();
        change(&self.table())
    }

    /// Removes all members whose segments are not locked.
    fn remove_the_dead(&self, is_locked: impl Fn(u64) -> bool) {
        self.holding_the_lock(|table| {
            let dead: Vec<u64> = table.members().map(|one| one.id).filter(|id| !is_locked(*id)).collect();
            dead.into_iter().for_each(|id| table.remove(id));
        });
    }

    fn has(&self, id: u64) -> bool {
        self.table().members().any(|one| one.id == id)
    }
}

/// Returns a member whose words are all the same number, so that a test can detect a torn copy.
fn member(number: u64) -> MemberInfo {
    MemberInfo {
        id: number,
        inode: number,
        pid: number as u32,
        started: number,
        namespaces: number,
        descriptor: Some(number as u32),
    }
}

/// A reader sees a member whole or not at all, even while the slot is given to the next member.
#[test]
fn a_member_is_read_whole_or_not_at_all() {
    loom::model(|| {
        let domain = Domain::new();
        domain.holding_the_lock(|table| assert!(table.enter(&member(1))));
        let writer = domain.clone();
        let changes = thread::spawn(move || {
            writer.holding_the_lock(|table| {
                table.remove(1);
                assert!(table.enter(&member(2)));
            });
        });
        for found in domain.table().members() {
            assert_eq!(found, member(found.id));
        }
        changes.join().unwrap();
        assert_eq!(domain.table().members().collect::<Vec<_>>(), [member(2)]);
    });
}

/// A live member stays in the table while another process removes dead members, at whatever step that process is when
/// the member enters.
#[test]
fn a_live_member_is_never_removed() {
    loom::model(|| {
        let domain = Domain::new();
        let locked = Arc::new(AtomicBool::new(false));
        let (other, its_lock) = (domain.clone(), locked.clone());
        let sweeper = thread::spawn(move || {
            other.remove_the_dead(|_| its_lock.load(Ordering::SeqCst));
        });
        // First the lock and then the table, as when a member joins.
        locked.store(true, Ordering::SeqCst);
        domain.holding_the_lock(|table| assert!(table.enter(&member(1))));
        sweeper.join().unwrap();
        assert!(domain.has(1));
    });
}

/// A member may die at any instant. The first process that removes dead members afterwards removes it, and no process
/// before.
#[test]
fn a_member_that_dies_is_removed_once_and_its_slot_is_used_again() {
    loom::model(|| {
        let domain = Domain::new();
        let locked = Arc::new(AtomicBool::new(true));
        domain.holding_the_lock(|table| assert!(table.enter(&member(1))));
        let (other, its_lock) = (domain.clone(), locked.clone());
        let sweeper = thread::spawn(move || {
            let mut was_dead = false;
            other.holding_the_lock(|table| {
                was_dead = !its_lock.load(Ordering::SeqCst);
                if was_dead {
                    table.remove(1);
                }
            });
            was_dead
        });
        // The kernel frees the lock of a process that dies.
        locked.store(false, Ordering::SeqCst);
        let was_dead = sweeper.join().unwrap();
        assert_eq!(domain.has(1), !was_dead);
        domain.remove_the_dead(|id| id != 1);
        domain.holding_the_lock(|table| {
            assert!(table.enter(&member(2)) && table.enter(&member(3)));
            assert!(!table.enter(&member(4)), "there are two slots");
        });
        assert!(!domain.has(1) && domain.has(2) && domain.has(3));
    });
}

/// If a process dies while it writes a slot, the slot has no member. The next holder of the lock may use the slot.
#[test]
fn a_slot_that_was_left_half_written_has_no_member() {
    loom::model(|| {
        let domain = Domain::new();
        let dying = domain.clone();
        let writer = thread::spawn(move || {
            let _lock = dying.lock.lock().unwrap();
            // As `MemberSlot::write` does, up to its middle.
            dying.slots[0].version.store(1, Ordering::Relaxed);
            dying.slots[0].id.store(7, Ordering::Relaxed);
            dying.header.used.store(1, Ordering::Release);
        });
        assert!(!domain.has(7));
        writer.join().unwrap();
        assert!(!domain.has(7));
        domain.holding_the_lock(|table| assert!(table.enter(&member(1))));
        assert_eq!(domain.table().members().collect::<Vec<_>>(), [member(1)]);
    });
}

/// A member that lists itself again under another descriptor is never seen with the words of both.
#[test]
fn a_member_that_is_listed_again_is_read_whole() {
    loom::model(|| {
        let domain = Domain::new();
        let named = MemberInfo { descriptor: None, ..member(1) };
        domain.holding_the_lock(|table| assert!(table.enter(&named)));
        let writer = domain.clone();
        let again = thread::spawn(move || {
            let moved = MemberInfo { inode: 5, descriptor: Some(5), ..member(1) };
            writer.holding_the_lock(|table| assert!(table.enter(&moved)));
        });
        for found in domain.table().members() {
            assert!(found == named || (found.inode, found.descriptor) == (5, Some(5)), "{found:?}");
        }
        again.join().unwrap();
        assert_eq!(domain.table().members().count(), 1);
    });
}

/// A report may be written into a slot late, when another member has the slot. Then it does not count for that member.
#[test]
fn a_report_about_a_member_does_not_reach_the_next_in_its_slot() {
    loom::model(|| {
        let domain = Domain::new();
        domain.holding_the_lock(|table| assert!(table.enter(&member(1))));
        let reporter = domain.clone();
        let report = thread::spawn(move || reporter.table().report_unreachable(1));
        domain.holding_the_lock(|table| {
            table.remove(1);
            assert!(table.enter(&member(2)));
        });
        report.join().unwrap();
        assert!(!domain.table().is_unreachable(2));
    });
}

/// A process that sees that a member takes part, or has left, sees everything that the member wrote before.
#[test]
fn a_state_carries_what_was_written_before_it() {
    loom::model(|| {
        let shared = Arc::new((MemberState::new(), AtomicBool::new(false), AtomicBool::new(false)));
        let own = shared.clone();
        let life = thread::spawn(move || {
            own.1.store(true, Ordering::Relaxed);
            own.0.begin();
            own.2.store(true, Ordering::Relaxed);
            own.0.leave();
        });
        if shared.0.takes_part() {
            assert!(shared.1.load(Ordering::Relaxed));
        }
        if shared.0.has_left() {
            assert!(shared.2.load(Ordering::Relaxed));
        }
        life.join().unwrap();
        assert!(shared.0.has_left() && !shared.0.takes_part());
    });
}
