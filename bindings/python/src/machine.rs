//! State machines as text: read and checked here, built in Python.

use pyo3::{exceptions::PyValueError, prelude::*};
use saltus::machine::Definition;

/// The definition in a YAML text, as JSON in which everything has one form. `ValueError` says where it is wrong.
#[pyfunction]
pub(crate) fn machine_definition(text: &str) -> PyResult<String> {
    let definition = Definition::from_yaml(text).map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(definition.to_json(None))
}
