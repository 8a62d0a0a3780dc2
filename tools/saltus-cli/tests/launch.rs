//! Launches shells, as a user does, and looks at what they print and leave.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    collections::BTreeSet,
    ffi::OsStr,
    fs,
    io::{BufRead, BufReader},
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{Child, ChildStdout, Command, ExitStatus, Output, Stdio},
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process, kill_process_group, test_kill_process};

const LONG: Duration = Duration::from_secs(20);

/// A folder with a launch file, its logs, and a domain of its own.
struct Scene {
    folder: tempfile::TempDir,
    file: PathBuf,
}

impl Scene {
    /// Returns a scene with a launch file in YAML, of which `actions` are the lines after the first.
    fn new(actions: &str) -> Self {
        let folder = tempfile::tempdir_in("/dev/shm").unwrap();
        let file = folder.path().join("robot.launch.yaml");
        fs::write(&file, format!("launch:\n{actions}")).unwrap();
        Self { folder, file }
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(saltus_programs::program("saltus"));
        command.arg("launch").arg(&self.file).args(words).stdin(Stdio::null());
        command.env("ROS_LOG_DIR", self.folder.path().join("log")).env("SALTUS_SHM_DIR", self.folder.path());
        command.env("NO_COLOR", "1").env_remove("ROS_DOMAIN_ID");
        command
    }

    fn output(&self, words: &[&str]) -> Output {
        self.command(words).output().unwrap()
    }

    /// Returns the numbers of all processes with the environment of this scene.
    fn processes(&self) -> Vec<i32> {
        let own = self.folder.path().display().to_string();
        let has_it = |process: &procfs::process::Process| {
            let is_alive = process.stat().is_ok_and(|stat| stat.state != 'Z');
            let value = process.environ().ok().and_then(|all| all.get(OsStr::new("SALTUS_SHM_DIR")).cloned());
            is_alive && value.is_some_and(|value| value.to_string_lossy() == own)
        };
        let all = procfs::process::all_processes().unwrap().flatten();
        all.filter(has_it).map(|process| process.pid).collect()
    }

    fn start(&self) -> Launch {
        let mut child = self.command(&[]).stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap());
        Launch { child, lines, seen: String::new() }
    }
}

/// A launch that runs.
struct Launch {
    child: Child,
    lines: BufReader<ChildStdout>,
    seen: String,
}

impl Launch {
    /// Reads lines until one contains a text, and returns it.
    fn wait_for(&mut self, text: &str) -> String {
        loop {
            let mut line = String::new();
            let count = self.lines.read_line(&mut line).unwrap();
            assert!(count > 0, "no line with {text:?} in\n{}", self.seen);
            self.seen.push_str(&line);
            if line.contains(text) {
                return line;
            }
        }
    }

    fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    /// Reads the number after a text.
    fn number(&mut self, text: &str) -> Pid {
        let line = self.wait_for(text);
        let digits: String = line
            .split(text)
            .nth(1)
            .unwrap()
            .chars()
            .skip_while(|c| !c.is_ascii_digit())
            .take_while(char::is_ascii_digit)
            .collect();
        Pid::from_raw(digits.parse().unwrap()).unwrap()
    }

    /// Reads the remaining lines. Returns them and the exit status.
    fn end(mut self) -> (String, ExitStatus) {
        let mut line = String::new();
        while self.lines.read_line(&mut line).unwrap() > 0 {}
        (self.seen + &line, self.child.wait().unwrap())
    }
}

