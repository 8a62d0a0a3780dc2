//! Rust types that a parameter can have.

use saltus_types::ParameterValue;

use crate::ParameterType;

/// A Rust type that corresponds to one type of parameter.
///
/// ```
/// use saltus_param::{ParameterType, ParameterValue, ParameterVariant};
/// assert_eq!(f64::TYPE, ParameterType::Double);
/// assert_eq!(1.5.into_value(), ParameterValue::Double(1.5));
/// assert_eq!(f64::from_value(ParameterValue::Integer(1)), None, "a whole number is no double");
/// ```
pub trait ParameterVariant: Sized {
    /// The corresponding type of parameter.
    const TYPE: ParameterType;

    /// Converts this into the value of a parameter.
    fn into_value(self) -> ParameterValue;

    /// Converts the value of a parameter into this type. Returns `None` if the value has another type.
    fn from_value(value: ParameterValue) -> Option<Self>;
}

macro_rules! variant {
    ($($rust:ty => $variant:ident),+ $(,)?) => { $(
        impl ParameterVariant for $rust {
            const TYPE: ParameterType = ParameterType::$variant;

            fn into_value(self) -> ParameterValue {
                ParameterValue::$variant(self)
            }

            fn from_value(value: ParameterValue) -> Option<Self> {
                match value {
                    ParameterValue::$variant(value) => Some(value),
                    _ => None,
                }
            }
        }
    )+ };
}

variant! {
    bool => Bool,
    i64 => Integer,
    f64 => Double,
    String => String,
    Vec<u8> => ByteArray,
    Vec<bool> => BoolArray,
    Vec<i64> => IntegerArray,
    Vec<f64> => DoubleArray,
    Vec<String> => StringArray,
}
