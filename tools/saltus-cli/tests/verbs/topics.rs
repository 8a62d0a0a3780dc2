//! `saltus topic`: publishing messages and printing them.

use super::*;

#[test]
fn echo_prints_the_messages_that_pass_its_filter() {
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
fn topic_pub_fills_in_the_time() {
    let scene = Scene::new();
    let node = scene.node("/", "listener");
    let heard = node.subscription::<JointState>("joints").create().unwrap();
    let before = saltus::time::system_now().as_nanos() / 1_000_000_000;
    let words = ["topic", "pub", "-t", "2", "-r", "100", "-p", "0", "-n", "robot", "/joints"];
    let rest = ["sensor_msgs/msg/JointState", "{header: auto, name: [now]}"];
    let printed = scene.text(&[&words[..], &rest].concat());
    assert!(!printed.contains("publishing"), "{printed}");
    let stamps: Vec<_> =
        std::iter::from_fn(|| heard.take()).map(|taken| taken.unwrap().0.header.stamp).collect();
    assert!(i64::from(stamps[0].sec) >= before && stamps[0] != stamps[1], "{stamps:?}");
}

#[test]
fn topic_pub_accepts_every_policy() {
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
    assert_eq!(publish.interrupt(), Some(0));
    let wrong = scene.failure(&["topic", "pub", "/q", "std_msgs/msg/UInt64", "--qos-profile", "loud"]);
    assert!(wrong.contains("sensor_data"), "{wrong}");
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
    assert_eq!(echo.interrupt(), Some(0), "Ctrl-C is a normal end");
    assert!(scene.context.wait_until(LONG, || later.subscription_count() == 0));
    let files = fs::read_dir(scene.folder.join(format!("saltus.v9.{}", users_id()))).unwrap().count();
    assert_eq!(files, 3, "the member table, and two files of this process");
}

#[test]
fn echo_ends_when_its_output_is_closed() {
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

/// Returns the output of a process that prints nothing.
pub(crate) fn dead_pipe() -> ChildStdout {
    Command::new("true").stdout(Stdio::piped()).spawn().unwrap().stdout.take().unwrap()
}

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
    assert_eq!(publish.interrupt(), Some(130), "nothing was published");
}

#[test]
fn topic_pub_publishes_the_values_in_the_yaml() {
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
    assert!(unknown.contains("unknown type `my_msgs/msg/Thing`; add its package"), "{unknown}");
    let mistyped = scene.failure(&["topic", "pub", "/chatter", "std_msgs/msg/Strng"]);
    assert!(
        mistyped.contains("unknown type `std_msgs/msg/Strng`; did you mean `std_msgs/msg/String`?"),
        "{mistyped}"
    );
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
    assert_eq!(publish.interrupt(), Some(0));
    assert!(scene.context.wait_until(LONG, || heard.publisher_count() == 0));
}

#[test]
fn topic_hz_and_bw_print_figures_every_second() {
    let scene = Scene::new();
    // Of 2000 bytes: four for each of the header, the length, and the end of the text with its padding.
    let message = format!("data: {}", "x".repeat(1988));
    let words = ["topic", "pub", "-r", "100", "--print", "0", "/text", "std_msgs/msg/String", &message];
    let mut publish = scene.start(&words);
    let mut hz = scene.start(&["topic", "hz", "/text"]);
    let line = hz.line();
    let rate: f64 = line.trim().strip_prefix("average rate: ").unwrap().parse().unwrap();
    // The rate is not checked exactly, because it depends on the machine.
    assert!(rate > 1.0 && rate < 10_000.0, "{line}");
    let second = hz.line();
    for word in ["\tmin: ", "s max: ", "s std dev: ", "s window: "] {
        assert!(second.contains(word), "{second}");
    }
    assert_eq!(hz.interrupt(), Some(0));
    let mut bw = scene.start(&["topic", "bw", "/text"]);
    assert_eq!(bw.line(), "Subscribed to [/text]\n");
    assert!(bw.line().contains("/s from "));
    assert_eq!(bw.line(), "\tMessage size mean: 2.00 KB min: 2.00 KB max: 2.00 KB\n");
    assert_eq!((bw.interrupt(), publish.interrupt()), (Some(0), Some(0)));
}

/// Sends a message of each bundled type between two processes. `echo` must print the YAML that `pub` was given.
#[test]
fn pub_and_echo_round_trip_every_type() {
    let mut interfaces = Interfaces::default();
    for definition in saltus_catalog::DEFINITIONS {
        let kinds = [SourceKind::Message, SourceKind::Service, SourceKind::Action];
        let kind = kinds.into_iter().find(|kind| kind.extension() == definition.kind).unwrap();
        interfaces.add(definition.package, kind, definition.name, definition.text).unwrap();
    }
    // The type of a whole service or action is not a message. Its parts are messages, and have a `_` in their names.
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

#[test]
fn an_unknown_type_is_read_from_the_description_of_its_publisher() {
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
fn latency_prints_figures_until_ctrl_c() {
    let (scene, _chatter, _heard) = talked();
    let mut latency = scene.start(&["topic", "latency", "/chatter"]);
    for _ in 0..2 {
        assert_eq!(latency.line(), "/talker -> /robot1/listener: 5 messages\n");
        assert!(
            latency.line().starts_with("\ttransport: p50 ") && latency.line().starts_with("\tcallback: p50 ")
        );
    }
    assert_eq!(latency.interrupt(), Some(0));
    let mut latency = scene.start(&["topic", "latency", "/nothing"]);
    let mut warning = String::new();
    BufReader::new(latency.child.stderr.take().unwrap()).read_line(&mut warning).unwrap();
    assert_eq!(warning, "WARNING: topic [/nothing] has no publisher and subscription that match yet\n");
    assert_eq!(latency.interrupt(), Some(130), "nothing was measured");
}

#[test]
fn topic_delay_prints_the_age_of_header_stamps() {
    let scene = Scene::new();
    let point = ["geometry_msgs/msg/PointStamped", "{header: auto}"];
    let mut publish = scene.start(&["topic", "pub", "-r", "100", "/point", point[0], point[1]]);
    let mut delay = scene.start(&["topic", "delay", "/point"]);
    let line = delay.line();
    let age: f64 = line.trim().strip_prefix("average delay: ").unwrap().parse().unwrap();
    assert!((0.0..60.0).contains(&age), "{line}");
    let second = delay.line();
    for word in ["\tmin: ", "s max: ", "s std dev: ", "s window: "] {
        assert!(second.contains(word), "{second}");
    }
    assert_eq!((delay.interrupt(), publish.interrupt()), (Some(0), Some(0)));
}

#[test]
fn topic_delay_needs_a_header() {
    let scene = Scene::new();
    let mut publish = scene.start(&["topic", "pub", "-r", "100", "/count", "std_msgs/msg/UInt64", "data: 5"]);
    let error = scene.failure(&["topic", "delay", "/count"]);
    assert!(error.contains("type `std_msgs/msg/UInt64` has no field `header`"), "{error}");
    assert_eq!(publish.interrupt(), Some(0));
}
