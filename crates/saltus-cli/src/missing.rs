//! ROS 2's verbs that this command does not have, and what to do instead.

use crate::error::Error;

/// The verb does not exist.
#[derive(Debug, thiserror::Error)]
#[error("there is no `{verb}`: {instead}")]
pub(crate) struct MissingVerb {
    verb: &'static str,
    instead: &'static str,
}

const VERBS: [(&str, &str); 11] = [
    (
        "daemon",
        "the graph lies in shared memory, and each verb reads it there at once, so no daemon has to collect it",
    ),
    ("launch", "start each node as a program of its own, or several nodes in one program"),
    ("run", "a node is an ordinary program: start it by its path, or with `python -m`"),
    ("bag", "`saltus topic echo --json TOPIC > FILE` keeps the messages of a topic as lines of JSON"),
    (
        "component",
        "a program creates its nodes itself, as many as it wants, and gives them to one executor or several",
    ),
    (
        "lifecycle",
        "`saltus machine` runs and watches state machines; managed nodes of ROS 2 do not exist yet",
    ),
    ("pkg", "there is no index of packages; `saltus interface packages` lists those that have types"),
    ("multicast", "nodes of one host exchange messages in shared memory, and nothing is sent to other hosts"),
    ("security", "access follows the users of the system: see docs/security.md"),
    ("extensions", "all verbs are part of this command: see `saltus --help`"),
    ("extension_points", "all verbs are part of this command: see `saltus --help`"),
];

const HELLO: MissingVerb = MissingVerb {
    verb: "doctor hello",
    instead: "it checks the network between hosts, and Saltus exchanges messages within one host",
};

/// Returns the answer to a verb of ROS 2 that does not exist here.
pub(crate) fn answer(words: &[String]) -> Option<Error> {
    let verb = words.get(1)?;
    if verb == "doctor" && words.get(2).is_some_and(|word| word == "hello") {
        return Some(HELLO.into());
    }
    let (verb, instead) = VERBS.into_iter().find(|(name, _)| name == verb)?;
    Some(MissingVerb { verb, instead }.into())
}
