//! ROS 2's verbs that this command does not have, and what to do instead.

use std::ffi::OsString;

use saltus_verb::error::Ended;

/// A verb of ROS 2 that does not exist here.
#[derive(Clone, Copy, Debug)]
struct MissingVerb {
    verb: &'static str,
    instead: &'static str,
}

impl From<MissingVerb> for Ended {
    fn from(MissingVerb { verb, instead }: MissingVerb) -> Self {
        Self::Usage(format!("there is no `{verb}`: {instead}"))
    }
}

const VERBS: [(&str, &str); 6] = [
    ("daemon", "each verb reads the graph from shared memory, so no daemon is needed"),
    (
        "bag",
        "`saltus topic echo --json TOPIC > FILE` writes the messages of a topic to a file, as lines of JSON",
    ),
    (
        "multicast",
        "nodes of one host exchange messages through shared memory; `saltus bridge` joins other hosts, without multicast",
    ),
    ("security", "the users of the system determine who has access: see docs/security.md"),
    ("extensions", "all verbs are part of this command: see `saltus --help`"),
    ("extension_points", "all verbs are part of this command: see `saltus --help`"),
];

const HELLO: MissingVerb = MissingVerb {
    verb: "doctor hello",
    instead: "it tests the network between hosts: `saltus node list` shows nodes of other hosts that `saltus bridge` has joined",
};

const PKG_CREATE: MissingVerb =
    MissingVerb { verb: "pkg create", instead: "`saltus new NAME --lang LANGUAGE` creates a package" };

const PKG_XML: MissingVerb = MissingVerb {
    verb: "pkg xml",
    instead: "the package.xml of an installed package, if it has one, is in the folder that `saltus pkg prefix --share` prints",
};

/// Returns an error if the first word is a verb of ROS 2 that does not exist here, otherwise `None`.
pub(crate) fn answer(words: &[OsString]) -> Option<Ended> {
    let mut words = words.iter().skip(1).map(|word| word.to_string_lossy());
    let (verb, subverb) = (words.next()?, words.next().unwrap_or_default());
    let missing = match (&*verb, &*subverb) {
        ("doctor", "hello") => HELLO,
        ("pkg", "create") => PKG_CREATE,
        ("pkg", "xml") => PKG_XML,
        _ => {
            let (verb, instead) = VERBS.into_iter().find(|(name, _)| *name == verb)?;
            MissingVerb { verb, instead }
        }
    };
    Some(missing.into())
}
