//! The flags and conventions of ROS 2's command, verb by verb.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    process::Stdio,
};

use saltus::{
    QoS,
    msgs::{
        example_interfaces::srv::{AddTwoInts, AddTwoInts_Response},
        geometry_msgs::msg::Point,
        sensor_msgs::msg::{Image, LaserScan},
        std_msgs::msg::{String as Text, UInt64},
        std_srvs::srv::{SetBool, SetBool_Response},
    },
};

use crate::{LONG, Scene};

/// Runs a verb with a text on its standard input. Returns its output.
fn with_stdin(scene: &Scene, arguments: &[&str], input: &str) -> String {
    let mut child = scene.command(arguments).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn echo_prints_flow_style_message_info_and_numbers_that_json_lacks() {
    let scene = Scene::new();
    let node = scene.node("/", "talker");
    let points = node.publisher::<Point>("points").create().unwrap();
    let send = || points.publish(&Point { x: 1.5, y: f64::INFINITY, z: f64::NAN }).unwrap();
    let flow = scene.echo(&points, &["topic", "echo", "/points", "--once", "--flow-style"], send);
    assert_eq!(flow, "{x: 1.5, y: .inf, z: .nan}\n---\n");
    let json = scene.echo(&points, &["topic", "echo", "/points", "--once", "--json"], send);
    assert_eq!(json, "{\"x\":1.5,\"y\":\"Infinity\",\"z\":\"NaN\"}\n");
    let with_info = scene.echo(&points, &["topic", "echo", "/points", "--once", "-i"], send);
    let lines: Vec<&str> = with_info.lines().collect();
    let names: Vec<&str> = lines[..4].iter().map(|line| line.split(": ").next().unwrap()).collect();
    let want = [
        "publication_sequence_number",
        "received_timestamp",
        "reception_sequence_number",
        "source_timestamp",
    ];
    assert_eq!((&names[..], &lines[4..]), (&want[..], &["---", "x: 1.5", "y: .inf", "z: .nan", "---"][..]));
    let csv = scene.echo(&points, &["topic", "echo", "/points", "--once", "-i", "--csv"], send);
    assert!(csv.ends_with(",4,1,1.5,inf,nan\n") && csv.split(',').count() == 7, "{csv}");
}

#[test]
fn the_error_for_a_missing_field_names_the_fields_that_exist() {
    let scene = Scene::new();
    let node = scene.node("/", "talker");
    let scans = node.publisher::<LaserScan>("scan").create().unwrap();
    let scan = LaserScan { ranges: vec![0.5, 1.5], ..LaserScan::default() };
    let error = |field: &str| {
        let mut echo = scene.start(&["topic", "echo", "/scan", "--once", "--field", field]);
        assert!(scans.wait_for_subscriptions(1, LONG));
        scans.publish(&scan).unwrap();
        let mut text = String::new();
        echo.child.stderr.take().unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(echo.child.wait().unwrap().code(), Some(1));
        assert!(scene.context.wait_until(LONG, || scans.subscription_count() == 0));
        text
    };
    assert_eq!(error("ranges.7"), "saltus: `ranges` has no element `7`: it has 2 elements, counted from 0\n");
    assert_eq!(error("angle_min.x"), "saltus: `angle_min` is one value and has no `x`\n");
    assert!(
        error("header.nothing")
            .contains("`std_msgs/msg/Header` has no field `nothing`: it has stamp, frame_id")
    );
    let element = scene.echo(&scans, &["topic", "echo", "/scan", "--once", "--field", "ranges[1]"], || {
        scans.publish(&scan).unwrap();
    });
    assert_eq!(element, "1.5\n---\n");
}

/// A part of a large array is printed, and only a few of its elements are used.
#[test]
fn only_the_elements_that_are_used_are_decoded() {
    let scene = Scene::new();
    let node = scene.node("/", "camera");
    let images = node.publisher::<Image>("image").create().unwrap();
    let image = Image { data: (0..4 << 20).map(|i| i as u8).collect(), ..Image::default() };
    let send = || images.publish(&image).unwrap();
    let filter = "m.data[-1] == 255 and len(m.data) == 4194304";
    let words = ["topic", "echo", "/image", "--once", "--csv", "-l", "2", "--filter", filter];
    let csv = scene.echo(&images, &words, send);
    assert!(csv.ends_with(",0,1,...\n"), "{csv}");
}

#[test]
fn echo_reports_lost_messages() {
    let scene = Scene::new();
    let node = scene.node("/", "talker");
    let numbers = node.publisher::<UInt64>("numbers").qos(QoS::keep_last(5)).create().unwrap();
    for (flags, says) in [(&[][..], true), (&["--no-lost-messages"][..], false)] {
        let words = ["topic", "echo", "/numbers", "--qos-depth", "1"];
        let mut echo = scene.start(&[&words[..], flags].concat());
        let mut errors = echo.child.stderr.take().unwrap();
        // A pipe that nobody reads would stop the verb.
        let errors = std::thread::spawn(move || {
            let mut text = String::new();
            errors.read_to_string(&mut text).unwrap();
            text
        });
        assert!(numbers.wait_for_subscriptions(1, LONG));
        // A message was lost before the first message whose number is not the next one.
        let reader = std::thread::spawn(move || {
            for next in 0.. {
                if echo.line() != format!("data: {next}\n") {
                    break;
                }
                assert_eq!(echo.line(), "---\n");
            }
            echo.interrupt()
        });
        // Publishes more messages at once than fit into the queue.
        for data in 0.. {
            numbers.publish(&UInt64 { data }).unwrap();
            if data % 100 == 99 {
                std::thread::yield_now();
                if reader.is_finished() {
                    break;
                }
            }
        }
        assert_eq!(reader.join().unwrap(), Some(0));
        let errors = errors.join().unwrap();
        let line = errors.lines().next().unwrap_or_default();
        let is_warning = line.starts_with("WARNING: ") && line.contains("lost; in all: ");
        assert_eq!(is_warning, says, "{flags:?}: {line}");
        assert!(scene.context.wait_until(LONG, || numbers.subscription_count() == 0));
    }
}

#[test]
fn values_are_read_from_the_standard_input() {
    let scene = Scene::new();
    let node = scene.node("/", "worker");
    let heard = node.subscription::<Text>("chatter").create().unwrap();
    let words = ["topic", "pub", "--once", "/chatter", "std_msgs/String", "--stdin"];
    with_stdin(&scene, &words, "data: from a pipe\n");
    assert_eq!(heard.take().unwrap().unwrap().0.data, "from a pipe");
    let both =
        scene.failure(&["topic", "pub", "--once", "/chatter", "std_msgs/String", "--stdin", "data: x"]);
    assert!(both.contains("cannot be used with"), "{both}");
}

#[test]
fn type_names_with_two_parts_are_accepted_everywhere() {
    let scene = Scene::new();
    let node = scene.node("/", "worker");
    let _switch = node
        .service::<SetBool>("switch")
        .callback(|request| SetBool_Response { success: request.data, message: String::new() });
    let _adder = node
        .service::<AddTwoInts>("add")
        .callback(|request| AddTwoInts_Response { sum: request.a + request.b });
    let mut executor = saltus::SingleThreadedExecutor::new(&scene.context).unwrap();
    saltus::Executor::add_node(&executor, &node);
    let stop = saltus::Executor::handle(&executor);
    let spinning = std::thread::spawn(move || saltus::Executor::spin(&mut executor).unwrap());
    let called =
        with_stdin(&scene, &["service", "call", "/switch", "std_srvs/SetBool", "--stdin"], "data: true");
    assert!(called.contains("std_srvs.srv.SetBool_Response(success=True, message='')"), "{called}");
    assert_eq!(scene.text(&["service", "find", "std_srvs/SetBool"]), "/switch\n");
    assert!(scene.text(&["interface", "show", "std_srvs/SetBool"]).starts_with("bool data"));
    assert!(scene.text(&["interface", "proto", "example_interfaces/Fibonacci"]).starts_with("\"order: 0"));
    let _chatter = node.publisher::<Text>("chatter").create().unwrap();
    assert_eq!(scene.text(&["topic", "find", "std_msgs/String"]), "/chatter\n");
    assert_eq!(scene.text(&["action", "find", "example_interfaces/Fibonacci"]), "");
    stop.cancel();
    spinning.join().unwrap();
}

#[test]
fn a_search_without_a_result_prints_a_message() {
    let scene = Scene::new();
    for (verb, ty) in [("topic", "std_msgs/msg/Empty"), ("service", "std_srvs/srv/Empty")] {
        let output = scene.run(&[verb, "find", ty]);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), &*error), (Some(0), &*format!("no {verb} has the type `{ty}`\n")));
    }
}

