//! A live member stays in the graph, and a member that has ended leaves it, whatever happens to files, users and
//! programs.
//!
//! Tests with other users must run as root, as in continuous integration: `setpriv` runs a process as another user.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    fs,
    os::unix::fs::{MetadataExt, PermissionsExt},
    path::PathBuf,
    process::{Command, Output},
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process};
use saltus::{
    context::ContextOptions,
    graph::{GraphOwner, Report},
};
use saltus_e2e::{Actor, ShmFolder, median, number};

const ACTOR: &str = env!("CARGO_BIN_EXE_actor");
/// The time in which the peers of a member must learn that it has ended, in microseconds. It is the median of several
/// times, because a busy machine may delay a process.
const SOON: u64 = 100_000;
/// A member whose files were removed notices it within a second. A busy machine needs longer.
const RELISTED: Duration = Duration::from_secs(5);
/// For how long a member is watched that must not be expelled.
const WATCHED: Duration = Duration::from_secs(3);
/// The id of a user who has no files here.
const NOBODY: u32 = 65534;

fn member(shm: &ShmFolder, name: &str) -> Actor {
    let mut member = shm.start(ACTOR, &["member", name]);
    member.wait_until_ready();
    member
}

/// Makes each member wait until its graph contains exactly these members.
fn wait_until_all_find_each_other(members: &mut [(&str, &mut Actor)]) {
    let mut names: Vec<&str> = members.iter().map(|(name, _)| *name).collect();
    names.sort_unstable();
    let names = names.join(" ");
    for (name, member) in members {
        let answer = member.request(&format!("graph {names}"));
        assert!(number(&answer, "after_us").is_some(), "{name}, instead of {names}: {answer}");
    }
}

/// Returns after how many microseconds a member had the graph that it was asked to wait for.
fn answered_after(answer: &str) -> u64 {
    number(answer, "after_us").unwrap_or_else(|| panic!("{answer}"))
}

/// Makes one member send messages to another one, which checks them.
fn exchange(from: (&str, &mut Actor), to: &mut Actor) {
    let (name, from) = from;
    assert_eq!(to.request(&format!("subscribe {name}")), format!("subscribed to {name}"));
    assert!(from.request("send 20 1000").starts_with("sent"), "{name} can't send");
    assert_eq!(to.request(&format!("take {name} 20")), "took 20");
}

fn doctor(shm: &ShmFolder) -> Report {
    Report::observe(ContextOptions::default().domain(0).folder(shm.path()).domain_id().unwrap()).unwrap()
}

/// Waits until a process that joins would find `count` members.
fn wait_until_listed(shm: &ShmFolder, count: usize) {
    let begun = Instant::now();
    while doctor(shm).graph.nodes.len() < count {
        assert!(begun.elapsed() < RELISTED, "{:?}", doctor(shm));
        std::thread::yield_now();
    }
    println!("listed again after {:?}", begun.elapsed());
}

/// Returns the folder in which the members of this user have their files.
fn folder(shm: &ShmFolder) -> PathBuf {
    shm.path().join(format!("saltus.v9.{}", nix::unistd::geteuid()))
}

/// Returns a command that runs the given command as another user.
fn as_user(user: u32, groups: &[u32], command: &Command) -> Command {
    let root = nix::unistd::geteuid().is_root();
    assert!(root, "this test runs a process as another user: run it as root (in a container, or with sudo)");
    let groups: Vec<String> = groups.iter().map(u32::to_string).collect();
    let groups =
        if groups.is_empty() { "--clear-groups".into() } else { format!("--groups={}", groups.join(",")) };
    let mut other = Command::new("setpriv");
    other.args([format!("--reuid={user}"), format!("--regid={user}"), groups]);
    other.arg(command.get_program()).args(command.get_args());
    other.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    other
}

/// Runs a script as another user, in the shared-memory folder. Makes the folder writable for every user, as `/dev/shm`
/// is.
fn run_as_other_user(shm: &ShmFolder, script: &str) -> Output {
    fs::set_permissions(shm.path(), fs::Permissions::from_mode(0o1777)).unwrap();
    let mut command = Command::new("sh");
    command.args(["-c", &format!("cd {} && {script}", shm.path().display())]);
    as_user(NOBODY, &[], &command).output().unwrap()
}

