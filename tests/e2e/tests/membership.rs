//! A member that lives stays in the graph, and a member that is gone leaves it, whatever happens to files, users
//! and programs.
//!
//! Tests with other users need root, which continuous integration has: `setpriv` runs a process as another user.

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
use saltus_e2e::{Actor, Stage, number};

const ACTOR: &str = env!("CARGO_BIN_EXE_actor");
/// The peers of a member know that it has ended within this many microseconds.
const SOON: u64 = 100_000;
/// A member whose files were removed can be found again within this time.
const RELISTED: Duration = Duration::from_millis(1500);
/// The id of a user without files here.
const NOBODY: u32 = 65534;

fn member(stage: &Stage, name: &str) -> Actor {
    let mut member = stage.start(ACTOR, &["member", name]);
    member.wait_until_ready();
    member
}

/// Makes each member wait until its graph has exactly these members.
fn all_see(members: &mut [(&str, &mut Actor)]) {
    let mut names: Vec<&str> = members.iter().map(|(name, _)| *name).collect();
    names.sort_unstable();
    let names = names.join(" ");
    for (name, member) in members {
        let answer = member.ask(&format!("graph {names}"));
        assert!(number(&answer, "after_us").is_some(), "{name}, instead of {names}: {answer}");
    }
}

/// Makes one member send to another one, which checks what it receives.
fn exchange(from: (&str, &mut Actor), to: &mut Actor) {
    let (name, from) = from;
    assert_eq!(to.ask(&format!("hear {name}")), format!("hears {name}"));
    assert!(from.ask("send 20 1000").starts_with("sent"), "{name} can't send");
    assert_eq!(to.ask(&format!("take {name} 20")), "took 20");
}

fn doctor(stage: &Stage) -> Report {
    Report::observe(ContextOptions::default().domain(0).folder(stage.folder()).domain_id().unwrap()).unwrap()
}

/// Waits until a process that joins finds `count` members.
fn wait_until_listed(stage: &Stage, count: usize) {
    let begun = Instant::now();
    while doctor(stage).graph.nodes.len() < count {
        assert!(begun.elapsed() < RELISTED, "{:?}", doctor(stage));
        std::thread::yield_now();
    }
    println!("listed again after {:?}", begun.elapsed());
}

/// Returns the folder in which the members of the present user have their files.
fn folder(stage: &Stage) -> PathBuf {
    stage.folder().join(format!("saltus.v4.{}", nix::unistd::geteuid()))
}

/// Returns a command that runs as another user.
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

/// Runs a script as another user in the stage's folder. Every user may write to that folder, as to `/dev/shm`.
fn run_as_other_user(stage: &Stage, script: &str) -> Output {
    fs::set_permissions(stage.folder(), fs::Permissions::from_mode(0o1777)).unwrap();
    let mut command = Command::new("sh");
    command.args(["-c", &format!("cd {} && {script}", stage.folder().display())]);
    as_user(NOBODY, &[], &command).output().unwrap()
}

/// Case 1: a daemon joins as root, drops its privileges and leaves.
#[test]
fn a_member_that_changed_its_user_and_leaves_removes_no_other_member() {
    let stage = Stage::new();
    let (mut daemon, mut a, mut b) = (member(&stage, "daemon"), member(&stage, "a"), member(&stage, "b"));
    all_see(&mut [("daemon", &mut daemon), ("a", &mut a), ("b", &mut b)]);
    assert_eq!(b.ask("hear a"), "hears a");
    assert_eq!(a.ask("send 10 5000"), "sent up to 10");
    assert_eq!(b.ask("keep a 10"), "took 10");
    assert_eq!(daemon.ask(&format!("become-user {NOBODY}")), format!("is user {NOBODY}"));
    assert_eq!(daemon.ask("leave"), "left");
    all_see(&mut [("a", &mut a), ("b", &mut b)]);
    assert_eq!(a.ask("send 200 5000"), "sent up to 210");
    assert_eq!(b.ask("check"), "kept=10 changed=0", "what is kept stays as it is");
    exchange(("b", &mut b), &mut a);
    let mut late = member(&stage, "late");
    all_see(&mut [("a", &mut a), ("b", &mut b), ("late", &mut late)]);
    assert_eq!(doctor(&stage).graph.nodes.len(), 3);
    drop(daemon);
    a.end();
    b.end();
    late.end();
    assert_eq!(stage.files(), [""; 0], "what the daemon could not remove was removed by others");
}