fn wait_until_gone(pid: Pid) {
    let end = Instant::now() + LONG;
    // Nobody may collect a process whose parent was killed.
    let is_zombie = || {
        let process = procfs::process::Process::new(pid.as_raw_nonzero().get());
        process.and_then(|process| process.stat()).is_ok_and(|stat| stat.state == 'Z')
    };
    while test_kill_process(pid).is_ok() && !is_zombie() {
        assert!(Instant::now() < end, "the process {pid:?} is still there");
        std::thread::yield_now();
    }
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn the_arguments_are_printed_as_in_ros_2() {
    let scene = Scene::new(
        "- arg: {name: robot, default: arm_$(env HOME), description: the name}\n\
         - arg: {name: mode, default: slow, choice: [{value: slow}, {value: fast}]}\n\
         - arg: {name: extra, if: 'false'}\n",
    );
    let want = "Arguments (pass arguments as '<name>:=<value>'):\n\n    'robot':\n        the name\n        \
                (default: 'arm_' + EnvVar('HOME'))\n\n    'mode':\n        One of: ['slow', 'fast']\n        (default: 'slow')\n\n    \
                'extra':*\n        no description given\n\n* argument(s) which are only used if specific conditions occur\n";
    assert_eq!(stdout(&scene.output(&["--show-args"])), want);
}

#[test]
fn a_dry_run_prints_the_plan() {
    let scene = Scene::new(
        "- arg: {name: word, default: hello}\n- executable: {cmd: echo $(var word), name: speaker}\n",
    );
    let file = scene.file.display();
    let want = format!("{file}\n└── process speaker  (robot.launch.yaml:3)\n        command: echo news\n");
    assert_eq!(stdout(&scene.output(&["--dry-run", "word:=news"])), want);
}

#[test]
fn errors_name_the_line() {
    let scene = Scene::new("- executable: {cmd: $(var word)}\n");
    let output = scene.output(&[]);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(errors.contains("robot.launch.yaml:2: `$(var word)`: there is no variable `word`"), "{errors}");
    assert_eq!(output.status.code(), Some(1));
    let output = scene.output(&["word"]);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(
        errors.contains("malformed launch argument 'word', expected format '<name>:=<value>'"),
        "{errors}"
    );
}

#[test]
fn the_output_is_shown_and_logged_and_the_first_failure_is_the_exit_status() {
    let scene = Scene::new(
        "- executable: {cmd: \"sh -c 'echo to the terminal; echo an error >&2; exit 3'\", name: first, output: screen}\n\
         - executable: {cmd: \"sh -c 'echo only logged; sleep 0.2; exit 4'\", name: second}\n",
    );
    let output = scene.output(&[]);
    let text = stdout(&output);
    for line in ["[first-1] to the terminal\n", "[first-1] an error\n", "exit code 3, cmd 'sh -c "] {
        assert!(text.contains(line), "{line:?} is missing in\n{text}");
    }
    assert!(!text.contains("[second-2] only logged"));
    assert_eq!(output.status.code(), Some(3));
    let logs = fs::read_dir(scene.folder.path().join("log")).unwrap().next().unwrap().unwrap().path();
    assert_eq!(fs::read_to_string(logs.join("second-2.log")).unwrap(), "only logged\n");
    // The two outputs are read one after the other, so their lines may come in another order.
    let log = fs::read_to_string(logs.join("first-1.log")).unwrap();
    let lines: BTreeSet<&str> = log.lines().collect();
    assert_eq!(lines, ["to the terminal", "an error"].into());
}

#[test]
fn ctrl_c_ends_the_last_process_first() {
    let one = |name: &str| {
        format!(
            "- executable: {{cmd: \"sh -c 'trap \\\"exit 0\\\" INT; echo $$ runs; while true; do sleep 0.01; done'\", name: {name}, output: screen}}\n"
        )
    };
    let scene = Scene::new(&[one("a"), one("b")].concat());
    let mut launch = scene.start();
    launch.wait_for("runs");
    launch.wait_for("runs");
    kill_process(launch.pid(), Signal::INT).unwrap();
    let first = launch.wait_for("sending signal 'SIGINT'");
    assert!(first.contains("[b-2]"), "{first}");
    let (text, status) = launch.end();
    assert!(status.success(), "{text}");
}

#[test]
fn a_process_that_ignores_signals_is_killed_after_its_time() {
    let scene = Scene::new(
        "- executable: {cmd: \"sh -c 'trap true INT TERM; echo runs; while true; do sleep 0.01; done'\", output: screen, \
         sigterm_timeout: 0.1, sigkill_timeout: 0.1}\n",
    );
    let mut launch = scene.start();
    launch.wait_for("runs");
    kill_process(launch.pid(), Signal::INT).unwrap();
    for signal in ["'SIGINT'", "'SIGTERM'", "'SIGKILL'"] {
        launch.wait_for(signal);
    }
    assert!(launch.end().1.success());
}

#[test]
fn a_process_is_started_again() {
    let scene = Scene::new(
        "- executable: {cmd: \"sh -c 'exit 5'\", restart: {policy: on-failure, backoff: 0.01, max: 2}, name: crash}\n",
    );
    let output = scene.output(&[]);
    let text = stdout(&output);
    assert_eq!(text.matches("process started").count(), 3, "{text}");
    assert!(text.contains("[crash-1]: restart 2 in 0.0 s"), "{text}");
    assert_eq!(output.status.code(), Some(5));
}

#[test]
fn everything_ends_with_a_required_process() {
    let scene = Scene::new(
        "- executable: {cmd: sleep 100}\n- executable: {cmd: \"sh -c 'exit 7'\", on_exit: shutdown}\n",
    );
    assert_eq!(scene.output(&[]).status.code(), Some(7));
}

/// A launch and its processes.
struct Processes {
    launch: Launch,
    /// The process of the plan, and what it has started.
    child: Pid,
    grandchild: Pid,
    launcher: Pid,
    guard: Pid,
}

impl Processes {
    fn start(scene: &Scene) -> Self {
        let mut child = scene.command(&[]).stdout(Stdio::piped()).process_group(0).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap());
        let mut launch = Launch { child, lines, seen: String::new() };
        let grandchild = launch.number("child");
        let child = launch.number("own");
        let launcher = parent_of(child);
        Self { guard: parent_of(launcher), launch, child, grandchild, launcher }
    }

    /// Waits until all of them have ended.
    fn wait_until_gone(self) {
        [self.child, self.grandchild, self.launcher, self.guard].into_iter().for_each(wait_until_gone);
        self.launch.end();
    }
}

