//! Managed nodes that end in other ways than by their lifecycle manager.

use std::{
    sync::mpsc::{Receiver, Sender, channel},
    time::Duration,
};

use saltus::{
    Context,
    component::ComponentError,
    context::ContextOptions,
    executor::GuardCondition,
    lifecycle::{CallbackReturn, LifecycleNode, State},
};

use super::*;

const LONG: Duration = Duration::from_secs(20);

/// Records its steps. If the owner says so, its thread panics as soon as it is active.
struct Recorder {
    steps: Sender<&'static str>,
    guard: GuardCondition,
    _worker: Worker,
}

struct Owner {
    steps: Sender<&'static str>,
    panics: bool,
}

impl Managed for Recorder {
    type Owner = Owner;

    fn configure(node: &LifecycleNode, owner: &Owner) -> Result<Self, ComponentError> {
        let worker = Worker::managed(node, "recorder")?;
        let guard = node.guard_condition_in(worker.group(), || panic!("as the test wants"));
        Ok(Self { steps: owner.steps.clone(), guard, _worker: worker })
    }

    fn activate(&mut self, _node: &LifecycleNode, owner: &Owner) -> Result<bool, ComponentError> {
        if owner.panics {
            self.guard.trigger();
        }
        Ok(true)
    }

    fn deactivate(&mut self, node: &LifecycleNode, _owner: &Owner) {
        assert_eq!(node.state(), State::Deactivating);
        self.steps.send("deactivated").unwrap();
    }

    fn cleanup(self, _owner: &Owner) {
        self.steps.send("cleaned up").unwrap();
    }
}

struct Scene {
    node: ManagedNode,
    steps: Receiver<&'static str>,
    _context: Context,
    _folder: tempfile::TempDir,
}

/// Returns an active node.
fn active(panics: bool) -> Scene {
    let folder = tempfile::tempdir().unwrap();
    let context = ContextOptions::default().folder(folder.path()).create().unwrap();
    let (sender, steps) = channel();
    let node = context.node("recorder").create().unwrap();
    let node = manage::<Recorder>(&node, Owner { steps: sender, panics }).unwrap();
    assert_eq!(node.configure(), Ok(CallbackReturn::Success));
    assert_eq!(node.activate(), Ok(CallbackReturn::Success));
    Scene { node, steps, _context: context, _folder: folder }
}

#[test]
fn a_node_that_is_dropped_is_deactivated_and_cleaned_up() {
    let Scene { node, steps, .. } = active(false);
    drop(node);
    assert_eq!(steps.recv_timeout(LONG), Ok("deactivated"));
    assert_eq!(steps.recv_timeout(LONG), Ok("cleaned up"));
}

#[test]
fn a_thread_that_panics_deactivates_its_node() {
    let scene = active(true);
    assert_eq!(scene.steps.recv_timeout(LONG), Ok("deactivated"));
    assert_eq!(scene.steps.recv_timeout(LONG), Ok("cleaned up"));
    while scene.node.state() != State::Unconfigured {
        std::thread::yield_now();
    }
    // It has a new thread then, which panics, too.
    assert_eq!(scene.node.configure(), Ok(CallbackReturn::Success));
    assert_eq!(scene.node.activate(), Ok(CallbackReturn::Success));
    assert_eq!(scene.steps.recv_timeout(LONG), Ok("deactivated"));
}
