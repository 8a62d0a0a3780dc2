//! Reads a launch file in XML or YAML.

use std::{path::Path, sync::Arc};

use crate::{
    action::Action,
    origin::{LaunchError, Origin},
    read, xml, yaml,
};

/// Parses a launch file in YAML or XML, by the end of its name.
///
/// # Errors
///
/// Returns an error if the file has another form, or a tag or an attribute that does not exist.
pub fn parse(text: &str, file: &Arc<Path>) -> Result<Vec<Action>, LaunchError> {
    let extension = file.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let root = match extension {
        "xml" => xml::parse(text, file)?,
        "yaml" | "yml" => yaml::parse(text, file)?,
        // ROS 2 allows this name for both.
        "launch" if text.trim_start().starts_with('<') => xml::parse(text, file)?,
        "launch" => yaml::parse(text, file)?,
        _ => {
            let origin = Origin { file: file.clone(), line: 1 };
            return Err(LaunchError::new(
                &origin,
                "the name of a launch file ends with .yaml, .yml, .xml or .launch",
            ));
        }
    };
    read::file(&root)
}