/// Case 2: the files of live processes are removed, as systemd-logind does at the last logout.
#[test]
fn members_whose_files_were_removed_list_themselves_again() {
    let stage = Stage::new();
    let (mut a, mut b) = (member(&stage, "a"), member(&stage, "b"));
    all_see(&mut [("a", &mut a), ("b", &mut b)]);
    exchange(("a", &mut a), &mut b);
    fs::remove_dir_all(folder(&stage)).unwrap();
    assert!(a.ask("send 20 1000").starts_with("sent"));
    assert_eq!(b.ask("take a 20"), "took 20", "members that know each other go on");
    wait_until_listed(&stage, 2);
    let mut late = member(&stage, "late");
    all_see(&mut [("a", &mut a), ("b", &mut b), ("late", &mut late)]);
    exchange(("late", &mut late), &mut a);
    exchange(("b", &mut b), &mut late);
    a.end();
    all_see(&mut [("b", &mut b), ("late", &mut late)]);
    exchange(("late", &mut late), &mut b);
    b.kill();
    all_see(&mut [("late", &mut late)]);
    late.end();
    assert_eq!(stage.files(), [""; 0]);
}

/// Case 2, while one member does not know the other yet. The other one knows it.
#[test]
fn a_member_that_lists_itself_again_is_found_by_members_that_did_not_know_it() {
    let stage = Stage::new();
    let mut a = member(&stage, "a");
    let signal = |member: &Actor, signal| {
        kill_process(Pid::from_raw(member.id() as i32).unwrap(), signal).unwrap();
    };
    signal(&a, Signal::STOP);
    let mut b = member(&stage, "b");
    assert_eq!(b.ask("see a b"), "sees all");
    signal(&b, Signal::STOP);
    fs::remove_dir_all(folder(&stage)).unwrap();
    signal(&a, Signal::CONT);
    wait_until_listed(&stage, 1);
    signal(&b, Signal::CONT);
    wait_until_listed(&stage, 2);
    assert_eq!(a.ask("see a b"), "sees all");
    exchange(("b", &mut b), &mut a);
    exchange(("a", &mut a), &mut b);
}

/// Case 2, file by file.
#[test]
fn each_file_of_a_live_member_may_be_removed() {
    let stage = Stage::new();
    let mut a = member(&stage, "a");
    for file in stage.files() {
        fs::remove_file(stage.folder().join(&file)).unwrap();
        let removed = Instant::now();
        while doctor(&stage).graph.nodes.is_empty() || !doctor(&stage).unreachable.is_empty() {
            assert!(removed.elapsed() < RELISTED, "{file}: {:?}", doctor(&stage));
            std::thread::yield_now();
        }
        let mut late = member(&stage, "late");
        all_see(&mut [("a", &mut a), ("late", &mut late)]);
        exchange(("late", &mut late), &mut a);
        exchange(("a", &mut a), &mut late);
        late.end();
        all_see(&mut [("a", &mut a)]);
    }
    a.end();
    assert_eq!(stage.files(), [""; 0]);
}

