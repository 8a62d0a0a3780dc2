//! Containers with a file of placements.

use std::fs;

use rustix::thread::sched_getaffinity;

use crate::{Running, SALTUS, Scene};

impl Scene {
    /// Starts a container with a file of placements.
    fn placed(&self, placements: &str, arguments: &[&str]) -> Running {
        let file = self.folder.join("placements.yaml");
        fs::write(&file, placements).unwrap();
        let variable = format!("SALTUS_PLACEMENT={}", file.display());
        let name = ["--ros-args", "-r", "__node:=c"];
        self.start("env", &[&[&variable, SALTUS, "container"], arguments, &name].concat())
    }
}

/// Returns the CPUs of a thread of a process, and whether memory of the process is locked.
fn thread(pid: i32, name: &str) -> Option<(Vec<usize>, bool)> {
    let process = procfs::process::Process::new(pid).unwrap();
    let is_locked = process.status().unwrap().vmlck.is_some_and(|kilobytes| kilobytes > 0);
    let mut tasks = process.tasks().unwrap().flatten();
    let task = tasks.find(|task| task.stat().is_ok_and(|stat| stat.comm == name))?;
    let set = sched_getaffinity(rustix::process::Pid::from_raw(task.tid)).unwrap();
    Some(((0..64).filter(|cpu| set.is_set(*cpu)).collect(), is_locked))
}

#[test]
fn each_isolated_component_has_the_placement_of_its_name() {
    let scene = Scene::new();
    let container = scene.placed("/detector: {cpus: [0]}\n/c: {memory_lock: true}\n", &["--isolated"]);
    scene.load("perception", "perception::Detector", &[]);
    scene.load("perception", "perception::Tracker", &[]);
    let pid = container.pid().as_raw_nonzero().get();
    // A thread takes its name and its placement after its component is loaded.
    scene.wait_for(|| thread(pid, "detector") == Some((vec![0], true)));
    scene.wait_for(|| thread(pid, "tracker").is_some_and(|(cpus, _)| cpus != [0]));
}

#[test]
fn each_crash_isolated_component_has_the_placement_of_its_name() {
    let scene = Scene::new();
    let container = scene.placed("/detector: {cpus: [0], memory_lock: true}\n", &["--crash-isolated"]);
    scene.load("perception", "perception::Detector", &[]);
    let worker = *container.children().first_key_value().unwrap().0;
    // The process has the name of the component.
    scene.wait_for(|| thread(worker, "detector") == Some((vec![0], true)));
}

#[test]
fn a_container_with_impossible_placements_does_not_start() {
    let scene = Scene::new();
    let placements = "/arm: {cpus: [0, 9999]}\n\
                      /left: {cpus: [0], policy: fifo, priority: 1, utilization: 0.6}\n\
                      /right: {cpus: [0], policy: fifo, priority: 1, utilization: 0.4}\n";
    let mut container = scene.placed(placements, &[]);
    let status = container.child.wait().unwrap();
    let log = container.log();
    assert!(!status.success(), "{log}");
    assert!(log.contains("/arm: can't run on CPUs [9999]"), "{log}");
    assert!(log.contains("/left and /right need 100 % of a CPU"), "{log}");
}
