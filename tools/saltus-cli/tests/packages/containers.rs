//! The same components, in each way.

use std::{collections::BTreeMap, sync::mpsc, thread};

use saltus::{Executor, SingleThreadedExecutor, Time, msgs::geometry_msgs::msg::TwistStamped};

use crate::{LONG, PREFIX, Running, SALTUS, Scene};

const COMPONENTS: [&str; 3] = ["perception::Tracker", "perception::Detector", "perception::Camera"];
/// The number of tracks that are compared. The square does not jump back in the first 39 images.
const TRACKS: usize = 20;

/// Returns the first tracks, by the number of the image, as `start` starts the components.
fn tracks(scene: &Scene, start: impl FnOnce(&Scene) -> Vec<Running>) -> BTreeMap<i64, [f64; 2]> {
    let node = scene.context.node("recorder").create().unwrap();
    let (sender, receiver) = mpsc::channel();
    let subscription = node.subscription::<TwistStamped>("track").qos(1000);
    let _subscription = subscription.callback(move |track| drop(sender.send(track))).unwrap();
    let mut executor = SingleThreadedExecutor::new(&scene.context).unwrap();
    executor.add_node(&node);
    let handle = executor.handle();
    let spinning = thread::spawn(move || executor.spin().unwrap());
    let mut running = start(scene);
    let tracks = (0..TRACKS).map(|_| {
        let track = receiver.recv_timeout(LONG).unwrap();
        let linear = track.twist.linear;
        (Time::from(track.header.stamp).as_nanos() / 10_000_000, [linear.x, linear.y])
    });
    let tracks = tracks.collect();
    handle.cancel();
    spinning.join().unwrap();
    for program in &mut running {
        assert_eq!(program.interrupt(), Some(0), "{}", program.log());
    }
    tracks
}

/// Starts each component in a process of its own.
fn alone(scene: &Scene) -> Vec<Running> {
    let start = |plugin: &str| {
        let running = scene.start(SALTUS, &["run", "perception", plugin, "--ros-args", "-p", "rate:=100.0"]);
        let name = plugin.rsplit(':').next().unwrap().to_lowercase();
        scene.wait_for_node(&name, true);
        running
    };
    COMPONENTS.map(start).into()
}

fn contained(scene: &Scene, arguments: &[&str]) -> Vec<Running> {
    let container = scene.container(arguments);
    for (id, plugin) in (1..).zip(COMPONENTS) {
        let name = plugin.rsplit(':').next().unwrap().to_lowercase();
        let loaded = format!("Loaded component {id} into '/c' container node as '/{name}'\n");
        assert_eq!(scene.load("perception", plugin, &["-p", "rate:=100.0"]), loaded);
    }
    assert_eq!(scene.text(&["component", "list", "/c"]), "1  /tracker\n2  /detector\n3  /camera\n");
    vec![container]
}

#[test]
fn an_unknown_package_or_component_has_the_one_that_was_meant() {
    let scene = Scene::new();
    let _container = scene.container(&[]);
    let error = |package: &str, plugin: &str| scene.failure(&["component", "load", "/c", package, plugin]);
    let text = error("perceptoin", "perception::Camera");
    let want = "`saltus component types` lists what is installed; did you mean 'perception'?\n";
    assert!(text.contains(want), "{text}");
    let text = error("perception", "perception::Camrea");
    let want = "lists the names of its components; did you mean 'perception::Camera'?\n";
    assert!(text.contains(want), "{text}");
}

#[test]
fn the_outputs_are_equal_in_each_way() {
    let processes = tracks(&Scene::new(), alone);
    let ways = [
        &[][..],
        &["--mt"],
        &["--mt", "--threads", "3"],
        &["--isolated"],
        &["--isolated", "--mt", "--threads", "2"],
        &["--crash-isolated"],
    ];
    let others = ways.map(|arguments| tracks(&Scene::new(), |scene| contained(scene, arguments)));
    for other in &others {
        // The first images may pass before the detector and the tracker are connected.
        let common: Vec<_> = processes.iter().filter(|(image, _)| other.contains_key(image)).collect();
        assert!(common.len() > TRACKS / 2, "{processes:?} {other:?}");
        assert!(common.iter().all(|(image, track)| other[image] == **track), "{processes:?} {other:?}");
    }
}

#[test]
fn compiled_in_components_give_the_same_tracks() {
    let program = PREFIX.join("lib/perception/composed").display().to_string();
    // 30 images per second.
    for arguments in [&[][..], &["--isolated"]] {
        let tracks = tracks(&Scene::new(), |scene| vec![scene.start(&program, arguments)]);
        assert!(
            tracks.values().all(|[x, y]| (x - 60.0).abs() < 1e-3 && (y - 90.0).abs() < 1e-3),
            "{tracks:?}"
        );
    }
}

#[test]
fn one_component_runs_as_a_program_and_standalone() {
    let scene = Scene::new();
    let camera = PREFIX.join("lib/perception/camera").display().to_string();
    let programs: [(&str, &[&str]); 3] = [
        (&camera, &["--ros-args", "-r", "__node:=eye"]),
        (SALTUS, &["run", "perception", "camera", "--ros-args", "-r", "__node:=eye"]),
        (
            SALTUS,
            &["component", "standalone", "perception", "perception::Camera", "-n", "eye", "-c", "alone"],
        ),
    ];
    for (program, arguments) in programs {
        let mut running = scene.start(program, arguments);
        scene.wait_for_node("eye", true);
        if arguments.contains(&"standalone") {
            let loaded = "Loaded component 1 into '/alone' container node as '/eye'\n";
            scene.wait_for(|| running.log().contains(loaded));
        }
        assert_eq!(running.interrupt(), Some(0), "{}", running.log());
        scene.wait_for_node("eye", false);
    }
    let text =
        scene.failure(&["component", "standalone", "perception", "perception::Nothing", "-c", "alone"]);
    let error = "Failed to load component: Failed to find class with the requested plugin name., interrupting \
                 container node\n";
    assert!(text.ends_with(error), "{text}");
    scene.wait_for_node("alone", false);
}

#[test]
fn constructors_that_fail_have_the_texts_of_ros_2() {
    for arguments in [&[][..], &["--isolated"], &["--crash-isolated"]] {
        let scene = Scene::new();
        let mut container = scene.container(arguments);
        let load = |package: &str, plugin: &str, how: &str| {
            let how = format!("how:={how}");
            scene.failure(&["component", "load", "/c", package, plugin, "-p", &how, "--timeout", "20"])
        };
        let exception = "saltus: Failed to load component: Component constructor threw an exception: ";
        assert_eq!(
            load("test-components", "test::Faulty", "error"),
            format!("{exception}the device is missing\n")
        );
        let panic = load("test-components", "test::Faulty", "panic");
        assert_eq!(panic, format!("{exception}the constructor panicked\n"));
        let unknown = "saltus: Failed to load component: Could not find requested resource in ament index\n";
        let text = load("nothing", "test::Faulty", "error");
        assert!(text.ends_with(unknown) && text.contains("SALTUS_PREFIX_PATH"), "{text}");
        // Ids are used up by components that could not be created.
        let loaded = scene.load("test-components", "test::Latch", &[]);
        assert_eq!(loaded, "Loaded component 3 into '/c' container node as '/latch'\n");
        assert_eq!(scene.text(&["component", "unload", "/c", "3", "-q"]), "3\n");
        scene.wait_for_node("latch", false);
        assert_eq!(container.interrupt(), Some(0), "{}", container.log());
    }
}
