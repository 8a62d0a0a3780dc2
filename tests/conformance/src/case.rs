//! A rule and its check, and the suite's part of the graph.

use std::time::Duration;

use saltus::{
    ActionClient, Client, Node,
    msgs::{
        example_interfaces::{action::Fibonacci, srv::AddTwoInts},
        saltus_conformance_msgs::srv::{Command, Command_Request},
    },
    param::ParameterClient,
};

/// The time limit for everything that must happen. A call that connects first takes many round trips, and a link that loses every tenth packet
/// may hold each of them up for a second.
pub(crate) const LONG: Duration = Duration::from_secs(30);

/// The reason why a case failed.
pub type Failure = Box<dyn std::error::Error>;

/// A rule, and the function that checks whether the subject keeps it.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// The rule.
    pub rule: &'static str,
    /// Returns an error if the subject does not keep the rule.
    pub run: fn(&Suite) -> Result<(), Failure>,
}

/// The suite's part of the graph: a node, and clients of the subject.
#[derive(Debug)]
pub struct Suite {
    pub(crate) node: Node,
    pub(crate) command: Client<Command>,
    pub(crate) add: Client<AddTwoInts>,
    pub(crate) hold: Client<AddTwoInts>,
    pub(crate) count: ActionClient<Fibonacci>,
    pub(crate) parameters: ParameterClient,
}

impl Suite {
    /// Connects to the node of a subject. Another thread must spin the node of the suite.
    pub fn new(node: &Node, subject: &str) -> Result<Self, Failure> {
        let suite = Self {
            command: node.client(&format!("{subject}/command")).create()?,
            add: node.client(&format!("{subject}/add")).create()?,
            hold: node.client(&format!("{subject}/hold")).create()?,
            count: ActionClient::on(node, &format!("{subject}/count")).create()?,
            parameters: ParameterClient::new(node, subject, LONG),
            node: node.clone(),
        };
        let services = [&suite.add, &suite.hold].iter().all(|client| client.wait_for_service(LONG));
        let is_here = services && suite.command.wait_for_service(LONG) && suite.count.wait_for_server(LONG);
        if is_here { Ok(suite) } else { Err(format!("{subject} was not found within {LONG:?}").into()) }
    }

    /// Makes the subject execute a command. Returns whether it succeeded, and the text of the response.
    pub(crate) fn run_command(&self, words: &[&str]) -> Result<(bool, String), Failure> {
        let words = words.iter().map(|&word| word.to_owned()).collect();
        let response = self.command.call(&Command_Request { words }, 2 * LONG)?;
        Ok((response.ok, response.text))
    }

    /// Returns a name that no other case uses.
    pub(crate) fn unique(&self, word: &str) -> String {
        use std::sync::atomic::{AtomicU64, Ordering};
        static NEXT: AtomicU64 = AtomicU64::new(0);
        format!("/suite/{word}_{}", NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// Returns an error with both values, unless the found value equals the expected one.
pub(crate) fn expect<T: PartialEq + std::fmt::Debug>(
    what: &str,
    found: T,
    expected: T,
) -> Result<(), Failure> {
    if found == expected {
        Ok(())
    } else {
        Err(format!("{what}: expected {expected:?}, found {found:?}").into())
    }
}
