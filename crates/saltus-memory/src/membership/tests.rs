//! How a member stands when its files are removed, and when another process has the lock of the table.

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
        self.member.place().folder().path().to_path_buf()
    }

    fn listed(&self) -> Vec<u64> {
        let place = Place::open(&self.domain).unwrap();
        place.map_or_else(Vec::new, |place| place.members().iter().map(|member| member.id).collect())
    }
}

/// A process that is stopped while it has the table's lock harms nobody.
#[test]
fn who_can_not_have_the_lock_says_so_once_and_tries_again() {
    let Fixture { root: _root, domain, member, pipe } = Fixture::new();
    std::fs::remove_dir_all(member.place().folder().path()).unwrap();
    let other = Place::open_or_create(&domain).unwrap();
    let held = other.lock(PATIENCE).unwrap();
    for number in 1..=RELIST_ATTEMPTS + 1 {
        match member.check(&pipe) {
            Standing::Unlisted(told) => assert_eq!(told.is_some(), number == RELIST_ATTEMPTS, "{number}"),
            other => panic!("{number}: {other:?}"),
        }
    }
    drop(held);
    let Standing::Relisted(Some(pipe)) = member.check(&pipe) else { panic!("the lock is free") };
    assert!(matches!(member.check(&pipe), Standing::Listed));
}

/// What others need to know that it has gone stays.
#[test]
fn one_that_leaves_while_another_has_the_lock_is_proven_dead() {
    let Fixture { root: _root, domain, member, pipe } = Fixture::new();
    let other = Place::open(&domain).unwrap().unwrap();
    let held = other.lock(PATIENCE).unwrap();
    let info = member.info(None);
    member.leave();
    drop((member, pipe));
    drop(held);
    assert!(other.is_dead(&info, ProcessId::current()));
    Membership::join(&domain, |_| Ok(())).unwrap();
    assert!(other.members().iter().all(|member| member.id != info.id));
}

/// Others may meet it before it has left the table.
#[test]
fn one_that_leaves_is_no_error() {
    let own = Fixture::new();
    let (leaving, pipe) = Membership::join(&own.domain, |_| Ok(())).unwrap();
    leaving.say_left();
    drop(pipe);
    assert!(crate::link::Link::open(&own.member, &leaving.info(None)).is_ok_and(|link| link.is_none()));
}

#[test]
fn the_dead_are_removed_as_soon_as_the_lock_is_free() {
    let own = Fixture::new();
    let (dead, _pipe) = Membership::join(&own.domain, |_| Ok(())).unwrap();
    let other = Place::open(&own.domain).unwrap().unwrap();
    let held = other.lock(PATIENCE).unwrap();
    own.member.remove_dead(&[dead.id()]);
    assert_eq!(own.listed().len(), 2);
    drop(held);
    own.member.remove_dead(&[]);
    assert_eq!(own.listed(), [own.member.id()], "the proof was kept");
}

/// Newcomers look for its pipe in the folder that they find.
#[test]
fn one_whose_folder_was_moved_has_its_pipe_in_the_new_one() {
    let own = Fixture::new();
    std::fs::rename(own.folder(), own.root.path().join("elsewhere")).unwrap();
    let Standing::Relisted(Some(pipe)) = own.member.check(&own.pipe) else { panic!("it has a new pipe") };
    assert_eq!(own.listed(), [own.member.id()]);
    assert!(own.member.place().open_pipe(own.member.id(), 0).is_ok());
    assert!(matches!(own.member.check(&pipe), Standing::Listed));
}
