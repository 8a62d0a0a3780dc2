//! Tests of members whose files are removed, and of members that can't lock the table.

use std::path::PathBuf;

use super::*;

struct Fixture {
    root: tempfile::TempDir,
    domain: DomainId,
    member: Arc<Membership>,
    pipe: WakePipe,
}

impl Fixture {
    fn new() -> Self {
        let root = tempfile::TempDir::new_in("/dev/shm").unwrap();
        let domain = DomainId::in_folder(root.path(), 0);
        let (member, pipe) = Membership::join(&domain, |_| Ok(())).unwrap();
        Self { root, domain, member, pipe }
    }

    fn folder(&self) -> PathBuf {
        self.member.files().folder().path().to_path_buf()
    }

    fn listed(&self) -> Vec<u64> {
        let files = DomainFiles::open(&self.domain).unwrap();
        files.map_or_else(Vec::new, |files| files.members().iter().map(|member| member.id).collect())
    }
}

/// A process that is stopped while it holds the table's lock does no lasting harm.
#[test]
fn a_member_that_can_not_lock_the_table_reports_it_once_and_tries_again() {
    let Fixture { root: _root, domain, member, pipe } = Fixture::new();
    std::fs::remove_dir_all(member.files().folder().path()).unwrap();
    let other = DomainFiles::open_or_create(&domain).unwrap();
    let held = other.lock(LEAVE_TIMEOUT).unwrap();
    for number in 1..=RELIST_ATTEMPTS + 1 {
        match member.check(&pipe) {
            MembershipStatus::Unlisted(reason) => {
                assert_eq!(reason.is_some(), number == RELIST_ATTEMPTS, "{number}");
            }
            other => panic!("{number}: {other:?}"),
        }
    }
    drop(held);
    let MembershipStatus::Relisted(Some(pipe)) = member.check(&pipe) else { panic!("the lock is free") };
    assert!(matches!(member.check(&pipe), MembershipStatus::Listed));
}

/// The file that other processes need to prove that the member is dead stays.
#[test]
fn a_member_that_leaves_while_the_table_is_locked_is_proven_dead() {
    let Fixture { root: _root, domain, member, pipe } = Fixture::new();
    let other = DomainFiles::open(&domain).unwrap().unwrap();
    let held = other.lock(LEAVE_TIMEOUT).unwrap();
    let info = member.info(None);
    member.leave();
    drop((member, pipe));
    drop(held);
    assert!(other.is_dead(&info, ProcessId::current()));
    Membership::join(&domain, |_| Ok(())).unwrap();
    assert!(other.members().iter().all(|member| member.id != info.id));
}

/// Another process may remove the files of a dead member at the moment at which this process examines them.
#[test]
fn an_open_segment_proves_a_death_although_its_name_was_removed() {
    let own = Fixture::new();
    let (dead, pipe) = Membership::join(&own.domain, |_| Ok(())).unwrap();
    // The process of the member continues, so only the lock can be the proof.
    let (info, this) = (dead.info(None), ProcessId::current());
    let files = DomainFiles::open(&own.domain).unwrap().unwrap();
    let segment = files.open_segment(&info, this);
    assert!(!is_dead_with(&info, &segment, this));
    let id = dead.id();
    drop((dead, pipe));
    own.member.remove_dead(&[id]);
    assert!(!files.is_dead(&info, this), "its segment can't be opened any more");
    assert!(is_dead_with(&info, &segment, this));
}

/// Another process may open a link to a member that has left and is still in the table.
#[test]
fn a_link_to_a_member_that_is_leaving_is_no_error() {
    let own = Fixture::new();
    let (leaving, pipe) = Membership::join(&own.domain, |_| Ok(())).unwrap();
    leaving.set_left();
    drop(pipe);
    assert!(crate::link::Link::open(&own.member, &leaving.info(None)).is_ok_and(|link| link.is_none()));
}

#[test]
fn dead_members_are_removed_as_soon_as_the_lock_is_free() {
    let own = Fixture::new();
    let (dead, _pipe) = Membership::join(&own.domain, |_| Ok(())).unwrap();
    let other = DomainFiles::open(&own.domain).unwrap().unwrap();
    let held = other.lock(LEAVE_TIMEOUT).unwrap();
    own.member.remove_dead(&[dead.id()]);
    assert_eq!(own.listed().len(), 2);
    drop(held);
    own.member.remove_dead(&[]);
    assert_eq!(own.listed(), [own.member.id()], "the proof was kept");
}

/// Processes that join search for the member's pipe in the folder that they find.
#[test]
fn a_member_whose_folder_was_moved_has_its_pipe_in_the_new_folder() {
    let own = Fixture::new();
    std::fs::rename(own.folder(), own.root.path().join("elsewhere")).unwrap();
    let MembershipStatus::Relisted(Some(pipe)) = own.member.check(&own.pipe) else {
        panic!("it has a new pipe")
    };
    assert_eq!(own.listed(), [own.member.id()]);
    assert!(own.member.files().open_pipe(own.member.id(), 0).is_ok());
    assert!(matches!(own.member.check(&pipe), MembershipStatus::Listed));
}
