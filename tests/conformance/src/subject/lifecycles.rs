//! The lifecycle nodes of the subject. Commands of the suite create them and plan what their callbacks do.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use saltus::{
    Context,
    executor::ExecutorHandle,
    lifecycle::{CallbackResult, CallbackReturn, Lifecycle, LifecycleNode, LifecyclePublisher, State},
    msgs::std_msgs::msg::UInt64,
    types::lock,
};

/// The outcomes of the callbacks of a node, and their calls so far.
#[derive(Default)]
struct Plan {
    /// The outcome of the next call of each callback.
    outcomes: HashMap<String, String>,
    called: Vec<String>,
    numbers: Option<LifecyclePublisher<UInt64>>,
}

/// The plan of a node, which its callbacks and the commands share.
type SharedPlan = Arc<Mutex<Plan>>;

struct Planned(SharedPlan);

impl Planned {
    fn call(&self, callback: &str, previous: State) -> CallbackResult {
        let mut plan = lock(&self.0);
        plan.called.push(format!("{callback}:{previous}"));
        let outcome = plan.outcomes.remove(callback);
        drop(plan);
        match outcome.as_deref() {
            Some("failure") => Ok(CallbackReturn::Failure),
            Some("error") => Err("as planned".into()),
            // Without the report of a panic, which would look like a failure in the output of the tests.
            Some("raise") => std::panic::resume_unwind(Box::new("as planned")),
            _ => Ok(CallbackReturn::Success),
        }
    }
}

impl Lifecycle for Planned {
    fn on_configure(&mut self, node: &LifecycleNode, previous: State) -> CallbackResult {
        let mut plan = lock(&self.0);
        if plan.numbers.is_none() {
            plan.numbers = Some(node.lifecycle_publisher("~/numbers", 100)?);
        }
        drop(plan);
        self.call("on_configure", previous)
    }

    fn on_cleanup(&mut self, _node: &LifecycleNode, previous: State) -> CallbackResult {
        self.call("on_cleanup", previous)
    }

    fn on_activate(&mut self, _node: &LifecycleNode, previous: State) -> CallbackResult {
        self.call("on_activate", previous)
    }

    fn on_deactivate(&mut self, _node: &LifecycleNode, previous: State) -> CallbackResult {
        self.call("on_deactivate", previous)
    }

    fn on_shutdown(&mut self, _node: &LifecycleNode, previous: State) -> CallbackResult {
        self.call("on_shutdown", previous)
    }

    fn on_error(&mut self, _node: &LifecycleNode, previous: State) -> CallbackResult {
        self.call("on_error", previous)
    }
}

/// The lifecycle nodes, by name.
pub(crate) struct Lifecycles {
    context: Context,
    executor: ExecutorHandle,
    nodes: Mutex<HashMap<String, (LifecycleNode, SharedPlan)>>,
}

impl Lifecycles {
    pub(crate) fn new(context: &Context, executor: ExecutorHandle) -> Self {
        Self { context: context.clone(), executor, nodes: Mutex::default() }
    }

    /// Runs a command. Returns `None` if it is not about lifecycle nodes.
    pub(crate) fn run(&self, words: &[&str]) -> Option<Result<String, String>> {
        match words {
            ["lifecycle", name] => Some(self.create(name).map_err(|error| error.to_string())),
            ["plan", name, callback, outcome] => Some(self.with(name, |plan| {
                plan.outcomes.insert((*callback).to_owned(), (*outcome).to_owned());
                Ok(String::new())
            })),
            ["callbacks", name] => {
                Some(self.with(name, |plan| Ok(std::mem::take(&mut plan.called).join(" "))))
            }
            ["publish_managed", name, number] => Some(self.with(name, |plan| publish(plan, number))),
            _ => None,
        }
    }

    fn create(&self, name: &str) -> Result<String, saltus::node::NodeError> {
        let plan = SharedPlan::default();
        let node = LifecycleNode::new(&self.context.node(name).create()?, Planned(plan.clone()))?;
        self.executor.add_node(&node);
        lock(&self.nodes).insert(name.to_owned(), (node, plan));
        Ok(String::new())
    }

    fn with(
        &self,
        name: &str,
        act: impl FnOnce(&mut Plan) -> Result<String, String>,
    ) -> Result<String, String> {
        let plan = lock(&self.nodes).get(name).map(|(_, plan)| plan.clone());
        let plan = plan.ok_or_else(|| format!("no lifecycle node {name}"))?;
        act(&mut lock(&plan))
    }
}

/// Publishes a number. Returns how many were dropped so far.
fn publish(plan: &Plan, number: &str) -> Result<String, String> {
    let numbers = plan.numbers.as_ref().ok_or("the node was never configured")?;
    let data = number.parse().map_err(|_| format!("expected a number, found `{number}`"))?;
    numbers.publish(&UInt64 { data }).map_err(|error| error.to_string())?;
    Ok(numbers.dropped().to_string())
}
