//! What is wrong in a file.

use saltus_map::MapError;
use saltus_yaml::YamlError;

/// What is wrong in the file of a world or of a robot.
#[derive(Debug, thiserror::Error)]
pub enum WorldError {
    /// The YAML is wrong.
    #[error(transparent)]
    Yaml(#[from] YamlError),
    /// A map is wrong.
    #[error(transparent)]
    Map(#[from] MapError),
    /// The SDF is wrong.
    #[error("line {line} of the world: {text}")]
    Sdf {
        /// The line, from 1.
        line: u32,
        /// What is wrong.
        text: String,
    },
    /// The content is wrong as a whole.
    #[error("{0}")]
    Content(String),
}
