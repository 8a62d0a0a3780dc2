//! The errors of declaring, reading and setting a parameter.

use saltus_types::NameError;

use crate::ParameterType;

/// Why a parameter can't be declared, read or set. A remote caller receives the text of the error.
#[derive(Clone, PartialEq, thiserror::Error)]
pub enum ParameterError {
    /// The name is invalid.
    #[error(transparent)]
    Name(#[from] NameError),
    /// The parameter is declared already.
    #[error("parameter '{0}' is declared already")]
    AlreadyDeclared(String),
    /// The parameter is not declared.
    #[error("parameter '{0}' is not declared")]
    NotDeclared(String),
    /// The parameter was declared with only a type, and it has not been set.
    #[error("parameter '{0}' has no value yet")]
    NotInitialized(String),
    /// The parameter has another type.
    #[error("parameter '{name}' has the type {expected}, not {found}")]
    Type {
        /// The name of the parameter.
        name: String,
        /// The type that the parameter has.
        expected: ParameterType,
        /// The type of the value, or the type that was requested.
        found: ParameterType,
    },
    /// The parameter gets its value when it is declared, and can't be changed later.
    #[error("parameter '{0}' is read-only")]
    ReadOnly(String),
    /// The value is not in the range of the parameter.
    #[error("parameter '{name}': {value} is not in the range {range}")]
    Range {
        /// The name of the parameter.
        name: String,
        /// The value, as text.
        value: String,
        /// The range, as text.
        range: String,
    },
    /// The value that the user has given for a parameter can't be used.
    #[error("{error}{} ({location})", hint(error))]
    Given {
        /// The reason why it can't be used.
        error: Box<Self>,
        /// The place where the user has given it, such as a file with a line.
        location: String,
    },
    /// A parameter with a fixed type was set to [`ParameterValue::NotSet`](crate::ParameterValue::NotSet). This
    /// undeclares only parameters of dynamic type.
    #[error("parameter '{0}' has a fixed type: it can't be undeclared by setting it to no value")]
    StaticUndeclare(String),
    /// The descriptor is not valid.
    #[error("parameter '{name}': {reason}")]
    Descriptor {
        /// The name of the parameter.
        name: String,
        /// The reason why the descriptor is invalid.
        reason: String,
    },
    /// A callback of the node rejected the value.
    #[error("{0}")]
    Rejected(String),
    /// A callback that runs before parameters are set removed all of them from the list.
    #[error("there is no parameter to set: a callback removed every parameter from the list")]
    Empty,
    /// A callback that checks parameters tried to set or declare one.
    #[error("parameters can't be set or declared in a callback that checks parameters")]
    InCallback,
}

/// Returns how a given value is written so that it has the expected type, for the mistake that is made most.
fn hint(error: &ParameterError) -> &'static str {
    use ParameterType::{Double, DoubleArray, Integer, IntegerArray};
    match error {
        ParameterError::Type { expected: Double | DoubleArray, found: Integer | IntegerArray, .. } => {
            ": a double has a decimal point, such as 50.0"
        }
        _ => "",
    }
}

saltus_types::debug_as_display!(ParameterError);
