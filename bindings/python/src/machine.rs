//! State machines as text. This module reads and checks them; Python code builds them.

use pyo3::{exceptions::PyValueError, prelude::*};
use saltus::machine::Definition;

/// Reads a definition from a YAML text. Returns it as JSON, in which each thing is written in one form only. The
/// message of a `ValueError` gives the position of the error in the text.
#[pyfunction]
pub(crate) fn machine_definition(text: &str) -> PyResult<String> {
    let definition = Definition::from_yaml(text).map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(definition.to_json(None))
}
