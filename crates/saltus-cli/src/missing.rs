//! ROS 2's verbs that this command does not have, and what to do instead.

use crate::error::Error;

/// The user gave a verb of ROS 2 that does not exist here.
#[derive(Debug, thiserror::Error)]
#[error("there is no `{verb}`: {instead}")]
pub(crate) struct MissingVerb {
    verb: &'static str,
    instead: &'static str,
}

const VERBS: [(&str, &str); 9] = [
    ("daemon", "each verb reads the graph from shared memory, so no daemon is needed"),
    ("launch", "start each node as a separate program, or create several nodes in one program"),
    ("run", "a node is an ordinary program: start it by its path, or with `python -m`"),
    (
        "bag",
        "`saltus topic echo --json TOPIC > FILE` writes the messages of a topic to a file, as lines of JSON",
    ),
    (
        "pkg",
        "there is no list of packages; `saltus interface packages` lists the packages that contain types",
    ),
    (
        "multicast",
        "nodes of one host exchange messages through shared memory; nothing is sent to other hosts",
    ),
    ("security", "the users of the system determine who has access: see docs/security.md"),
    ("extensions", "all verbs are part of this command: see `saltus --help`"),
    ("extension_points", "all verbs are part of this command: see `saltus --help`"),
];

const HELLO: MissingVerb = MissingVerb {
    verb: "doctor hello",
    instead: "it tests the network between hosts, but Saltus exchanges messages within one host only",
};

/// Returns an error if the first word is a verb of ROS 2 that does not exist here, otherwise `None`.
pub(crate) fn answer(words: &[String]) -> Option<Error> {
    let verb = words.get(1)?;
    if verb == "doctor" && words.get(2).is_some_and(|word| word == "hello") {
        return Some(HELLO.into());
    }
    let (verb, instead) = VERBS.into_iter().find(|(name, _)| name == verb)?;
    Some(MissingVerb { verb, instead }.into())
}