/// Case 1: a daemon joins as root, changes to another user, and leaves.
#[test]
fn a_member_that_changed_its_user_and_leaves_removes_no_other_member() {
    let shm = ShmFolder::new();
    let (mut daemon, mut a, mut b) = (member(&shm, "daemon"), member(&shm, "a"), member(&shm, "b"));
    wait_until_all_find_each_other(&mut [("daemon", &mut daemon), ("a", &mut a), ("b", &mut b)]);
    assert_eq!(b.request("subscribe a"), "subscribed to a");
    assert_eq!(a.request("send 10 5000"), "sent up to 10");
    assert_eq!(b.request("keep a 10"), "took 10");
    assert_eq!(daemon.request(&format!("become-user {NOBODY}")), format!("is user {NOBODY}"));
    assert_eq!(daemon.request("leave"), "left");
    wait_until_all_find_each_other(&mut [("a", &mut a), ("b", &mut b)]);
    assert_eq!(a.request("send 200 5000"), "sent up to 210");
    assert_eq!(b.request("check"), "kept=10 changed=0", "kept messages do not change");
    exchange(("b", &mut b), &mut a);
    let mut late = member(&shm, "late");
    wait_until_all_find_each_other(&mut [("a", &mut a), ("b", &mut b), ("late", &mut late)]);
    assert_eq!(doctor(&shm).graph.nodes.len(), 3);
    drop(daemon);
    a.end();
    b.end();
    late.end();
    assert_eq!(shm.files(), [""; 0], "other members removed the files that the daemon could not remove");
}

/// Case 2: the files of live processes are removed, as systemd-logind does at the last logout.
#[test]
fn members_whose_files_were_removed_list_themselves_again() {
    let shm = ShmFolder::new();
    let (mut a, mut b) = (member(&shm, "a"), member(&shm, "b"));
    wait_until_all_find_each_other(&mut [("a", &mut a), ("b", &mut b)]);
    exchange(("a", &mut a), &mut b);
    fs::remove_dir_all(folder(&shm)).unwrap();
    assert!(a.request("send 20 1000").starts_with("sent"));
    assert_eq!(b.request("take a 20"), "took 20", "members that know each other are not affected");
    wait_until_listed(&shm, 2);
    let mut late = member(&shm, "late");
    wait_until_all_find_each_other(&mut [("a", &mut a), ("b", &mut b), ("late", &mut late)]);
    exchange(("late", &mut late), &mut a);
    exchange(("b", &mut b), &mut late);
    a.end();
    wait_until_all_find_each_other(&mut [("b", &mut b), ("late", &mut late)]);
    exchange(("late", &mut late), &mut b);
    b.kill();
    wait_until_all_find_each_other(&mut [("late", &mut late)]);
    late.end();
    assert_eq!(shm.files(), [""; 0]);
}

/// Case 2, while one member does not know the other one yet, but is known to it.
#[test]
fn a_member_that_lists_itself_again_is_found_by_members_that_did_not_know_it() {
    let shm = ShmFolder::new();
    let mut a = member(&shm, "a");
    let signal = |member: &Actor, signal| {
        kill_process(Pid::from_raw(member.id() as i32).unwrap(), signal).unwrap();
    };
    signal(&a, Signal::STOP);
    let mut b = member(&shm, "b");
    assert_eq!(b.request("find a b"), "found all");
    signal(&b, Signal::STOP);
    fs::remove_dir_all(folder(&shm)).unwrap();
    signal(&a, Signal::CONT);
    wait_until_listed(&shm, 1);
    signal(&b, Signal::CONT);
    wait_until_listed(&shm, 2);
    assert_eq!(a.request("find a b"), "found all");
    exchange(("b", &mut b), &mut a);
    exchange(("a", &mut a), &mut b);
}

/// Case 2, for each file separately.
#[test]
fn each_file_of_a_live_member_may_be_removed() {
    let shm = ShmFolder::new();
    let mut a = member(&shm, "a");
    for file in shm.files() {
        fs::remove_file(shm.path().join(&file)).unwrap();
        let removed = Instant::now();
        while doctor(&shm).graph.nodes.is_empty() || !doctor(&shm).unreachable.is_empty() {
            assert!(removed.elapsed() < RELISTED, "{file}: {:?}", doctor(&shm));
            std::thread::yield_now();
        }
        let mut late = member(&shm, "late");
        wait_until_all_find_each_other(&mut [("a", &mut a), ("late", &mut late)]);
        exchange(("late", &mut late), &mut a);
        exchange(("a", &mut a), &mut late);
        late.end();
        wait_until_all_find_each_other(&mut [("a", &mut a)]);
    }
    a.end();
    assert_eq!(shm.files(), [""; 0]);
}