/// A process that changed its user can't open the memory of members that list themselves again. This must not harm
/// these members.
#[test]
fn a_member_without_rights_expels_no_other_member() {
    let stage = Stage::new();
    let (mut a, mut b) = (member(&stage, "a"), member(&stage, "b"));
    let stopped = Pid::from_raw(b.id() as i32).unwrap();
    kill_process(stopped, Signal::STOP).unwrap();
    fs::remove_dir_all(folder(&stage)).unwrap();
    let mut daemon = member(&stage, "daemon");
    assert_eq!(daemon.ask("see a daemon"), "sees all");
    assert_eq!(daemon.ask(&format!("become-user {NOBODY}")), format!("is user {NOBODY}"));
    // Only now, `b` can list itself again, and the daemon finds it.
    kill_process(stopped, Signal::CONT).unwrap();
    let mut late = member(&stage, "late");
    assert_eq!(late.ask("see a b daemon late"), "sees all");
    let listed = Instant::now();
    while listed.elapsed() < 2 * RELISTED {
        assert!(b.ask("send 1 10").starts_with("sent"), "it is not expelled");
    }
    exchange(("b", &mut b), &mut a);
}

/// A member that can't be found again returns an error. Here, it may not make files any more.
#[test]
fn a_member_that_can_not_be_listed_again_is_expelled() {
    let stage = Stage::new();
    let (mut a, mut b) = (member(&stage, "a"), member(&stage, "b"));
    all_see(&mut [("a", &mut a), ("b", &mut b)]);
    assert_eq!(a.ask(&format!("become-user {NOBODY}")), format!("is user {NOBODY}"));
    fs::remove_dir_all(folder(&stage)).unwrap();
    let removed = Instant::now();
    let error = loop {
        let answer = a.ask("send 1 10");
        if !answer.starts_with("sent") {
            break answer;
        }
        assert!(removed.elapsed() < 2 * RELISTED, "its handles still answer");
    };
    assert!(error.contains("expelled from its domain"), "{error}");
    all_see(&mut [("b", &mut b)]);
}

/// A member that knows that another one is gone removes it from the table, also if its file has no name and its process
/// goes on.
#[test]
fn a_member_whose_files_were_removed_is_gone_after_exec() {
    let stage = Stage::new();
    let (mut a, mut b) = (member(&stage, "a"), member(&stage, "b"));
    all_see(&mut [("a", &mut a), ("b", &mut b)]);
    fs::remove_dir_all(folder(&stage)).unwrap();
    wait_until_listed(&stage, 2);
    b.tell("exec sleep 100");
    all_see(&mut [("a", &mut a)]);
    let gone = Instant::now();
    while !doctor(&stage).unreachable.is_empty() {
        assert!(gone.elapsed() < RELISTED, "{:?}", doctor(&stage));
        std::thread::yield_now();
    }
}

/// Case 4: after `exec` the old program is gone.
#[test]
fn exec_is_known_within_100_milliseconds() {
    let stage = Stage::new();
    let mut watch = member(&stage, "watch");
    for _ in 0..10 {
        let mut old = member(&stage, "old");
        all_see(&mut [("watch", &mut watch), ("old", &mut old)]);
        let told = saltus::time::monotonic_now();
        old.tell("exec sleep 100");
        let answer = watch.ask("graph watch");
        let after = (saltus::time::monotonic_now() - told) / 1000;
        println!("known {after} us after the request");
        assert!(number(&answer, "after_us").is_some(), "{answer}");
        assert!(after < SOON, "{after} us");
        assert!(old.is_running(), "the process goes on");
        assert_eq!(doctor(&stage).graph.nodes.len(), 1);
    }
    watch.end();
    assert_eq!(stage.files(), [""; 0]);
}

/// Case 4, the other way round: a child that outlives its parent.
#[test]
fn a_forked_child_does_not_keep_its_dead_parent_in_the_graph() {
    let stage = Stage::new();
    let mut watch = member(&stage, "watch");
    let mut parent = member(&stage, "parent");
    all_see(&mut [("watch", &mut watch), ("parent", &mut parent)]);
    assert_eq!(parent.ask("daemon"), "is a daemon");
    let answer = watch.ask("graph watch");
    println!("{answer}");
    assert!(number(&answer, "after_us").is_some_and(|after| after < SOON), "{answer}");
    let inert = parent.ask("send 1 10");
    assert!(inert.contains("fork"), "the child goes on, and its handles are inert: {inert}");
    assert_eq!(doctor(&stage).graph.nodes.len(), 1);
}