#[test]
fn errors_name_the_type_that_the_user_gave() {
    let scene = Scene::new();
    let unknown = scene.failure(&["action", "send_goal", "/a", "no_such_msgs/action/Thing"]);
    assert!(unknown.contains("unknown type `no_such_msgs/action/Thing`"), "{unknown}");
    for ty in ["std_msgs/msg/String", "example_interfaces/srv/AddTwoInts"] {
        let wrong = scene.failure(&["action", "send_goal", "/a", ty]);
        let want =
            format!("saltus: `{ty}` is not an action type such as example_interfaces/action/Fibonacci\n");
        assert_eq!(wrong, want);
    }
    let service = scene.failure(&["topic", "pub", "/a", "std_srvs/srv/SetBool"]);
    assert!(service.contains("`std_srvs/srv/SetBool` is a service, not a message"), "{service}");
}

#[test]
fn interface_lists_only_the_requested_kinds() {
    let scene = Scene::new();
    let services = scene.text(&["interface", "package", "example_interfaces", "-s"]);
    assert!(
        services.contains("srv/AddTwoInts") && !services.contains("/msg/") && !services.contains("/action/")
    );
    let packages = scene.text(&["interface", "packages", "--only-actions"]);
    assert!(packages.contains("example_interfaces\n") && !packages.contains("std_srvs"), "{packages}");
    assert_eq!(scene.text(&["interface", "package", "std_srvs", "-m"]), "");
}