/// A process that has changed its user can't open the memory of members that list themselves again. This must not
/// affect these members.
#[test]
fn a_member_without_rights_does_not_expel_another_member() {
    let shm = ShmFolder::new();
    let (mut a, mut b) = (member(&shm, "a"), member(&shm, "b"));
    let stopped = Pid::from_raw(b.id() as i32).unwrap();
    kill_process(stopped, Signal::STOP).unwrap();
    fs::remove_dir_all(folder(&shm)).unwrap();
    let mut daemon = member(&shm, "daemon");
    assert_eq!(daemon.request("find a daemon"), "found all");
    assert_eq!(daemon.request(&format!("become-user {NOBODY}")), format!("is user {NOBODY}"));
    // Only now can `b` list itself again, and the daemon finds it.
    kill_process(stopped, Signal::CONT).unwrap();
    let mut late = member(&shm, "late");
    assert_eq!(late.request("find a b daemon late"), "found all");
    let listed = Instant::now();
    while listed.elapsed() < WATCHED {
        assert!(b.request("send 1 10").starts_with("sent"), "the member is not expelled");
    }
    exchange(("b", &mut b), &mut a);
}

/// The handles of a member that can't be found again return an error. Here, the member may no longer create files.
#[test]
fn a_member_that_can_not_be_listed_again_is_expelled() {
    let shm = ShmFolder::new();
    let (mut a, mut b) = (member(&shm, "a"), member(&shm, "b"));
    wait_until_all_find_each_other(&mut [("a", &mut a), ("b", &mut b)]);
    assert_eq!(a.request(&format!("become-user {NOBODY}")), format!("is user {NOBODY}"));
    fs::remove_dir_all(folder(&shm)).unwrap();
    let removed = Instant::now();
    let error = loop {
        let answer = a.request("send 1 10");
        if !answer.starts_with("sent") {
            break answer;
        }
        assert!(removed.elapsed() < RELISTED, "the handles of the member still work");
    };
    assert!(error.contains("expelled from its domain"), "{error}");
    wait_until_all_find_each_other(&mut [("b", &mut b)]);
}

/// A member that learns that another member is gone removes it from the table, even if its files are removed and its
/// process continues.
#[test]
fn a_member_whose_files_were_removed_is_gone_after_exec() {
    let shm = ShmFolder::new();
    let (mut a, mut b) = (member(&shm, "a"), member(&shm, "b"));
    wait_until_all_find_each_other(&mut [("a", &mut a), ("b", &mut b)]);
    fs::remove_dir_all(folder(&shm)).unwrap();
    wait_until_listed(&shm, 2);
    b.send_line("exec sleep 100");
    wait_until_all_find_each_other(&mut [("a", &mut a)]);
    let gone = Instant::now();
    while !doctor(&shm).unreachable.is_empty() {
        assert!(gone.elapsed() < RELISTED, "{:?}", doctor(&shm));
        std::thread::yield_now();
    }
}

/// Case 4: `exec` ends the old program.
#[test]
fn other_members_learn_of_an_exec_within_100_milliseconds() {
    let shm = ShmFolder::new();
    let mut watch = member(&shm, "watch");
    let mut times = Vec::new();
    for _ in 0..10 {
        let mut old = member(&shm, "old");
        wait_until_all_find_each_other(&mut [("watch", &mut watch), ("old", &mut old)]);
        let begun = saltus::time::monotonic_now();
        old.send_line("exec sleep 100");
        let answer = watch.request("graph watch");
        let after = (saltus::time::monotonic_now() - begun) / 1000;
        println!("known {after} us after the request");
        assert!(number(&answer, "after_us").is_some(), "{answer}");
        times.push(after);
        assert!(old.is_running(), "the process continues");
        assert_eq!(doctor(&shm).graph.nodes.len(), 1);
    }
    let median = median(&mut times);
    assert!(median < SOON, "{median} us");
    watch.end();
    assert_eq!(shm.files(), [""; 0]);
}