/// Case 5: another user makes a file of any kind with the name of the folder.
#[test]
fn a_file_of_another_user_is_refused_and_reported_and_disturbs_no_member() {
    let name = format!("saltus.v4.{}", nix::unistd::geteuid());
    // There is also a segment in the layout of earlier versions, in which the name decided who was asked.
    let old = format!("mkfifo saltus.{}.0.00000000000000ff", nix::unistd::geteuid());
    for (what, script) in [
        ("Fifo", format!("mkfifo {name}")),
        ("belongs to user 65534", format!("mkdir -m 777 {name}")),
        ("RegularFile", format!("echo > {name}; chmod 666 {name}")),
        ("Symlink", format!("mkdir -m 777 theirs; ln -s theirs {name}")),
    ] {
        let stage = Stage::new();
        let made = run_as_other_user(&stage, &format!("umask 0; {old}; {script}"));
        assert!(made.status.success(), "{made:?}");
        let begun = Instant::now();
        let (mut a, mut b) = (member(&stage, "a"), member(&stage, "b"));
        all_see(&mut [("a", &mut a), ("b", &mut b)]);
        assert!(begun.elapsed() < Duration::from_secs(2), "{what}: {:?}", begun.elapsed());
        exchange(("a", &mut a), &mut b);
        let report = doctor(&stage);
        let (path, reason) = &report.foreign[0];
        assert!(path.ends_with(&name) && reason.contains(what), "{:?}", report.foreign);
        let removed = run_as_other_user(&stage, &format!("rm -r {name}"));
        assert!(removed.status.success(), "{removed:?}");
        let mut late = member(&stage, "late");
        all_see(&mut [("a", &mut a), ("b", &mut b), ("late", &mut late)]);
    }
}

/// Case 5: other users, also as root of a user namespace of their own, can't reach the files.
#[test]
fn another_user_can_neither_enter_nor_damage_a_graph() {
    let stage = Stage::new();
    let (mut a, mut b) = (member(&stage, "a"), member(&stage, "b"));
    all_see(&mut [("a", &mut a), ("b", &mut b)]);
    let own = folder(&stage);
    for script in [
        format!("ls {}", own.display()),
        format!("truncate -s 0 {}/0.members", own.display()),
        format!("rm -r {}", own.display()),
        format!("mv {} away", own.display()),
        format!("unshare -r truncate -s 0 {}/0.members", own.display()),
    ] {
        let output = run_as_other_user(&stage, &script);
        assert!(!output.status.success(), "{script}: {output:?}");
    }
    let theirs = stage.command("unshare", &["-r", ACTOR, "member", "theirs"]);
    let mut theirs = Actor::start(&mut as_user(NOBODY, &[], &theirs));
    theirs.wait_until_ready();
    assert!(number(&theirs.ask("graph theirs"), "after_us").is_some(), "it has a graph of its own");
    all_see(&mut [("a", &mut a), ("b", &mut b)]);
    exchange(("a", &mut a), &mut b);
    assert!(doctor(&stage).unreachable.is_empty());
}

