//! Runs each verb in a process, as a user does. The nodes of the graph are in the process of the test.
//!
//! The expected output is in `tests/expected`; with `SALTUS_BLESS=1` the tests write their output there.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod calls;
mod codegen;
mod completions;
mod components;
mod doctor;
mod domain_bridge;
mod flags;
mod interfaces;
mod lifecycles;
mod machines;
mod topics;
mod transforms;

use std::{
    fs,
    io::{BufRead, BufReader, Read},
    path::Path,
    process::{ChildStdout, Command, Stdio},
};

use saltus_dynamic::{Schema, YamlStyle, arbitrary::Random, to_yaml};
use saltus_idl::{Interfaces, SourceKind, TypeName};
use saltus_programs::{LONG, Running, Scene};

use saltus::{
    Executor, Node, Publisher, QoS, SingleThreadedExecutor,
    msgs::{
        sensor_msgs::msg::{Image, JointState},
        std_msgs::msg::{Header, String as Text, UInt64},
    },
};

/// Compares a text with the file `name` in `tests/expected`.
fn expect(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/expected").join(name);
    if std::env::var_os("SALTUS_BLESS").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
    }
    let want = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    assert_eq!(text, want, "{name}");
}

/// Returns a text without its gids, which differ from run to run.
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
    _subscription: saltus::topic::PollSubscription<Text>,
    _hidden: Node,
}