/// Case 4, reversed: a child that outlives its parent.
#[test]
fn a_forked_child_does_not_keep_its_dead_parent_in_the_graph() {
    let shm = ShmFolder::new();
    let mut watch = member(&shm, "watch");
    let is_gone_after = |_| {
        let mut parent = member(&shm, "parent");
        wait_until_all_find_each_other(&mut [("watch", &mut watch), ("parent", &mut parent)]);
        assert_eq!(parent.request("daemon"), "is a daemon");
        let after = answered_after(&watch.request("graph watch"));
        let inert = parent.request("send 1 10");
        assert!(inert.contains("fork"), "the child continues, and its handles are inert: {inert}");
        assert_eq!(doctor(&shm).graph.nodes.len(), 1);
        after
    };
    let median = median(&mut (0..5).map(is_gone_after).collect::<Vec<_>>());
    assert!(median < SOON, "{median} us");
}

/// Case 5: another user creates a file of any kind with the name of the folder.
#[test]
fn a_file_of_another_user_is_rejected_and_reported_and_affects_no_member() {
    let name = format!("saltus.v9.{}", nix::unistd::geteuid());
    // The script also creates a file in the layout of earlier versions, in which the name contained the user.
    let old = format!("mkfifo saltus.{}.0.00000000000000ff", nix::unistd::geteuid());
    for (what, script) in [
        ("Fifo", format!("mkfifo {name}")),
        ("belongs to user 65534", format!("mkdir -m 777 {name}")),
        ("RegularFile", format!("echo > {name}; chmod 666 {name}")),
        ("Symlink", format!("mkdir -m 777 theirs; ln -s theirs {name}")),
    ] {
        let shm = ShmFolder::new();
        let made = run_as_other_user(&shm, &format!("umask 0; {old}; {script}"));
        assert!(made.status.success(), "{made:?}");
        let begun = Instant::now();
        let (mut a, mut b) = (member(&shm, "a"), member(&shm, "b"));
        wait_until_all_find_each_other(&mut [("a", &mut a), ("b", &mut b)]);
        assert!(begun.elapsed() < Duration::from_secs(2), "{what}: {:?}", begun.elapsed());
        exchange(("a", &mut a), &mut b);
        let report = doctor(&shm);
        let (path, reason) = &report.foreign[0];
        assert!(path.ends_with(&name) && reason.contains(what), "{:?}", report.foreign);
        let removed = run_as_other_user(&shm, &format!("rm -r {name}"));
        assert!(removed.status.success(), "{removed:?}");
        let mut late = member(&shm, "late");
        wait_until_all_find_each_other(&mut [("a", &mut a), ("b", &mut b), ("late", &mut late)]);
    }
}

/// Case 5: other users can't reach the files, not even as root of their own user namespace.
#[test]
fn another_user_can_neither_join_nor_damage_a_graph() {
    let shm = ShmFolder::new();
    let (mut a, mut b) = (member(&shm, "a"), member(&shm, "b"));
    wait_until_all_find_each_other(&mut [("a", &mut a), ("b", &mut b)]);
    let own = folder(&shm);
    for script in [
        format!("ls {}", own.display()),
        format!("truncate -s 0 {}/0.members", own.display()),
        format!("rm -r {}", own.display()),
        format!("mv {} away", own.display()),
        format!("unshare -r truncate -s 0 {}/0.members", own.display()),
    ] {
        let output = run_as_other_user(&shm, &script);
        assert!(!output.status.success(), "{script}: {output:?}");
    }
    let theirs = shm.command("unshare", &["-r", ACTOR, "member", "theirs"]);
    let mut theirs = Actor::start(&mut as_user(NOBODY, &[], &theirs));
    theirs.wait_until_ready();
    assert!(number(&theirs.request("graph theirs"), "after_us").is_some(), "it has a separate graph");
    wait_until_all_find_each_other(&mut [("a", &mut a), ("b", &mut b)]);
    exchange(("a", &mut a), &mut b);
    assert!(doctor(&shm).unreachable.is_empty());
}

