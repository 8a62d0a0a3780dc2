//! The values of parameters.

/// The value of a parameter. The variants are the types of `rcl_interfaces/msg/ParameterType`.
#[derive(Clone, Debug, PartialEq, Default)]
pub enum ParameterValue {
    /// Type 0: no value.
    #[default]
    NotSet,
    /// Type 1.
    Bool(bool),
    /// Type 2.
    Integer(i64),
    /// Type 3.
    Double(f64),
    /// Type 4.
    String(String),
    /// Type 5.
    ByteArray(Vec<u8>),
    /// Type 6.
    BoolArray(Vec<bool>),
    /// Type 7.
    IntegerArray(Vec<i64>),
    /// Type 8.
    DoubleArray(Vec<f64>),
    /// Type 9.
    StringArray(Vec<String>),
}

impl ParameterValue {
    /// Returns the number of this value's type in `rcl_interfaces/msg/ParameterType`.
    ///
    /// ```
    /// assert_eq!(saltus::param::ParameterValue::Double(1.0).type_id(), 3);
    /// ```
    pub const fn type_id(&self) -> u8 {
        match self {
            Self::NotSet => 0,
            Self::Bool(_) => 1,
            Self::Integer(_) => 2,
            Self::Double(_) => 3,
            Self::String(_) => 4,
            Self::ByteArray(_) => 5,
            Self::BoolArray(_) => 6,
            Self::IntegerArray(_) => 7,
            Self::DoubleArray(_) => 8,
            Self::StringArray(_) => 9,
        }
    }
}
