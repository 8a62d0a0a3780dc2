//! ROS 2's verbs that this command does not have, and what to do instead.

use crate::error::Error;

/// The user gave a verb of ROS 2 that does not exist here.
#[derive(Debug, thiserror::Error)]
#[error("there is no `{verb}`: {instead}")]
pub(crate) struct MissingVerb {
    verb: &'static str,
    instead: &'static str,
}

const VERBS: [(&str, &str); 6] = [
    ("daemon", "each verb reads the graph from shared memory, so no daemon is needed"),
    (
        "bag",
        "`saltus topic echo --json TOPIC > FILE` writes the messages of a topic to a file, as lines of JSON",
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

const PKG_CREATE: MissingVerb =
    MissingVerb { verb: "pkg create", instead: "`saltus new NAME --lang LANGUAGE` creates a package" };

const PKG_XML: MissingVerb = MissingVerb {
    verb: "pkg xml",
    instead: "a package of Saltus has a Cargo.toml or a pyproject.toml; its package.xml, if it has one, is in the folder \
              that `saltus pkg prefix --share` prints",
};

/// Returns an error if the first word is a verb of ROS 2 that does not exist here, otherwise `None`.
pub(crate) fn answer(words: &[String]) -> Option<Error> {
    let verb = words.get(1)?;
    if verb == "doctor" && words.get(2).is_some_and(|word| word == "hello") {
        return Some(HELLO.into());
    }
    if verb == "pkg" && words.get(2).is_some_and(|word| word == "create") {
        return Some(PKG_CREATE.into());
    }
    if verb == "pkg" && words.get(2).is_some_and(|word| word == "xml") {
        return Some(PKG_XML.into());
    }
    let (verb, instead) = VERBS.into_iter().find(|(name, _)| name == verb)?;
    Some(MissingVerb { verb, instead }.into())
}
