//! The errors of the files of worlds and robots.

use saltus_map::MapError;
use saltus_yaml::YamlError;

/// An error in the file of a world or a robot.
#[derive(Debug, thiserror::Error)]
pub enum WorldError {
    /// The YAML, or a value in it, is not valid.
    #[error(transparent)]
    Yaml(#[from] YamlError),
    /// A map is not valid.
    #[error(transparent)]
    Map(#[from] MapError),
    /// The SDF is not valid, or not supported.
    #[error("line {line} of the world: {text}")]
    Sdf {
        /// The line number, from 1.
        line: u32,
        /// The description of the error.
        text: String,
    },
    /// The content as a whole is not valid.
    #[error("{0}")]
    Content(String),
}