/// Invalid files of the same user are rejected, and joining does not hang. (The same user could do more harm than
/// this.)
#[test]
fn files_that_do_not_match_their_names_are_rejected() {
    let shm = ShmFolder::new();
    let mut a = member(&shm, "a");
    let fifo = folder(&shm).join("0.00000000000000ff");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    fs::write(folder(&shm).join("0.00000000000000fe"), "not a segment").unwrap();
    std::os::unix::fs::symlink("/etc/passwd", folder(&shm).join("0.00000000000000fd")).unwrap();
    let mut b = member(&shm, "b");
    wait_until_all_find_each_other(&mut [("a", &mut a), ("b", &mut b)]);
    let report = doctor(&shm);
    assert!(
        report
            .foreign
            .iter()
            .any(|(path, reason)| path.ends_with("0.00000000000000fd") && reason.contains("Symlink")),
        "{report:?}"
    );
    assert!(!fifo.exists(), "no process reads the pipe, so the next process that joins removes it");
    a.end();
    b.end();
    for wrong in ["mkfifo", "mkdir", "touch"] {
        let table = folder(&shm).join("0.members");
        fs::create_dir_all(folder(&shm)).unwrap();
        fs::set_permissions(folder(&shm), fs::Permissions::from_mode(0o700)).unwrap();
        assert!(Command::new(wrong).arg(&table).status().unwrap().success());
        let begun = Instant::now();
        let output = shm.command(ACTOR, &["member", "c"]).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && error.contains("0.members"), "{wrong}: {error}");
        assert!(begun.elapsed() < Duration::from_secs(2), "{wrong}: {:?}", begun.elapsed());
        fs::remove_dir_all(folder(&shm)).unwrap();
    }
}

/// Case 8: processes of another version have used the domain.
#[test]
fn processes_of_another_version_have_a_separate_folder_and_are_reported() {
    let shm = ShmFolder::new();
    let user = nix::unistd::geteuid();
    let other = shm.path().join(format!("saltus.v1.{user}"));
    fs::create_dir(&other).unwrap();
    fs::write(other.join("0.members"), [0xff; 1 << 16]).unwrap();
    // The layout before folders: one table, whose first word is that of another version.
    fs::write(shm.path().join(format!("saltus.{user}.0")), [0xff; 1 << 14]).unwrap();
    let (mut a, mut b) = (member(&shm, "a"), member(&shm, "b"));
    wait_until_all_find_each_other(&mut [("a", &mut a), ("b", &mut b)]);
    exchange(("a", &mut a), &mut b);
    assert_eq!(doctor(&shm).other_versions, [other]);
}

/// Case 12: a process has ended, and another process has the same pid, as after the restart of a container.
#[test]
fn a_process_with_the_pid_of_a_dead_process_is_a_new_member() {
    let shm = ShmFolder::new();
    let mut watch = member(&shm, "watch");
    let script = r#"exec "$ACTOR" member "$NAME""#;
    let container = |name: &str| {
        let mut command =
            shm.command("unshare", &["--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c", script]);
        command.env("ACTOR", ACTOR).env("NAME", name);
        Actor::start(&mut command)
    };
    let mut before = container("before");
    before.wait_until_ready();
    wait_until_all_find_each_other(&mut [("watch", &mut watch), ("before", &mut before)]);
    before.kill();
    // The process has pid 1 in its namespace, as the process before had in its own namespace.
    let mut after = container("after");
    after.wait_until_ready();
    wait_until_all_find_each_other(&mut [("watch", &mut watch), ("after", &mut after)]);
    exchange(("after", &mut after), &mut watch);
    exchange(("watch", &mut watch), &mut after);
}

/// Case 12: the kernel kills a process when its parent dies.
#[test]
fn other_members_learn_of_a_process_that_dies_with_its_parent() {
    let shm = ShmFolder::new();
    let mut watch = member(&shm, "watch");
    let script = r#"exec 3<&0; setpriv --pdeathsig KILL "$ACTOR" member child <&3 & wait"#;
    let is_gone_after = |_| {
        let mut parent = Actor::start(shm.command("sh", &["-c", script]).env("ACTOR", ACTOR));
        parent.wait_until_ready();
        answered_after(&watch.request("graph child watch"));
        parent.kill();
        answered_after(&watch.request("graph watch"))
    };
    let median = median(&mut (0..5).map(is_gone_after).collect::<Vec<_>>());
    assert!(median < SOON, "{median} us");
}