/// Hostile files of the same user are refused, and joining does not hang. (The same user could do more harm than this.)
#[test]
fn files_that_are_not_what_their_names_say_are_refused() {
    let stage = Stage::new();
    let mut a = member(&stage, "a");
    let fifo = folder(&stage).join("0.00000000000000ff");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    fs::write(folder(&stage).join("0.00000000000000fe"), "not a segment").unwrap();
    std::os::unix::fs::symlink("/etc/passwd", folder(&stage).join("0.00000000000000fd")).unwrap();
    let mut b = member(&stage, "b");
    all_see(&mut [("a", &mut a), ("b", &mut b)]);
    let report = doctor(&stage);
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
        let table = folder(&stage).join("0.members");
        fs::create_dir_all(folder(&stage)).unwrap();
        fs::set_permissions(folder(&stage), fs::Permissions::from_mode(0o700)).unwrap();
        assert!(Command::new(wrong).arg(&table).status().unwrap().success());
        let begun = Instant::now();
        let output = stage.command(ACTOR, &["member", "c"]).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && error.contains("0.members"), "{wrong}: {error}");
        assert!(begun.elapsed() < Duration::from_secs(2), "{wrong}: {:?}", begun.elapsed());
        fs::remove_dir_all(folder(&stage)).unwrap();
    }
}

/// Case 8: a domain that processes of another version have used.
#[test]
fn processes_of_another_version_have_a_folder_of_their_own_and_are_reported() {
    let stage = Stage::new();
    let user = nix::unistd::geteuid();
    let other = stage.folder().join(format!("saltus.v1.{user}"));
    fs::create_dir(&other).unwrap();
    fs::write(other.join("0.members"), [0xff; 1 << 16]).unwrap();
    // The layout before folders: one table, whose first word is that of another version.
    fs::write(stage.folder().join(format!("saltus.{user}.0")), [0xff; 1 << 14]).unwrap();
    let (mut a, mut b) = (member(&stage, "a"), member(&stage, "b"));
    all_see(&mut [("a", &mut a), ("b", &mut b)]);
    exchange(("a", &mut a), &mut b);
    assert_eq!(doctor(&stage).other_versions, [other]);
}

/// Case 12: a process that ended, and another one with its pid, as after the restart of a container.
#[test]
fn a_process_that_has_the_pid_of_a_dead_one_is_not_taken_for_it() {
    let stage = Stage::new();
    let mut watch = member(&stage, "watch");
    let script = r#"exec "$ACTOR" member "$NAME""#;
    let container = |name: &str| {
        let mut command = stage
            .command("unshare", &["--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c", script]);
        command.env("ACTOR", ACTOR).env("NAME", name);
        Actor::start(&mut command)
    };
    let mut before = container("before");
    before.wait_until_ready();
    all_see(&mut [("watch", &mut watch), ("before", &mut before)]);
    before.kill();
    // Its process has the pid 1 in its namespace, as the process before had in its own.
    let mut after = container("after");
    after.wait_until_ready();
    all_see(&mut [("watch", &mut watch), ("after", &mut after)]);
    exchange(("after", &mut after), &mut watch);
    exchange(("watch", &mut watch), &mut after);
}

/// Case 12: a process that the kernel kills with its parent.
#[test]
fn a_process_that_dies_with_its_parent_is_known_to_be_gone() {
    let stage = Stage::new();
    let mut watch = member(&stage, "watch");
    let script = r#"exec 3<&0; setpriv --pdeathsig KILL "$ACTOR" member child <&3 & wait"#;
    let mut parent = Actor::start(stage.command("sh", &["-c", script]).env("ACTOR", ACTOR));
    parent.wait_until_ready();
    assert!(number(&watch.ask("graph child watch"), "after_us").is_some());
    parent.kill();
    let answer = watch.ask("graph watch");
    assert!(number(&answer, "after_us").is_some_and(|after| after < SOON), "{answer}");
}

