//! Why a parameter can't be had or set.

use saltus_types::NameError;

use crate::ParameterType;

/// Why a parameter can't be declared, read or set. Its text is what a remote caller is told.
#[derive(Clone, PartialEq, thiserror::Error)]
pub enum ParameterError {
    /// The name breaks the rules.
    #[error(transparent)]
    Name(#[from] NameError),
    /// It is declared already.
    #[error("parameter '{0}' has been declared already")]
    AlreadyDeclared(String),
    /// Nobody declared it.
    #[error("parameter '{0}' is not declared")]
    NotDeclared(String),
    /// It was declared by its type only, and nobody has set it.
    #[error("parameter '{0}' has no value yet")]
    NotInitialized(String),
    /// It has another type.
    #[error("parameter '{name}' is of type {expected}, and can't be {found}")]
    Type {
        /// Which one.
        name: String,
        /// The type that it has.
        expected: ParameterType,
        /// The type that was wanted of it.
        found: ParameterType,
    },
    /// It may be given a value at its declaration only.
    #[error("parameter '{0}' is read-only")]
    ReadOnly(String),
    /// Its value is out of range.
    #[error("parameter '{name}': {value} is not {range}")]
    Range {
        /// Which one.
        name: String,
        /// The value as text.
        value: String,
        /// What its range is, as text.
        range: String,
    },
    /// Only a parameter of dynamic type can be undeclared by setting it to nothing.
    #[error("parameter '{0}' has a fixed type: it can't be undeclared by setting it to nothing")]
    StaticUndeclare(String),
    /// Its descriptor makes no sense.
    #[error("parameter '{name}': {reason}")]
    Descriptor {
        /// Which one.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A callback of the node refused the value.
    #[error("{0}")]
    Rejected(String),
    /// A callback that was asked before parameters are set left none to be set.
    #[error("there is nothing to set: a callback has taken every parameter out of the list")]
    Empty,
    /// A callback that decides on parameters tried to set or declare one.
    #[error("parameters can't be set or declared in a callback that is asked about them")]
    InCallback,
}

saltus_types::debug_as_display!(ParameterError);
