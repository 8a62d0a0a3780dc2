//! Arguments for the node of a verb.

use crate::error::Error;

/// Checks that the words are arguments for the node.
pub fn check(ros_args: &[String]) -> Result<(), Error> {
    match ros_args.first() {
        Some(word) if word != "--ros-args" => Err(format!(
            "unexpected argument `{word}`: see --help; arguments for the node begin with --ros-args"
        )
        .into()),
        _ => Ok(()),
    }
}