/// The second shell has a session of its own, as a daemon does.
const WITH_GRANDCHILD: &str = "- executable: {cmd: \"sh -c 'setsid sleep 1000 & echo child $!; trap true INT TERM; echo own $$; \
                               while true; do sleep 0.01; done'\", output: screen, sigterm_timeout: 0.1, sigkill_timeout: 0.1}\n";

#[test]
fn nothing_is_left_if_one_of_the_processes_of_a_launch_is_killed() {
    let scene = Scene::new(WITH_GRANDCHILD);
    let victims: [fn(&Processes) -> Pid; 3] = [|all| all.launch.pid(), |all| all.guard, |all| all.launcher];
    for victim in victims {
        let all = Processes::start(&scene);
        kill_process(victim(&all), Signal::KILL).unwrap();
        all.wait_until_gone();
    }
}

#[test]
fn nothing_is_left_if_the_job_of_the_shell_is_killed() {
    let scene = Scene::new(WITH_GRANDCHILD);
    for is_stopped in [false, true] {
        let all = Processes::start(&scene);
        if is_stopped {
            kill_process_group(all.launch.pid(), Signal::STOP).unwrap();
        }
        kill_process_group(all.launch.pid(), Signal::KILL).unwrap();
        all.wait_until_gone();
    }
}

#[test]
fn a_stopped_launcher_ends_with_its_guard() {
    let scene = Scene::new(WITH_GRANDCHILD);
    let all = Processes::start(&scene);
    kill_process(all.launcher, Signal::STOP).unwrap();
    kill_process(all.guard, Signal::KILL).unwrap();
    all.wait_until_gone();
}

#[test]
fn the_processes_of_the_plan_end_even_if_all_processes_of_the_launch_are_killed_at_once() {
    let scene = Scene::new(WITH_GRANDCHILD);
    let all = Processes::start(&scene);
    kill_process(all.guard, Signal::KILL).unwrap();
    kill_process_group(all.launch.pid(), Signal::KILL).unwrap();
    wait_until_gone(all.child);
    // Perhaps nobody is left who could end this one.
    let _ = kill_process(all.grandchild, Signal::KILL);
    all.launch.end();
}

