//! Each verb, run as a user runs it, on a graph whose nodes live in another process: this one.
//!
//! What must be printed stands in `tests/expected`; `SALTUS_BLESS=1` writes what is printed now there.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod calls;
mod machines;

use std::{
    fs,
    io::{BufRead, BufReader, Read},
    path::{Path, PathBuf},
    process::{Child, ChildStdout, Command, Output, Stdio},
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

use saltus_dynamic::{Schema, YamlStyle, arbitrary::Random, to_yaml};
use saltus_idl::{Interfaces, SourceKind, TypeName};

use saltus::{
    Context, ContextOptions, Executor, Node, Publisher, QoS, SingleThreadedExecutor,
    msgs::{
        sensor_msgs::msg::{Image, JointState},
        std_msgs::msg::{Header, String as Text, UInt64},
    },
};

const LONG: Duration = Duration::from_secs(20);

/// A graph of its own, in a folder that is removed at the end.
struct Scene {
    context: Context,
    folder: PathBuf,
}

impl Scene {
    fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder = PathBuf::from(format!("/dev/shm/saltus-verbs-{}-{count}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let options = ContextOptions::default().domain(0).folder(&folder).handle_signals(false);
        Self { context: options.create().unwrap(), folder }
    }

    fn node(&self, namespace: &str, name: &str) -> Node {
        self.context.node(name).namespace(namespace).create().unwrap()
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_saltus"));
        command.args(arguments).env("SALTUS_SHM_DIR", &self.folder).env("ROS_DOMAIN_ID", "0");
        command.env_remove("SALTUS_INTERFACE_PATH").env_remove("AMENT_PREFIX_PATH");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// What a verb prints that ends well.
    fn text(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// What a verb says that fails.
    fn failure(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(!output.status.success(), "{arguments:?}");
        String::from_utf8(output.stderr).unwrap()
    }

    fn start(&self, arguments: &[&str]) -> Running {
        let mut child = self.command(arguments).spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Running { child, output }
    }

    /// A verb that reads a topic, and what it prints of one message; the verb is matched before the
    /// message is sent.
    fn echo(
        &self,
        publisher: &Publisher<impl saltus::cdr::Message>,
        arguments: &[&str],
        send: impl FnOnce(),
    ) -> String {
        let mut echo = self.start(arguments);
        assert!(publisher.wait_for_subscriptions(1, LONG), "{arguments:?}");
        send();
        let mut text = String::new();
        echo.output.read_to_string(&mut text).unwrap();
        assert!(echo.child.wait().unwrap().success());
        assert!(self.context.wait_until(LONG, || publisher.subscription_count() == 0));
        text
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// A verb that goes on until it is told to end.
struct Running {
    child: Child,
    output: BufReader<ChildStdout>,
}

impl Running {
    fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        line
    }

    /// Presses Ctrl-C, and returns whether it ended well.
    fn interrupt(&mut self) -> bool {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
        self.child.wait().unwrap().success()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Compares with what is checked in.
fn expect(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/expected").join(name);
    if std::env::var_os("SALTUS_BLESS").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
    }
    let want = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    assert_eq!(text, want, "{name}");
}

/// A text in which what differs from run to run is left out.
fn without_gids(text: &str) -> String {
    let line = |line: &str| match line.split_once("GID: ") {
        Some((before, _)) => format!("{before}GID: …\n"),
        None => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

/// Two nodes with a few topics.
struct Graph {
    scene: Scene,
    _publishers: (Publisher<Text>, Publisher<UInt64>, Publisher<Text>),
    _subscription: saltus::PollSubscription<Text>,
    _hidden: Node,
}

fn graph() -> Graph {
    let scene = Scene::new();
    let (talker, listener) = (scene.node("/", "talker"), scene.node("/robot1", "listener"));
    let nobody = scene.node("/", "_hidden");
    let chatter = talker.publisher::<Text>("chatter").qos(7).create().unwrap();
    let count = talker.publisher::<UInt64>("~/count").qos(QoS::sensor_data()).create().unwrap();
    let hidden = talker.publisher::<Text>("_secret").create().unwrap();
    let heard = listener.subscription::<Text>("/chatter").qos(QoS::keep_last(3)).create().unwrap();
    Graph { scene, _publishers: (chatter, count, hidden), _subscription: heard, _hidden: nobody }
}

#[test]
fn topic_list_info_type_and_find() {
    let Graph { scene, .. } = &graph();
    expect("topic-list.txt", &scene.text(&["topic", "list"]));
    expect("topic-list-types.txt", &scene.text(&["topic", "list", "-t", "--include-hidden-topics"]));
    expect("topic-list-json.txt", &scene.text(&["topic", "list", "--json"]));
    assert_eq!(scene.text(&["topic", "list", "-c", "--no-daemon", "--spin-time", "1"]), "2\n");
    expect("topic-list-verbose.txt", &scene.text(&["topic", "list", "-v", "-a"]));
    expect("topic-info.txt", &scene.text(&["topic", "info", "/chatter"]));
    expect("topic-info-verbose.txt", &without_gids(&scene.text(&["topic", "info", "chatter", "-v"])));
    assert_eq!(scene.text(&["topic", "type", "/talker/count"]), "std_msgs/msg/UInt64\n");
    assert_eq!(scene.text(&["topic", "find", "std_msgs/msg/String"]), "/chatter\n");
    assert_eq!(scene.text(&["topic", "find", "std_msgs/msg/Empty"]), "");
    assert_eq!(scene.failure(&["topic", "info", "/nothing"]), "saltus: Unknown topic '/nothing'\n");
    assert_eq!(scene.failure(&["topic", "type", "/nothing"]), "saltus: Unknown topic '/nothing'\n");
}

#[test]
fn node_list_and_info() {
    let Graph { scene, .. } = &graph();
    expect("node-list.txt", &scene.text(&["node", "list"]));
    assert_eq!(scene.text(&["node", "list", "-c"]), "2\n");
    expect("node-info.txt", &scene.text(&["node", "info", "/talker"]));
    expect("node-info-json.txt", &scene.text(&["node", "info", "/robot1/listener", "--json"]));
    assert_eq!(scene.failure(&["node", "info", "/nobody"]), "saltus: Unable to find node '/nobody'\n");
}

/// A text in which times and sizes, which differ from run to run, are left out.
fn without_figures(text: &str) -> String {
    let is_figure = |word: &str| {
        let number = word.trim_end_matches(|c: char| c.is_alphabetic() || c == 'µ');
        number.len() < word.len() && number.contains('.') && number.parse::<f64>().is_ok()
    };
    let units = ["KB", "MB", "GB"];
    let mut words = Vec::new();
    for line in text.lines() {
        let mut line_words: Vec<&str> = Vec::new();
        for word in line.split(' ') {
            match word {
                _ if units.contains(&word.trim_end_matches(':')) => *line_words.last_mut().unwrap() = "…",
                _ if is_figure(word) => line_words.push("…"),
                _ => line_words.push(word),
            }
        }
        words.push(line_words.join(" ") + "\n");
    }
    words.concat()
}

/// A talker that has sent 12 messages to a listener with room for 5, which has taken them.
fn talked() -> (Scene, Publisher<Text>, saltus::Subscription<Text>) {
    let scene = Scene::new();
    let (talker, listener) = (scene.node("/", "talker"), scene.node("/robot1", "listener"));
    let chatter = talker.publisher::<Text>("chatter").create().unwrap();
    let heard = listener.subscription::<Text>("/chatter").qos(5).callback(|_| {}).unwrap();
    assert!(chatter.wait_for_subscriptions(1, LONG));
    (0..12).for_each(|i| chatter.publish(&Text { data: format!("{i}") }).unwrap());
    let mut executor = SingleThreadedExecutor::new(&scene.context).unwrap();
    executor.add_node(&listener);
    while executor.spin_some().unwrap() {}
    (scene, chatter, heard)
}

#[test]
fn losses_and_latencies_are_read_from_outside() {
    let (scene, chatter, heard) = talked();
    let info = scene.text(&["topic", "info", "/chatter", "-v"]);
    expect("topic-info-lost.txt", &without_gids(&info));
    let info: serde_json::Value =
        serde_json::from_str(&scene.text(&["topic", "info", "/chatter", "--json"])).unwrap();
    assert_eq!(info["subscriptions"][0]["lost"]["queue overflow"], 7);
    assert_eq!(
        (&info["publishers"][0]["messages"], &info["subscriptions"][0]["messages"]),
        (&12.into(), &5.into())
    );
    expect("topic-delay.txt", &without_figures(&scene.text(&["topic", "delay", "/chatter", "--once"])));
    let delay: serde_json::Value =
        serde_json::from_str(&scene.text(&["topic", "delay", "/chatter", "--once", "--json"])).unwrap();
    let p50 = delay["transport"]["p50_ns"].as_u64().unwrap();
    assert!(p50 > 0 && p50 <= delay["transport"]["max_ns"].as_u64().unwrap(), "{delay}");
    assert_eq!((&delay["callback"]["count"], &delay["publisher"]), (&5.into(), &"/talker".into()));
    expect("node-info-connected.txt", &without_figures(&scene.text(&["node", "info", "/robot1/listener"])));
    assert_eq!(chatter.status().matched + heard.publisher_count(), 2, "nobody else has subscribed");
}

#[test]
fn delay_goes_on_until_ctrl_c() {
    let (scene, _chatter, _heard) = talked();
    let mut delay = scene.start(&["topic", "delay", "/chatter"]);
    for _ in 0..2 {
        assert_eq!(delay.line(), "/talker -> /robot1/listener: 5 messages\n");
        assert!(
            delay.line().starts_with("\ttransport: p50 ") && delay.line().starts_with("\tcallback: p50 ")
        );
    }
    assert!(delay.interrupt());
    let mut delay = scene.start(&["topic", "delay", "/nothing"]);
    let mut warning = String::new();
    BufReader::new(delay.child.stderr.take().unwrap()).read_line(&mut warning).unwrap();
    assert_eq!(warning, "WARNING: nobody subscribes to what is published on topic [/nothing] yet\n");
    assert!(delay.interrupt());
}

#[test]
fn the_doctor_finds_what_is_wrong_and_says_how_to_mend_it() {
    let (scene, chatter, heard) = talked();
    let pid = std::process::id().to_string();
    let doctor = |name: &str| {
        let output = scene.run(&["doctor"]);
        let text =
            String::from_utf8(output.stdout).unwrap().replace(scene.folder.to_str().unwrap(), "FOLDER");
        expect(
            name,
            &without_figures(&text.replace(&pid, "PID").replace(&format!("v3.{}", users_id()), "v3.UID")),
        );
        output.status.code()
    };
    assert_eq!(doctor("doctor-well.txt"), Some(0));
    let picky = scene.node("/", "picky");
    let _reliable = picky.subscription::<Text>("sensor").create().unwrap();
    let _strange = picky.subscription::<UInt64>("/chatter").create().unwrap();
    let _sensor =
        scene.node("/", "sensor").publisher::<Text>("sensor").qos(QoS::sensor_data()).create().unwrap();
    chatter.publish_bytes(&[0, 1]).unwrap();
    let mut executor = SingleThreadedExecutor::new(&scene.context).unwrap();
    executor.add_node(heard.node());
    while executor.spin_some().unwrap() {}
    fs::write(scene.folder.join(format!("saltus.v3.{}/0.00000000000000ff", users_id())), "").unwrap();
    assert_eq!(doctor("doctor-unwell.txt"), Some(3));
    let output = scene.run(&["doctor", "--json"]);
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found["problems"].as_array().unwrap().len(), 4, "{found:#}");
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "saltus: 4 problems found\n");
}

fn users_id() -> u32 {
    rustix::process::geteuid().as_raw()
}

#[test]
fn echo_shows_what_its_filter_lets_through() {
    let scene = Scene::new();
    let node = scene.node("/", "counter");
    let count = node.publisher::<UInt64>("count").create().unwrap();
    let send = || (0..10).for_each(|data| count.publish(&UInt64 { data }).unwrap());
    let filter = ["topic", "echo", "/count", "--filter", "m.data % 4 == 3", "--once"];
    assert_eq!(scene.echo(&count, &filter, send), "data: 3\n---\n");
    let raw = scene.echo(&count, &[&filter[..], &["--raw"]].concat(), send);
    assert_eq!(raw, "00 01 00 00 03 00 00 00 00 00 00 00\n---\n");
    let wrong = scene.failure(&["topic", "echo", "/count", "--filter", "m.data = 4"]);
    assert!(wrong.contains("column 8: expected `==`, found `=`"), "{wrong}");
}

#[test]
fn names_and_types_that_can_not_be_are_refused_at_once() {
    let scene = Scene::new();
    for words in [
        &["topic", "echo", "a b"][..],
        &["topic", "hz", ""],
        &["topic", "delay", "/a/"],
        &["node", "info", "1"],
    ] {
        let error = scene.failure(words);
        assert!(error.contains("invalid"), "{words:?}: {error}");
    }
    let service = scene.failure(&["topic", "echo", "/s", "std_srvs/srv/SetBool"]);
    assert!(service.contains("`std_srvs/srv/SetBool` is a service, not a message"), "{service}");
    let action = scene.failure(&["topic", "pub", "-1", "/s", "example_interfaces/action/Fibonacci"]);
    assert!(action.contains("is an action, not a message"), "{action}");
    assert_eq!(scene.text(&["interface", "proto", "std_srvs/srv/SetBool", "--no-quotes"]), "data: false\n\n");
    assert_eq!(
        scene.text(&["interface", "proto", "example_interfaces/action/Fibonacci", "--no-quotes"]),
        "order: 0\n\n"
    );
    let late = scene.failure(&["topic", "echo", "/never", "--once", "--timeout", "0.1"]);
    assert!(late.ends_with("saltus: no message came in time\n"), "{late}");
    let negative = scene.failure(&["topic", "pub", "-r", "-1", "/t", "std_msgs/msg/UInt8"]);
    assert!(negative.contains("expected a rate above 0, found -1"), "{negative}");
}

#[test]
fn topic_pub_fills_in_the_time() {
    let scene = Scene::new();
    let node = scene.node("/", "listener");
    let heard = node.subscription::<JointState>("joints").create().unwrap();
    let before = saltus::system_now().as_nanos() / 1_000_000_000;
    let words = ["topic", "pub", "-t", "2", "-r", "100", "-p", "0", "-n", "robot", "/joints"];
    let rest = ["sensor_msgs/msg/JointState", "{header: auto, name: [now]}"];
    let printed = scene.text(&[&words[..], &rest].concat());
    assert!(!printed.contains("publishing"), "{printed}");
    let stamps: Vec<_> =
        std::iter::from_fn(|| heard.take()).map(|taken| taken.unwrap().0.header.stamp).collect();
    assert!(i64::from(stamps[0].sec) >= before && stamps[0] != stamps[1], "{stamps:?}");
}

#[test]
fn definitions_that_can_not_be_read_are_named() {
    let scene = Scene::new();
    let folder = scene.folder.join("share/my_msgs/msg");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("Odd.msg"), b"# \xb0C\nuint8 x\n").unwrap();
    let mut command = scene.command(&["interface", "show", "my_msgs/msg/Odd"]);
    let output = command.env("SALTUS_INTERFACE_PATH", scene.folder.join("share")).output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("my_msgs/msg/Odd.msg: stream did not contain valid UTF-8"), "{error}");
}

#[test]
fn topic_pub_takes_every_policy() {
    let scene = Scene::new();
    let words = "topic pub -r 50 /q std_msgs/msg/UInt64 --qos-depth 3 --qos-reliability best_effort \
                 --qos-durability transient_local --qos-liveliness manual_by_topic \
                 --qos-liveliness-lease-duration-seconds 2 --qos-deadline-seconds 0.5 --qos-lifespan-seconds 1";
    let mut publish = scene.start(&words.split_whitespace().collect::<Vec<_>>());
    assert_eq!(publish.line(), "publisher: beginning loop\n");
    let info = scene.text(&["topic", "info", "/q", "-v"]);
    let rows: Vec<&str> = info.lines().skip_while(|line| *line != "QoS profile:").skip(1).take(7).collect();
    let want = [
        "  Reliability: BEST_EFFORT",
        "  History (Depth): KEEP_LAST (3)",
        "  Durability: TRANSIENT_LOCAL",
        "  Lifespan: 1000000000 nanoseconds",
        "  Deadline: 500000000 nanoseconds",
        "  Liveliness: MANUAL_BY_TOPIC",
        "  Liveliness lease duration: 2000000000 nanoseconds",
    ];
    assert_eq!(rows, want);
    assert!(publish.interrupt());
    let wrong = scene.failure(&["topic", "pub", "/q", "std_msgs/msg/UInt64", "--qos-profile", "loud"]);
    assert!(wrong.contains("sensor_data"), "{wrong}");
}

#[test]
fn an_empty_graph_is_no_error() {
    let scene = Scene::new();
    assert_eq!(scene.text(&["topic", "list"]), "");
    assert_eq!(scene.text(&["node", "list"]), "");
    assert_eq!(scene.text(&["topic", "list", "-c"]), "0\n");
}

#[test]
fn topic_echo_prints_messages_as_ros_2_does() {
    let scene = Scene::new();
    let node = scene.node("/", "robot");
    let joints = node.publisher::<JointState>("joints").create().unwrap();
    let state = JointState {
        header: Header { frame_id: "base: link".into(), ..Header::default() },
        name: vec!["left".into(), "right".into()],
        position: vec![0.5, -1e-5],
        ..JointState::default()
    };
    let send = || joints.publish(&state).unwrap();
    for (file, options) in [
        ("echo.txt", &[][..]),
        ("echo-field.txt", &["--field", "header.frame_id"]),
        ("echo-array.txt", &["--field", "position"]),
        ("echo-csv.txt", &["--csv"]),
        ("echo-json.txt", &["--json"]),
        ("echo-no-arr.txt", &["--no-arr", "--no-str"]),
    ] {
        let arguments = [&["topic", "echo", "/joints", "--once"], options].concat();
        expect(file, &scene.echo(&joints, &arguments, send));
    }
    let image = node.publisher::<Image>("image").create().unwrap();
    let large = Image { data: vec![7; 200], ..Image::default() };
    let send = || image.publish(&large).unwrap();
    let cut = scene.echo(&image, &["topic", "echo", "/image", "--once"], send);
    assert!(cut.ends_with(&("- 7\n".repeat(128) + "- '...'\n---\n")), "{cut}");
    let whole = scene.echo(&image, &["topic", "echo", "/image", "--once", "--full-length"], send);
    assert_eq!(whole.matches("- 7\n").count(), 200);
}

#[test]
fn echo_waits_for_a_topic_that_appears_later_and_ends_on_ctrl_c() {
    let scene = Scene::new();
    let mut echo = scene.start(&["topic", "echo", "/later"]);
    let mut warning = String::new();
    BufReader::new(echo.child.stderr.take().unwrap()).read_line(&mut warning).unwrap();
    assert_eq!(warning, "WARNING: topic [/later] does not appear to be published yet\n");
    let node = scene.node("/", "late");
    let later = node.publisher::<Text>("later").create().unwrap();
    assert!(later.wait_for_subscriptions(1, LONG));
    later.publish(&Text { data: "here".into() }).unwrap();
    assert_eq!((echo.line(), echo.line()), ("data: here\n".into(), "---\n".into()));
    assert!(echo.interrupt(), "Ctrl-C is an orderly end");
    assert!(scene.context.wait_until(LONG, || later.subscription_count() == 0));
    let files = fs::read_dir(scene.folder.join(format!("saltus.v3.{}", users_id()))).unwrap().count();
    assert_eq!(files, 3, "the member table, and this process's two");
}

#[test]
fn echo_ends_when_nobody_reads_it() {
    let scene = Scene::new();
    let node = scene.node("/", "talker");
    let chatter = node.publisher::<Text>("chatter").create().unwrap();
    let mut echo = scene.start(&["topic", "echo", "/chatter"]);
    assert!(chatter.wait_for_subscriptions(1, LONG));
    chatter.publish(&Text { data: "one".into() }).unwrap();
    assert_eq!(echo.line(), "data: one\n");
    let Running { child, output } = &mut echo;
    drop(std::mem::replace(output, BufReader::new(dead_pipe())));
    while child.try_wait().unwrap().is_none() {
        chatter.publish(&Text { data: "two".into() }).unwrap();
        std::thread::yield_now();
    }
    assert!(child.wait().unwrap().success(), "a closed pipe is no error");
}

/// The output of a process that prints nothing.
fn dead_pipe() -> ChildStdout {
    Command::new("true").stdout(Stdio::piped()).spawn().unwrap().stdout.take().unwrap()
}

/// How `topic pub` says that it waits, which it does only if nobody has subscribed yet.
const WAITING: &str = "Waiting for at least 1 matching subscription(s)...\n";

#[test]
fn topic_pub_waits_for_a_subscription() {
    let scene = Scene::new();
    let node = scene.node("/", "listener");
    let mut publish = scene.start(&["topic", "pub", "--once", "/chatter", "std_msgs/msg/String"]);
    assert_eq!(publish.line(), WAITING);
    let heard = node.subscription::<Text>("chatter").create().unwrap();
    assert!(publish.child.wait().unwrap().success());
    assert_eq!(heard.take().unwrap().unwrap().0.data, "");
    let mut publish = scene.start(&["topic", "pub", "--once", "/nobody", "std_msgs/msg/String"]);
    assert_eq!(publish.line(), WAITING);
    assert!(publish.interrupt());
}

#[test]
fn topic_pub_sends_what_the_yaml_says() {
    let scene = Scene::new();
    let node = scene.node("/", "listener");
    let heard = node.subscription::<Text>("chatter").create().unwrap();
    let publish = |words: &[&str]| {
        let text = scene.text(&[&["topic", "pub"], words].concat());
        text.strip_prefix(WAITING).map_or(text.clone(), str::to_owned)
    };
    let text = publish(&["--once", "/chatter", "std_msgs/msg/String", "{data: 'hi: there'}"]);
    expect("pub-once.txt", &text);
    assert_eq!(heard.take().unwrap().unwrap().0.data, "hi: there");
    let text = publish(&["-t", "3", "-r", "100", "-p", "3", "/chatter", "std_msgs/msg/String"]);
    expect("pub-three.txt", &text);
    assert_eq!(std::iter::from_fn(|| heard.take()).count(), 3);
    let json = publish(&["--once", "--json", "/chatter", "std_msgs/msg/String", "data: hi"]);
    assert_eq!(json, "{\"data\":\"hi\"}\n");
    let wrong = scene.failure(&["topic", "pub", "/chatter", "std_msgs/msg/String", "{dat: 1}"]);
    assert_eq!(
        wrong,
        "saltus: the values: line 1, column 7: `std_msgs/msg/String` has no field `dat`: it has data\n"
    );
    let unknown = scene.failure(&["topic", "pub", "/chatter", "my_msgs/msg/Thing"]);
    assert!(unknown.contains("unknown type `my_msgs/msg/Thing`; put the folder of its package"), "{unknown}");
}

#[test]
fn topic_pub_runs_until_ctrl_c() {
    let scene = Scene::new();
    let node = scene.node("/", "listener");
    let heard = node.subscription::<UInt64>("count").create().unwrap();
    let mut publish = scene.start(&["topic", "pub", "-r", "200", "/count", "std_msgs/msg/UInt64", "data: 5"]);
    assert!(scene.context.wait_until(LONG, || heard.publisher_count() == 1));
    while heard.status().received < 5 {
        let _ = heard.take();
        std::thread::yield_now();
    }
    assert!(publish.interrupt());
    assert!(scene.context.wait_until(LONG, || heard.publisher_count() == 0));
}

#[test]
fn topic_hz_and_bw_print_figures_every_second() {
    let scene = Scene::new();
    let mut publish = scene.start(&["topic", "pub", "-r", "100", "/count", "std_msgs/msg/UInt64", "data: 5"]);
    let mut hz = scene.start(&["topic", "hz", "/count"]);
    let line = hz.line();
    let rate: f64 = line.trim().strip_prefix("average rate: ").unwrap().parse().unwrap();
    // How near it comes to 100 is the machine's affair.
    assert!(rate > 1.0 && rate < 10_000.0, "{line}");
    let second = hz.line();
    for word in ["\tmin: ", "s max: ", "s std dev: ", "s window: "] {
        assert!(second.contains(word), "{second}");
    }
    assert!(hz.interrupt());
    let mut bw = scene.start(&["topic", "bw", "/count"]);
    assert_eq!(bw.line(), "Subscribed to [/count]\n");
    assert!(bw.line().contains("/s from "));
    assert_eq!(bw.line(), "\tMessage size mean: 12.00 B min: 12.00 B max: 12.00 B\n");
    assert!(bw.interrupt() && publish.interrupt());
}

#[test]
fn interfaces_are_listed_and_shown() {
    let scene = Scene::new();
    let all = scene.text(&["interface", "list"]);
    for line in ["Messages:", "    std_msgs/msg/String", "Services:", "    std_srvs/srv/SetBool", "Actions:"]
    {
        assert!(all.lines().any(|one| one == line), "{line} in\n{all}");
    }
    assert!(!scene.text(&["interface", "list", "-m"]).contains("Services:"));
    expect("interface-packages.txt", &scene.text(&["interface", "packages"]));
    expect("interface-package.txt", &scene.text(&["interface", "package", "std_srvs"]));
    expect(
        "interface-show.txt",
        &scene.text(&["interface", "show", "geometry_msgs/msg/PoseStamped", "--no-comments"]),
    );
    expect(
        "interface-show-srv.txt",
        &scene.text(&["interface", "show", "std_srvs/srv/SetBool", "--no-comments"]),
    );
    expect("interface-proto.txt", &scene.text(&["interface", "proto", "geometry_msgs/msg/Pose"]));
    for verb in ["show", "proto"] {
        let json = scene.text(&["interface", verb, "std_msgs/msg/UInt8", "--json"]);
        assert!(serde_json::from_str::<serde_json::Value>(&json).unwrap().is_object(), "{json}");
    }
    assert_eq!(
        scene.failure(&["interface", "show", "no_msgs/msg/No"]),
        "saltus: Unknown interface 'no_msgs/msg/No'\n"
    );
    assert_eq!(scene.failure(&["interface", "package", "no_msgs"]), "saltus: Unknown package 'no_msgs'\n");
}

#[test]
fn definitions_of_a_folder_are_known_by_its_path() {
    let scene = Scene::new();
    let share = scene.folder.join("share");
    fs::create_dir_all(share.join("my_msgs/msg")).unwrap();
    fs::write(share.join("my_msgs/msg/Thing.msg"), "std_msgs/Header header\nOther other\n").unwrap();
    fs::write(share.join("my_msgs/msg/Other.msg"), "uint8 x 7\n").unwrap();
    let mut command = scene.command(&["interface", "proto", "my_msgs/msg/Thing", "--no-quotes"]);
    let output = command.env("SALTUS_INTERFACE_PATH", &share).output().unwrap();
    assert!(String::from_utf8(output.stdout).unwrap().ends_with("other:\n  x: 7\n\n"));
    fs::write(share.join("my_msgs/msg/Other.msg"), "uint8 X\n").unwrap();
    let mut command = scene.command(&["interface", "proto", "my_msgs/msg/Thing"]);
    let output = command.env("SALTUS_INTERFACE_PATH", &share).output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("my_msgs/msg/Other.msg:1:7: expected a field's name in lower case"), "{error}");
}

#[test]
fn a_type_that_nobody_knows_here_is_learned_from_its_publisher() {
    let scene = Scene::new();
    let share = scene.folder.join("share");
    fs::create_dir_all(share.join("my_msgs/msg")).unwrap();
    fs::write(share.join("my_msgs/msg/Thing.msg"), "std_msgs/Header header\nint32[<=3] x\n").unwrap();
    let values = "{header: {frame_id: a}, x: [1, 2]}";
    let mut publish = scene.command(&["topic", "pub", "-r", "50", "/things", "my_msgs/msg/Thing", values]);
    let child = publish.env("SALTUS_INTERFACE_PATH", &share).spawn().unwrap();
    let _publish = Running { child, output: BufReader::new(dead_pipe()) };
    let text = scene.text(&["topic", "echo", "/things", "--once"]);
    let want = "header:\n  stamp:\n    sec: 0\n    nanosec: 0\n  frame_id: a\nx:\n- 1\n- 2\n---\n";
    assert_eq!(text, want, "without the definition");
}

#[test]
fn every_verb_has_help_with_an_example_and_completions() {
    let scene = Scene::new();
    for verb in [
        &["topic", "list"][..],
        &["topic", "info"],
        &["topic", "type"],
        &["topic", "find"],
        &["topic", "echo"],
        &["topic", "pub"],
        &["topic", "hz"],
        &["topic", "bw"],
        &["topic", "delay"],
        &["doctor"],
        &["node", "list"],
        &["node", "info"],
        &["interface", "list"],
        &["interface", "show"],
        &["interface", "packages"],
        &["interface", "package"],
        &["interface", "proto"],
        &["completions"],
        &["service", "list"],
        &["service", "type"],
        &["service", "find"],
        &["service", "info"],
        &["service", "call"],
        &["service", "echo"],
        &["action", "list"],
        &["action", "info"],
        &["action", "type"],
        &["action", "find"],
        &["action", "send_goal"],
        &["action", "echo"],
        &["param", "list"],
        &["param", "get"],
        &["param", "set"],
        &["param", "describe"],
        &["param", "delete"],
        &["param", "dump"],
        &["param", "load"],
        &["bench", "topic"],
    ] {
        let help = scene.text(&[verb, &["--help"]].concat());
        assert!(help.contains("Usage: saltus ") && help.contains("Example:"), "{verb:?}:\n{help}");
    }
    for shell in ["bash", "zsh", "fish"] {
        assert!(scene.text(&["completions", shell]).contains("interface"), "{shell}");
    }
    let long = "topic list --wrong".split(' ').collect::<Vec<_>>();
    assert!(scene.failure(&long).contains("unexpected argument '--wrong'"));
}

/// Every bundled message type, through two processes: what `pub` is told as YAML, `echo` prints.
#[test]
fn pub_and_echo_round_trip_every_type() {
    let mut interfaces = Interfaces::default();
    for definition in saltus::msgs::DEFINITIONS {
        let kinds = [SourceKind::Message, SourceKind::Service, SourceKind::Action];
        let kind = kinds.into_iter().find(|kind| kind.word() == definition.kind).unwrap();
        interfaces.add(definition.package, kind, definition.name, definition.text).unwrap();
    }
    // A service or action as a whole is no message: its parts are, and have a `_` in their names.
    let is_message = |name: &&TypeName| name.kind == "msg" || name.name.contains('_');
    let names = interfaces.messages().map(|message| &message.name).filter(is_message);
    let names: Vec<String> = names.map(ToString::to_string).collect();
    assert!(names.len() > 290, "{}", names.len());
    let half = names.len() / 2;
    std::thread::scope(|scope| {
        for (seed, names) in [(1, &names[..half]), (2, &names[half..])] {
            let interfaces = &interfaces;
            scope.spawn(move || {
                let (scene, mut random) = (Scene::new(), Random::new(seed));
                names.iter().for_each(|name| round_trip(&scene, interfaces, name, &mut random));
            });
        }
    });
    println!("{} types", names.len());
}

fn round_trip(scene: &Scene, interfaces: &Interfaces, name: &str, random: &mut Random) {
    let schema = Schema::of(interfaces, name).unwrap();
    let value = random.message(&schema);
    let whole = YamlStyle { truncate: None, ..YamlStyle::default() };
    let yaml = to_yaml(&schema, &value, &whole);
    let mut echo = scene.start(&["topic", "echo", "/t", name, "--once", "--full-length"]);
    scene.text(&["topic", "pub", "--once", "--keep-alive", "0", "/t", name, "--", &yaml]);
    let mut printed = String::new();
    echo.output.read_to_string(&mut printed).unwrap();
    assert_eq!(printed, yaml + "---\n", "{name}");
}