/// Case 12: a publisher can't open the pipe of an executor that also waits for file descriptors.
#[test]
fn a_process_without_a_free_descriptor_still_wakes_others() {
    let shm = ShmFolder::new();
    let (mut a, mut b) = (member(&shm, "a"), member(&shm, "b"));
    wait_until_all_find_each_other(&mut [("a", &mut a), ("b", &mut b)]);
    assert_eq!(b.request("subscribe a"), "subscribed to a");
    // A member that closes one pipe to open another one would not help: another thread may take the free descriptor
    // first.
    assert_eq!(a.request("take-all-descriptors"), "has taken all descriptors");
    for number in 1..=50 {
        b.send_line("poll a 1");
        // This wait makes `b` sleep before the message is sent. Nothing else depends on it.
        std::thread::sleep(Duration::from_millis(2));
        assert_eq!(a.request("send 1 10"), format!("sent up to {number}"));
        assert_eq!(b.read_line(), "took 1", "message {number}");
    }
    let mut late = member(&shm, "late");
    assert_eq!(late.request("graph a b late").split('=').next(), Some("graph after_us"));
    let report = doctor(&shm);
    let of_a = report.processes.iter().find(|process| process.pid == a.id()).unwrap();
    assert!(of_a.descriptors.is_some_and(|(open, limit)| open + 1 >= limit), "{of_a:?}");
}

/// A stopped member is alive, even if it is stopped for a long time.
#[test]
fn a_stopped_member_stays_in_the_graph() {
    let shm = ShmFolder::new();
    let (mut a, mut b) = (member(&shm, "a"), member(&shm, "b"));
    wait_until_all_find_each_other(&mut [("a", &mut a), ("b", &mut b)]);
    let stopped = Pid::from_raw(a.id() as i32).unwrap();
    kill_process(stopped, Signal::STOP).unwrap();
    for name in ["c", "d"] {
        let mut other = member(&shm, name);
        let answer = other.request(&format!("graph a b {name}"));
        assert!(number(&answer, "after_us").is_some(), "{answer}");
        other.end();
    }
    kill_process(stopped, Signal::CONT).unwrap();
    exchange(("a", &mut a), &mut b);
    wait_until_all_find_each_other(&mut [("a", &mut a), ("b", &mut b)]);
}

/// Several users share a graph if they request it. No other user is in that graph.
#[test]
fn a_group_of_users_may_share_a_graph() {
    const GROUP: u32 = 4242;
    let shm = ShmFolder::new();
    fs::set_permissions(shm.path(), fs::Permissions::from_mode(0o1777)).unwrap();
    let in_group = |name: &str| {
        let mut command = shm.command(ACTOR, &["member", name]);
        command.env("SALTUS_GROUP", GROUP.to_string());
        command
    };
    let mut driver = Actor::start(&mut as_user(1001, &[GROUP], &in_group("driver")));
    driver.wait_until_ready();
    let mut application = Actor::start(&mut as_user(1002, &[GROUP], &in_group("application")));
    application.wait_until_ready();
    wait_until_all_find_each_other(&mut [("driver", &mut driver), ("application", &mut application)]);
    exchange(("driver", &mut driver), &mut application);
    exchange(("application", &mut application), &mut driver);
    let shared = shm.path().join(format!("saltus.v9.g{GROUP}"));
    assert_eq!(fs::metadata(&shared).unwrap().mode() & 0o7777, 0o2770);
    for file in fs::read_dir(&shared).unwrap() {
        let meta = file.unwrap().metadata().unwrap();
        assert_eq!((meta.mode() & 0o777, meta.gid()), (0o660, GROUP));
    }
    let refused = as_user(1003, &[], &in_group("outsider")).output().unwrap();
    let error = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(
        !refused.status.success()
            && error.contains(&format!("is not in group {GROUP}, which SALTUS_GROUP names")),
        "{error}"
    );
    let mut alone = member(&shm, "alone");
    wait_until_all_find_each_other(&mut [("alone", &mut alone)]);
    let domain = ContextOptions::default().domain(0).folder(shm.path()).group("4242").domain_id().unwrap();
    assert_eq!(domain.owner, GraphOwner::Group(GROUP));
    assert_eq!(Report::observe(domain).unwrap().graph.nodes.len(), 2);
    driver.kill();
    let is_gone_after = |_| {
        let mut driver = Actor::start(&mut as_user(1001, &[GROUP], &in_group("driver")));
        driver.wait_until_ready();
        wait_until_all_find_each_other(&mut [("driver", &mut driver), ("application", &mut application)]);
        driver.kill();
        answered_after(&application.request("graph application"))
    };
    let median = median(&mut (0..5).map(is_gone_after).collect::<Vec<_>>());
    assert!(median < SOON, "{median} us");
    application.end();
    assert!(fs::read_dir(&shared).map_or(true, |mut left| left.next().is_none()), "no file is left");
}