fn graph() -> Graph {
    let scene = Scene::new();
    let (talker, listener) = (scene.node("/", "talker"), scene.node("/robot1", "listener"));
    let hidden_node = scene.node("/", "_hidden");
    let chatter = talker.publisher::<Text>("chatter").qos(7).create().unwrap();
    let count = talker.publisher::<UInt64>("~/count").qos(QoS::sensor_data()).create().unwrap();
    let hidden = talker.publisher::<Text>("_secret").create().unwrap();
    let heard = listener.subscription::<Text>("/chatter").qos(QoS::keep_last(3)).create().unwrap();
    Graph { scene, _publishers: (chatter, count, hidden), _subscription: heard, _hidden: hidden_node }
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
fn an_unknown_name_has_the_one_that_was_meant() {
    let Graph { scene, .. } = &graph();
    let topic = "saltus: Unknown topic '/chater'; did you mean '/chatter'?\n";
    assert_eq!(scene.failure(&["topic", "info", "chater"]), topic);
    let node = "saltus: Unable to find node '/talkr'; did you mean '/talker'?\n";
    assert_eq!(scene.failure(&["node", "info", "talkr"]), node);
    let parameter = scene.failure(&["param", "list", "/talkr", "--timeout", "0.1"]);
    assert_eq!(parameter, "saltus: Node not found; did you mean '/talker'?\n");
    let mut hz = scene.start(&["topic", "hz", "/chatterr"]);
    let mut warning = String::new();
    BufReader::new(hz.child.stderr.take().unwrap()).read_line(&mut warning).unwrap();
    assert_eq!(
        warning,
        "WARNING: topic [/chatterr] does not appear to be published yet; did you mean '/chatter'?\n"
    );
    hz.interrupt();
}

#[test]
fn packages_of_tests_are_not_listed() {
    let scene = Scene::new();
    for list in ["list", "packages"] {
        let text = scene.text(&["interface", list]);
        assert!(text.contains("std_msgs") && !text.contains("saltus_"), "{text}");
    }
    assert!(scene.text(&["interface", "package", "saltus_bench_msgs"]).contains("saltus_bench_msgs/"));
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

/// Returns a text without its times and sizes, which differ from run to run.
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

/// Replaces how many seconds ago something was lost. It must not be long.
fn recently(text: &str) -> String {
    let mut parts = text.split(", the last ");
    let mut recent = parts.next().unwrap().to_owned();
    for part in parts {
        let (seconds, rest) = part.split_once(" s ago").unwrap();
        assert!(seconds.parse::<u64>().unwrap() <= LONG.as_secs(), "{text}");
        recent.push_str(", the last … s ago");
        recent.push_str(rest);
    }
    recent
}

/// Publishes 12 messages to a listener whose queue holds 5. The listener takes these 5 messages.
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
fn losses_and_latencies_are_read_without_joining() {
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
    expect("topic-latency.txt", &without_figures(&scene.text(&["topic", "latency", "/chatter", "--once"])));
    let latency: serde_json::Value =
        serde_json::from_str(&scene.text(&["topic", "latency", "/chatter", "--once", "--json"])).unwrap();
    let p50 = latency["transport"]["p50_ns"].as_u64().unwrap();
    assert!(p50 > 0 && p50 <= latency["transport"]["max_ns"].as_u64().unwrap(), "{latency}");
    assert_eq!((&latency["callback"]["count"], &latency["publisher"]), (&5.into(), &"/talker".into()));
    expect("node-info-connected.txt", &without_figures(&scene.text(&["node", "info", "/robot1/listener"])));
    assert_eq!(chatter.status().matched + heard.publisher_count(), 2, "there is no other subscription");
}

#[test]
fn the_doctor_finds_problems_and_prints_their_fixes() {
    let (scene, chatter, heard) = talked();
    let pid = std::process::id().to_string();
    let doctor = |name: &str| {
        let output = scene.run(&["doctor"]);
        let text =
            String::from_utf8(output.stdout).unwrap().replace(scene.folder.to_str().unwrap(), "FOLDER");
        let text = text.replace(&pid, "PID").replace(&format!("v9.{}", users_id()), "v9.UID");
        expect(name, &without_figures(&recently(&text)));
        output.status.code()
    };
    assert_eq!(doctor("doctor-well.txt"), Some(0));
    let picky = scene.node("/", "picky");
    let _reliable = picky.subscription::<Text>("sensor").create().unwrap();
    let _other_type = picky.subscription::<UInt64>("/chatter").create().unwrap();
    let _sensor =
        scene.node("/", "sensor").publisher::<Text>("sensor").qos(QoS::sensor_data()).create().unwrap();
    chatter.publish_bytes(&[0, 1]).unwrap();
    let mut executor = SingleThreadedExecutor::new(&scene.context).unwrap();
    executor.add_node(heard.node());
    while executor.spin_some().unwrap() {}
    fs::write(scene.folder.join(format!("saltus.v9.{}/0.00000000000000ff", users_id())), "").unwrap();
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
fn invalid_names_and_types_are_rejected_at_once() {
    let scene = Scene::new();
    for words in [
        &["topic", "echo", "a b"][..],
        &["topic", "hz", ""],
        &["topic", "delay", "/a/"],
        &["topic", "latency", "/a/"],
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
    assert!(late.ends_with("saltus: no message was received in time\n"), "{late}");
    let negative = scene.failure(&["topic", "pub", "-r", "-1", "/t", "std_msgs/msg/UInt8"]);
    assert!(negative.contains("expected a rate above 0, found -1"), "{negative}");
}

#[test]
fn errors_name_definitions_that_can_not_be_read() {
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
fn an_empty_graph_is_no_error() {
    let scene = Scene::new();
    assert_eq!(scene.text(&["topic", "list"]), "");
    assert_eq!(scene.text(&["node", "list"]), "");
    assert_eq!(scene.text(&["topic", "list", "-c"]), "0\n");
}

/// The output of `topic pub` if there is no subscription yet and it must wait for one.
const WAITING: &str = "Waiting for at least 1 matching subscription(s)...\n";

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
        "saltus: unknown type `no_msgs/msg/No`; add its package with `saltus interface add`, or put its folder into SALTUS_INTERFACE_PATH\n"
    );
    assert_eq!(scene.failure(&["interface", "package", "no_msgs"]), "saltus: Unknown package 'no_msgs'\n");
    assert_eq!(
        scene.failure(&["interface", "package", "std_msg"]),
        "saltus: Unknown package 'std_msg'; did you mean `std_msgs`?\n"
    );
}

#[test]
fn definitions_in_the_folders_of_the_path_are_found() {
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
        &["topic", "latency"],
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
        let has_example = help.contains("Example:") || help.contains("Examples:");
        assert!(help.contains("Usage: saltus ") && has_example, "{verb:?}:\n{help}");
    }
    let long = "topic list --wrong".split(' ').collect::<Vec<_>>();
    assert!(scene.failure(&long).contains("unexpected argument '--wrong'"));
}
