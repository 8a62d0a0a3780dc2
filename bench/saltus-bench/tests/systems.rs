//! Benchmarks that need no peers. What they measure is not checked here.

use saltus_programs::Scene;

const SYSTEM: &str = "
nodes:
  - {name: camera, publish: [{topic: image, bytes: 1000, hz: 100}]}
  - {name: detector, forward: [{inputs: [image], work: 10, topic: objects, bytes: 100}]}
  - {name: base, publish: [{topic: odometry, bytes: 8, hz: 50}], subscribe: [tracks]}
  - {name: tracker, forward: [{when: all, inputs: [objects, odometry], topic: tracks, bytes: 100}]}
ends: [base]
";

#[test]
fn a_described_system_runs_as_one_process_and_as_many() {
    let scene = Scene::new();
    let file = scene.folder.join("system.yaml");
    std::fs::write(&file, SYSTEM).unwrap();
    let arguments = ["bench", "topology", &file.display().to_string(), "--seconds", "1", "--wait", "block"];
    let ways = ["compiled in, one thread", "compiled in, a thread each", "compiled in, a process each"];
    // The timers skip calls if the machine stops for long, so the best of several runs counts for each way.
    let mut most = [0; 3];
    for _ in 0..5 {
        let text = scene.text(&arguments);
        assert!(text.contains("4 nodes, 4 publishers, 4 connections"), "{text}");
        let rows: Vec<Vec<&str>> = text
            .lines()
            .map(|line| line.split('|').map(str::trim).collect())
            .filter(|row: &Vec<_>| row.len() > 5)
            .collect();
        assert_eq!(rows[2..].iter().map(|row| row[1]).collect::<Vec<_>>(), ways);
        for (most, row) in most.iter_mut().zip(&rows[2..]) {
            *most = row[3].parse::<u32>().unwrap().max(*most);
        }
        if most.iter().all(|most| *most >= 200) {
            break;
        }
    }
    // 100 images, 100 objects, 50 odometries and 50 tracks per second.
    assert!(most.iter().all(|most| (200..400).contains(most)), "{most:?}");
}

#[test]
fn a_mistake_in_a_system_is_named_with_its_line() {
    let scene = Scene::new();
    let file = scene.folder.join("system.yaml");
    std::fs::write(&file, "nodes:\n  - {name: a, subscribe: [t]}\n").unwrap();
    let error = scene.failure(&["bench", "topology", &file.display().to_string()]);
    assert!(error.contains("no node publishes `t`") && error.contains("line 2"), "{error}");
    let error = scene.failure(&["bench", "topology", "nowhere.yaml"]);
    assert!(error.contains("can't read nowhere.yaml"), "{error}");
}

#[test]
fn a_report_has_the_command_line_as_the_user_typed_it() {
    let scene = Scene::new();
    let arguments =
        ["bench", "topic", "--peers", "owned/block", "--sizes", "64", "--iterations", "100", "--no-extras"];
    let text = scene.text(&arguments);
    let line = text.lines().find(|line| line.starts_with("saltus ")).unwrap_or_default();
    assert!(line.starts_with(&format!("saltus {}", arguments.join(" "))), "{text}");
}