/// Kills the command, the guard, the launcher, or the whole job, at random instants: `SALTUS_LAUNCH_KILLS` times. `SALTUS_LAUNCH_SEED` chooses them.
#[test]
fn kills_at_random_instants_leave_nothing() {
    let count = std::env::var("SALTUS_LAUNCH_KILLS").map_or(6, |text| text.parse().unwrap());
    let mut seed: u64 = std::env::var("SALTUS_LAUNCH_SEED").map_or(1, |text| text.parse().unwrap());
    let mut random = |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    };
    let shell = "sh -c 'sleep 1000 & (trap true INT TERM HUP; while true; do sleep 0.02; done) & while true; do sleep \
                 0.02; done'";
    let process = format!("- executable: {{cmd: \"{shell}\", sigterm_timeout: 0.1, sigkill_timeout: 0.1}}\n");
    let scene = Scene::new(&process.repeat(5));
    for round in 0..count {
        let mut child =
            scene.command(&["--no-table"]).stdout(Stdio::null()).process_group(0).spawn().unwrap();
        // Not a synchronisation: the instant of the kill is random.
        std::thread::sleep(Duration::from_millis(random(300)));
        // At first, only some of them are there.
        let mut all = vec![Pid::from_child(&child)];
        while let Some(next) = children_of(all[all.len() - 1]).first().filter(|_| all.len() < 3) {
            all.push(*next);
        }
        let victim = random(all.len() as u64 + 1) as usize;
        match all.get(victim) {
            Some(pid) => drop(kill_process(*pid, Signal::KILL)),
            // The job of the shell.
            None => drop(kill_process_group(all[0], Signal::KILL)),
        }
        child.wait().unwrap();
        let end = Instant::now() + LONG;
        while let [first, ..] = scene.processes()[..] {
            let status = fs::read_to_string(format!("/proc/{first}/cmdline")).unwrap_or_default();
            assert!(Instant::now() < end, "round {round}, victim {victim}: {first} is left: {status}");
            std::thread::yield_now();
        }
    }
}

fn children_of(pid: Pid) -> Vec<Pid> {
    let stats = procfs::process::all_processes().unwrap().flatten().filter_map(|process| process.stat().ok());
    let own = stats.filter(|stat| stat.ppid == pid.as_raw_nonzero().get() && stat.state != 'Z');
    own.filter_map(|stat| Pid::from_raw(stat.pid)).collect()
}

fn parent_of(pid: Pid) -> Pid {
    let stat = procfs::process::Process::new(pid.as_raw_nonzero().get()).unwrap().stat().unwrap();
    Pid::from_raw(stat.ppid).unwrap()
}

#[test]
fn a_missing_program_is_named() {
    let scene = Scene::new("- executable: {cmd: /no/such/program}\n");
    let output = scene.output(&[]);
    let text = stdout(&output);
    assert!(text.contains("can't start '/no/such/program': No such file or directory"), "{text}");
    assert_eq!(output.status.code(), Some(127));
}

#[test]
fn a_file_is_found_in_the_share_folder_of_its_package() {
    let scene = Scene::new("");
    let share = scene.folder.path().join("prefix/share");
    fs::create_dir_all(share.join("ament_index/resource_index/packages")).unwrap();
    fs::write(share.join("ament_index/resource_index/packages/demo"), "").unwrap();
    fs::create_dir_all(share.join("demo/launch")).unwrap();
    fs::write(share.join("demo/launch/hello.launch.yaml"), "launch:\n- log: {message: hello}\n").unwrap();
    let run = |words: &[&str]| {
        let mut command = scene.command(&[]);
        command.env("AMENT_PREFIX_PATH", scene.folder.path().join("prefix"));
        let mut own = Command::new(saltus_programs::program("saltus"));
        own.arg("launch")
            .args(words)
            .envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        own.output().unwrap()
    };
    assert!(stdout(&run(&["demo", "hello.launch.yaml"])).contains("[INFO] [launch.user]: hello\n"));
    let output = run(&["demo", "other.launch.yaml"]);
    let errors = String::from_utf8(output.stderr).unwrap();
    let place = Path::new(&share).join("demo");
    let want = format!(
        "file 'other.launch.yaml' was not found in the share directory of package 'demo' which is at '{}'",
        place.display()
    );
    assert!(errors.contains(&want), "{errors}");
}