#[test]
fn param_list_filters_by_the_beginning_of_names() {
    let scene = Scene::new();
    let node = scene.node("/", "worker");
    for name in ["arm.speed", "arm.reach", "speed"] {
        node.declare_parameter(name, 1.0).unwrap();
    }
    let mut executor = saltus::SingleThreadedExecutor::new(&scene.context).unwrap();
    saltus::Executor::add_node(&executor, &node);
    let stop = saltus::Executor::handle(&executor);
    let spinning = std::thread::spawn(move || saltus::Executor::spin(&mut executor).unwrap());
    assert_eq!(
        scene.text(&["param", "list", "/worker", "--filter", "arm|speed$"]),
        "  arm.reach\n  arm.speed\n  speed\n"
    );
    assert_eq!(scene.text(&["param", "list", "/worker", "--filter", "speed"]), "  speed\n");
    assert!(scene.failure(&["param", "list", "--filter", "("]).contains("--filter"));
    stop.cancel();
    spinning.join().unwrap();
}

#[test]
fn verbs_that_do_not_exist_are_reported() {
    let scene = Scene::new();
    for verb in ["daemon", "bag", "multicast", "security", "extensions", "extension_points"] {
        let output = scene.run(&[verb, "list", "--anything"]);
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(
            error.starts_with(&format!("saltus: there is no `{verb}`: ")) && error.lines().count() == 1,
            "{error}"
        );
        assert_eq!(output.status.code(), Some(2));
    }
    assert_eq!(scene.run(&["doctor", "hello"]).status.code(), Some(2));
}

#[test]
fn a_verb_that_is_interrupted_before_it_prints_anything_exits_with_130() {
    let scene = Scene::new();
    for verb in ["echo", "hz", "bw", "delay"] {
        let mut waiting = scene.start(&["topic", verb, "/nothing"]);
        let mut warning = String::new();
        BufReader::new(waiting.child.stderr.take().unwrap()).read_line(&mut warning).unwrap();
        assert_eq!(waiting.interrupt(), Some(130), "{verb}");
    }
}

#[test]
fn rates_and_stamps_follow_simulated_time() {
    let scene = Scene::new();
    let node = scene.node("/", "simulation");
    let clock = node.publisher::<saltus::msgs::rosgraph_msgs::msg::Clock>("/clock").create().unwrap();
    let numbers = node.publisher::<UInt64>("numbers").create().unwrap();
    let mut hz = scene.start(&["topic", "hz", "/numbers", "--use-sim-time", "--filter", "m.data % 2 == 0"]);
    assert!(numbers.wait_for_subscriptions(1, LONG) && clock.wait_for_subscriptions(1, LONG));
    // Before simulated time begins, messages are not counted.
    numbers.publish(&UInt64 { data: 0 }).unwrap();
    // Simulated time is ten times as slow as real time. So 100 Hz are 1,000 Hz in simulated time. Every second message
    // is counted.
    let reader = std::thread::spawn(move || (hz.line(), hz.interrupt()));
    let mut now = saltus::Time::from_nanos(1_000_000_000);
    let mut data = 0;
    while !reader.is_finished() {
        now = saltus::Time::from_nanos(now.as_nanos() + 1_000_000);
        clock.publish(&saltus::msgs::rosgraph_msgs::msg::Clock { clock: now.into() }).unwrap();
        // The thread of the clock receives the time before the number arrives, or a little later.
        numbers.publish(&UInt64 { data }).unwrap();
        data += 1;
        scene.context.wait_until(std::time::Duration::from_millis(10), || false);
    }
    let (line, code) = reader.join().unwrap();
    let rate: f64 = line.trim().strip_prefix("average rate: ").unwrap().parse().unwrap();
    assert!((350.0..750.0).contains(&rate), "{line}");
    assert_eq!(code, Some(0));
}

/// A topic whose definition is only in the graph has the defaults of that definition.
#[test]
fn defaults_of_a_definition_in_the_graph_are_used() {
    let scene = Scene::new();
    let share = scene.folder.join("share");
    fs::create_dir_all(share.join("my_msgs/msg")).unwrap();
    fs::write(share.join("my_msgs/msg/Speed.msg"), "float64 limit 2.5\nstring unit m/s\n").unwrap();
    let words = ["topic", "pub", "-r", "50", "/speed", "my_msgs/msg/Speed", "{limit: 1.0}"];
    let mut publish = scene.command(&words);
    let mut publish = crate::Running {
        child: publish.env("SALTUS_INTERFACE_PATH", &share).spawn().unwrap(),
        output: BufReader::new(crate::topics::dead_pipe()),
    };
    let mut echo = scene.start(&["topic", "echo", "/speed", "--filter", "m.limit == 2.5", "--once", "--csv"]);
    assert!(scene.context.wait_until(LONG, || scene.context.graph().endpoints.len() >= 2));
    scene.text(&["topic", "pub", "-t", "100", "-r", "100", "/speed", "my_msgs/Speed"]);
    assert_eq!(echo.line(), "2.5,m/s\n");
    assert_eq!(publish.interrupt(), Some(0));
}
