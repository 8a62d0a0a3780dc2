//! Lifecycle nodes, used by their own program. The conformance suite tests what other nodes see.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::mpsc;

use saltus::{
    Context,
    context::ContextOptions,
    lifecycle::{
        CallbackResult, CallbackReturn, Lifecycle, LifecycleNode, State, Transition, TransitionError,
    },
};

fn context() -> (tempfile::TempDir, Context) {
    let folder = tempfile::tempdir_in("/dev/shm").unwrap();
    let options = ContextOptions::default().domain(0).folder(folder.path()).handle_signals(false);
    let context = options.create().unwrap();
    (folder, context)
}

/// Requests a transition in its own callback, and then waits for permission to end.
struct Eager {
    inner: mpsc::Sender<Result<CallbackReturn, TransitionError>>,
    may_end: mpsc::Receiver<()>,
}

impl Lifecycle for Eager {
    fn on_configure(&mut self, node: &LifecycleNode, _previous: State) -> CallbackResult {
        self.inner.send(node.shutdown())?;
        self.may_end.recv()?;
        Ok(CallbackReturn::Success)
    }
}

#[test]
fn no_transition_begins_while_a_callback_runs() {
    let (_folder, context) = context();
    let (inner, from_callback) = mpsc::channel();
    let (permit, may_end) = mpsc::channel();
    let node = context.node("eager").create().unwrap();
    let node = LifecycleNode::new(&node, Eager { inner, may_end }).unwrap();
    let changing = node.clone();
    let changing = std::thread::spawn(move || changing.configure());
    let refused = |transition| Err(TransitionError::NotPossible { transition, state: State::Configuring });
    assert_eq!(from_callback.recv().unwrap(), refused(Transition::UnconfiguredShutdown));
    assert_eq!((node.state(), node.activate()), (State::Configuring, refused(Transition::Activate)));
    permit.send(()).unwrap();
    assert_eq!(changing.join().unwrap(), Ok(CallbackReturn::Success));
    assert_eq!(node.state(), State::Inactive);
}

struct Idle;

impl Lifecycle for Idle {}

#[test]
fn the_services_end_with_the_last_handle() {
    let (_folder, context) = context();
    let node = context.node("idle").create().unwrap();
    let services = || {
        let servers = context.graph().servers;
        servers.iter().filter(|server| server.type_name.starts_with("lifecycle_msgs")).count()
    };
    let managed = LifecycleNode::new(&node, Idle).unwrap();
    let other = managed.clone();
    drop(managed);
    assert_eq!(services(), 5);
    drop(other);
    assert!(context.wait_until(std::time::Duration::from_secs(10), || services() == 0));
}