/// Case 12: a publisher that can't open the pipe of an executor which waits for file descriptors, too.
#[test]
fn a_process_without_a_free_descriptor_leaves_no_process_asleep() {
    let stage = Stage::new();
    let (mut a, mut b) = (member(&stage, "a"), member(&stage, "b"));
    all_see(&mut [("a", &mut a), ("b", &mut b)]);
    assert_eq!(b.ask("hear a"), "hears a");
    // Closing one pipe to open another must not help: another thread may take the free descriptor first.
    assert_eq!(a.ask("take-all-descriptors"), "has taken all descriptors");
    for number in 1..=50 {
        b.tell("poll a 1");
        // With this wait, `b` sleeps when the message comes. Nothing else depends on it.
        std::thread::sleep(Duration::from_millis(2));
        assert_eq!(a.ask("send 1 10"), format!("sent up to {number}"));
        assert_eq!(b.line(), "took 1", "message {number}");
    }
    let mut late = member(&stage, "late");
    assert_eq!(late.ask("graph a b late").split('=').next(), Some("graph after_us"));
    let report = doctor(&stage);
    let of_a = report.processes.iter().find(|process| process.pid == a.id()).unwrap();
    assert!(of_a.descriptors.is_some_and(|(open, limit)| open + 1 >= limit), "{of_a:?}");
}

/// A stopped member lives, however long it is stopped.
#[test]
fn a_stopped_member_stays_in_the_graph() {
    let stage = Stage::new();
    let (mut a, mut b) = (member(&stage, "a"), member(&stage, "b"));
    all_see(&mut [("a", &mut a), ("b", &mut b)]);
    let stopped = Pid::from_raw(a.id() as i32).unwrap();
    kill_process(stopped, Signal::STOP).unwrap();
    for name in ["c", "d"] {
        let mut other = member(&stage, name);
        let answer = other.ask(&format!("graph a b {name}"));
        assert!(number(&answer, "after_us").is_some(), "{answer}");
        other.end();
    }
    kill_process(stopped, Signal::CONT).unwrap();
    exchange(("a", &mut a), &mut b);
    all_see(&mut [("a", &mut a), ("b", &mut b)]);
}

/// Several users share a graph if they request it, and no other user is in it.
#[test]
fn a_group_of_users_shares_a_graph_on_request() {
    const GROUP: u32 = 4242;
    let stage = Stage::new();
    fs::set_permissions(stage.folder(), fs::Permissions::from_mode(0o1777)).unwrap();
    let in_group = |name: &str| {
        let mut command = stage.command(ACTOR, &["member", name]);
        command.env("SALTUS_GROUP", GROUP.to_string());
        command
    };
    let mut driver = Actor::start(&mut as_user(1001, &[GROUP], &in_group("driver")));
    driver.wait_until_ready();
    let mut application = Actor::start(&mut as_user(1002, &[GROUP], &in_group("application")));
    application.wait_until_ready();
    all_see(&mut [("driver", &mut driver), ("application", &mut application)]);
    exchange(("driver", &mut driver), &mut application);
    exchange(("application", &mut application), &mut driver);
    let shared = stage.folder().join(format!("saltus.v4.g{GROUP}"));
    assert_eq!(fs::metadata(&shared).unwrap().mode() & 0o7777, 0o2770);
    for file in fs::read_dir(&shared).unwrap() {
        let meta = file.unwrap().metadata().unwrap();
        assert_eq!((meta.mode() & 0o777, meta.gid()), (0o660, GROUP));
    }
    let refused = as_user(1003, &[], &in_group("outsider")).output().unwrap();
    let error = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && error.contains("SALTUS_GROUP a group that you are in"), "{error}");
    let mut alone = member(&stage, "alone");
    all_see(&mut [("alone", &mut alone)]);
    let domain =
        ContextOptions::default().domain(0).folder(stage.folder()).group("4242").domain_id().unwrap();
    assert_eq!(domain.owner, GraphOwner::Group(GROUP));
    assert_eq!(Report::observe(domain).unwrap().graph.nodes.len(), 2);
    driver.kill();
    let answer = application.ask("graph application");
    assert!(number(&answer, "after_us").is_some_and(|after| after < SOON), "{answer}");
    application.end();
    assert!(fs::read_dir(&shared).map_or(true, |mut left| left.next().is_none()), "nothing stays");
}
