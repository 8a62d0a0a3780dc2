//! What every language's topics, services, actions and parameters must do, a case per rule.
//!
//! See `README.md` in this folder for what a subject is, and what it has to offer.

mod cases;

use std::time::Duration;

use saltus::{
    ActionClient, Client, Node, ParameterClient,
    msgs::{
        example_interfaces::{action::Fibonacci, srv::AddTwoInts},
        saltus_conformance_msgs::srv::{Command, Command_Request},
    },
};

/// How long anything may take that is to happen at all.
const LONG: Duration = Duration::from_secs(10);

/// Why a case failed.
pub type Failure = Box<dyn std::error::Error>;

/// A rule, and what shows whether it is kept.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// The rule.
    pub rule: &'static str,
    /// Fails if it is not kept.
    pub run: fn(&Suite) -> Result<(), Failure>,
}

/// Every case, in the order in which they run.
pub fn cases() -> Vec<Case> {
    [cases::topics::CASES, cases::services::CASES, cases::goals::CASES, cases::parameters::CASES].concat()
}

/// The suite's side of the graph.
#[derive(Debug)]
pub struct Suite {
    node: Node,
    command: Client<Command>,
    add: Client<AddTwoInts>,
    hold: Client<AddTwoInts>,
    count: ActionClient<Fibonacci>,
    parameters: ParameterClient,
}

impl Suite {
    /// Meets the subject. The node must be spun by a thread of its own.
    pub fn new(node: &Node) -> Result<Self, Failure> {
        let suite = Self {
            command: node.client("/subject/command").create()?,
            add: node.client("/subject/add").create()?,
            hold: node.client("/subject/hold").create()?,
            count: ActionClient::on(node, "/subject/count").create()?,
            parameters: ParameterClient::new(node, "/subject", LONG),
            node: node.clone(),
        };
        let services = [&suite.add, &suite.hold].iter().all(|client| client.wait_for_service(LONG));
        let is_here = services && suite.command.wait_for_service(LONG) && suite.count.wait_for_server(LONG);
        if is_here { Ok(suite) } else { Err("the subject did not come".into()) }
    }

    /// Has the subject do something: whether it could, and what came of it.
    fn tell(&self, words: &[&str]) -> Result<(bool, String), Failure> {
        let words = words.iter().map(|&word| word.to_owned()).collect();
        let response = self.command.call(&Command_Request { words }, 2 * LONG)?;
        Ok((response.ok, response.text))
    }

    /// A name that no other case uses.
    fn unique(&self, word: &str) -> String {
        use std::sync::atomic::{AtomicU64, Ordering};
        static NEXT: AtomicU64 = AtomicU64::new(0);
        format!("/suite/{word}_{}", NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// An error that says what was expected, unless it is what was found.
fn expect<T: PartialEq + std::fmt::Debug>(what: &str, found: T, expected: T) -> Result<(), Failure> {
    if found == expected {
        Ok(())
    } else {
        Err(format!("{what}: expected {expected:?}, found {found:?}").into())
    }
}

/// Runs every case against the subject; returns the rules that are not kept, and how.
pub fn run(node: &Node) -> Result<Vec<String>, Failure> {
    let suite = Suite::new(node)?;
    let failed = |case: Case| (case.run)(&suite).err().map(|error| format!("{}: {error}", case.rule));
    Ok(cases().into_iter().filter_map(failed).collect())
}