#[test]
fn an_output_that_nobody_reads_does_not_stop_the_launcher() {
    let flood = "- executable: {cmd: \"sh -c 'yes flood | head -n 300000; echo $$ > done; exec sleep 1000'\", output: screen, \
                 cwd: FOLDER}\n";
    let scene = Scene::new("");
    let folder = scene.folder.path().display().to_string();
    fs::write(&scene.file, format!("launch:\n{}", flood.replace("FOLDER", &folder))).unwrap();
    let mut launch = scene.start();
    launch.wait_for("process started");
    // The pipe is full now and then, but the process goes on.
    wait_for_file(&scene.folder.path().join("done"));
    kill_process(launch.pid(), Signal::INT).unwrap();
    let end = Instant::now() + LONG;
    while launch.child.try_wait().unwrap().is_none() {
        assert!(Instant::now() < end, "the launch has not ended");
        std::thread::yield_now();
    }
    let logs = fs::read_dir(scene.folder.path().join("log")).unwrap().next().unwrap().unwrap().path();
    let log = fs::read_to_string(logs.join("launch.log")).unwrap();
    assert!(log.contains("lines were not shown, because nobody read the output"), "{log}");
}

fn wait_for_file(path: &Path) {
    let end = Instant::now() + LONG;
    while !path.exists() {
        assert!(Instant::now() < end, "there is no {}", path.display());
        std::thread::yield_now();
    }
}

#[test]
fn a_launch_is_shown_by_attach_and_goes_on_after_it() {
    // The folder of the logs is longer than the path of a socket may be.
    let scene = Scene::new(
        "- executable: {cmd: \"sh -c 'while true; do echo here; sleep 0.01; done'\", output: screen}\n",
    );
    let logs = scene.folder.path().join("a".repeat(120));
    let mut child = scene.command(&[]).env("ROS_LOG_DIR", &logs).stdout(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap());
    let mut launch = Launch { child, lines, seen: String::new() };
    launch.wait_for("here");
    let guard = launch.child.id().to_string();
    let attach = |pid: &str| {
        let mut command = Command::new(saltus_programs::program("saltus"));
        command.args(["launch", "--attach", pid]).env("ROS_LOG_DIR", &logs).stdin(Stdio::null());
        command
    };
    let mut child = attach(&guard).stdout(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap());
    let mut watcher = Launch { child, lines, seen: String::new() };
    assert_eq!(watcher.wait_for("here"), "[sh-1] here\n");
    kill_process(watcher.pid(), Signal::INT).unwrap();
    assert!(watcher.end().1.success());
    assert_eq!(launch.child.try_wait().unwrap(), None, "the launch has ended with its watcher");
    let wrong = attach("1").output().unwrap();
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("no such launch runs"), "{wrong:?}");
    kill_process(launch.pid(), Signal::INT).unwrap();
    assert!(launch.end().1.success());
}

#[test]
fn a_process_has_the_placement_of_its_name() {
    let allowed = rustix::thread::sched_getaffinity(None).unwrap();
    let cpu = (0..).find(|cpu| allowed.is_set(*cpu)).unwrap();
    let actions = "- set_env: {name: SALTUS_PLACEMENT, value: $(dirname)/placement.yaml}\n\
                   - executable: {cmd: grep Cpus_allowed_list /proc/self/status, name: placed, output: screen}\n";
    let scene = Scene::new(actions);
    let file = scene.folder.path().join("placement.yaml");
    fs::write(&file, format!("placed: {{cpus: [{cpu}]}}\n'*': {{cpus: [100000]}}\n")).unwrap();
    let output = scene.output(&[]);
    let want = format!("[placed-1] Cpus_allowed_list:\t{cpu}\n");
    assert!(stdout(&output).contains(&want), "{}", stdout(&output));
    fs::write(&file, "placed: {cpus: [100000]}\n").unwrap();
    let output = scene.output(&[]);
    let text = stdout(&output);
    assert!(text.contains("can't start 'grep ") && text.contains("can't run on CPUs [100000]"), "{text}");
    assert_eq!(output.status.code(), Some(127));
}
