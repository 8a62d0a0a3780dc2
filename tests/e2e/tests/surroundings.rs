//! Environments other than a plain host: a full memory, other namespaces, other users.

use std::process::Command;

use saltus_e2e::{Actor, ShmFolder};

const ACTOR: &str = env!("CARGO_BIN_EXE_actor");

/// Returns a command that runs a script under `unshare` with these flags.
fn unshared(shm: &ShmFolder, flags: &[&str], script: &str) -> Command {
    let mut command = Command::new("unshare");
    command.args(flags).args(["sh", "-c", script]);
    command.env("SALTUS_SHM_DIR", shm.path()).env("ACTOR", ACTOR).env("ROS_DOMAIN_ID", "0");
    command
}

#[test]
fn a_full_memory_file_system_causes_an_error_and_not_a_signal() {
    let shm = ShmFolder::new();
    let script = r#"mount -t tmpfs -o size=4m tmpfs "$SALTUS_SHM_DIR" && exec "$ACTOR" fill"#;
    let output = unshared(&shm, &["--map-root-user", "--mount"], script).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    println!("{text}");
    assert!(output.status.success(), "{}: {}", output.status, String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("No space left on device"), "{text}");
    assert!(text.contains("lost 1 at the publisher, 1 at the subscription"), "{text}");
    assert!(text.contains("and then sent 100 bytes of 2"), "{text}");
}

/// A subscriber that keeps all messages does not take memory from others: 400 MB of messages pass through 64 MB.
#[test]
fn a_subscriber_that_keeps_everything_does_not_fill_shared_memory() {
    let shm = ShmFolder::new();
    let script = r#"mount -t tmpfs -o size=64m tmpfs "$SALTUS_SHM_DIR" && exec "$ACTOR" keep-all 400"#;
    let output = unshared(&shm, &["--map-root-user", "--mount"], script).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    println!("{text}");
    assert!(output.status.success(), "{}: {}", output.status, String::from_utf8_lossy(&output.stderr));
    assert_eq!(text, "sent=400 failed=0 kept=400 copied=384 changed=0\n");
}

#[test]
fn containers_with_separate_pid_namespaces_exchange_messages() {
    let shm = ShmFolder::new();
    let flags = ["--map-root-user", "--pid", "--fork", "--kill-child", "--mount-proc"];
    let mut echo = Actor::start(&mut unshared(&shm, &flags, r#"exec "$ACTOR" echo"#));
    echo.wait_until_ready();
    let mut count = Actor::start(&mut unshared(&shm, &flags, r#"exec "$ACTOR" count 1000"#));
    assert_eq!(count.read_line(), "1000 were returned");
}

#[test]
fn the_death_of_a_peer_in_another_pid_namespace_is_detected() {
    let shm = ShmFolder::new();
    let flags = ["--map-root-user", "--pid", "--fork", "--kill-child", "--mount-proc"];
    let mut echo = Actor::start(&mut unshared(&shm, &flags, r#"exec "$ACTOR" echo"#));
    echo.wait_until_ready();
    let mut watch = shm.start(ACTOR, &["watch-death"]);
    watch.wait_until_ready();
    let killed = saltus::time::monotonic_now();
    echo.kill();
    watch.send_line(&killed.to_string());
    let report = watch.read_line();
    let after = saltus_e2e::number(&report, "after_us").unwrap();
    println!("known after {after} us");
    assert!(report.contains("gone=true"), "{report}");
}

#[test]
fn users_have_separate_graphs() {
    let shm = ShmFolder::new();
    let mut permissions = std::fs::metadata(shm.path()).unwrap().permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut permissions, 0o777);
    std::fs::set_permissions(shm.path(), permissions).unwrap();
    let mut mine = shm.start(ACTOR, &["idle"]);
    mine.wait_until_ready();
    let user = ["--user", "--map-user=1234", "--map-group=1234"];
    let mut theirs = Actor::start(&mut unshared(&shm, &user, r#"exec "$ACTOR" idle"#));
    theirs.wait_until_ready();
    let files = shm.files();
    let theirs = |file: &&String| file.starts_with("saltus.v9.1234/");
    assert_eq!(files.iter().filter(theirs).count(), 3, "a member table, a segment and a pipe: {files:?}");
    assert_eq!(files.len(), 6, "of each user: {files:?}");
}
