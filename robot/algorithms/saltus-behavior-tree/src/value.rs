//! Values on blackboards.

use std::{any::Any, fmt, sync::Arc};

use crate::status::Status;

/// A value.
#[derive(Clone)]
pub enum Value {
    /// A whole number. A truth value is 0 or 1.
    Integer(i64),
    /// A number.
    Double(f64),
    /// A text.
    Text(Arc<str>),
    /// Anything else. Scripts can only copy it.
    Object(Arc<dyn Any + Send + Sync>),
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_text().unwrap_or_else(|| "<object>".into()))
    }
}

impl Value {
    /// Returns a text.
    pub fn text(text: &str) -> Self {
        Self::Text(text.into())
    }

    /// Returns a value that scripts can only copy.
    pub fn object<T: Send + Sync + 'static>(value: T) -> Self {
        Self::Object(Arc::new(value))
    }

    /// Returns the number, if the value is one.
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Integer(number) => Some(*number as f64),
            Self::Double(number) => Some(*number),
            Self::Text(_) | Self::Object(_) => None,
        }
    }

    /// Returns the value as a text, if that is possible.
    pub fn to_text(&self) -> Option<String> {
        match self {
            Self::Integer(number) => Some(number.to_string()),
            Self::Double(number) => Some(format!("{number:.6}")),
            Self::Text(text) => Some(text.to_string()),
            Self::Object(_) => None,
        }
    }

    /// Returns the name of the kind of value.
    pub(crate) fn kind_name(&self) -> &'static str {
        match self {
            Self::Integer(_) => "int64_t",
            Self::Double(_) => "double",
            Self::Text(_) => "std::string",
            Self::Object(_) => "object",
        }
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Integer(number)
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self::Double(number)
    }
}

impl From<bool> for Value {
    fn from(is_true: bool) -> Self {
        Self::Integer(i64::from(is_true))
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text.into())
    }
}

/// A type to which a value can be converted.
pub trait FromValue: Sized {
    /// Returns the value as this type. Texts are read, as they come from XML.
    ///
    /// # Errors
    ///
    /// Returns the reason if that is not possible.
    fn from_value(value: &Value) -> Result<Self, String>;
}

impl FromValue for Value {
    fn from_value(value: &Value) -> Result<Self, String> {
        Ok(value.clone())
    }
}

impl FromValue for String {
    fn from_value(value: &Value) -> Result<Self, String> {
        value.to_text().ok_or_else(|| "an object can't be converted to a string".into())
    }
}

impl FromValue for i64 {
    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Integer(number) => Ok(*number),
            Value::Double(number) if number.fract() == 0.0 && number.abs() < 9e15 => Ok(*number as i64),
            Value::Double(number) => Err(format!("Can't convert {number} to integer")),
            Value::Text(text) => {
                text.parse().map_err(|_| format!("Can't convert string [{text}] to integer"))
            }
            Value::Object(_) => Err("an object can't be converted to an integer".into()),
        }
    }
}

impl FromValue for u64 {
    fn from_value(value: &Value) -> Result<Self, String> {
        let number = i64::from_value(value)?;
        Self::try_from(number)
            .map_err(|_| format!("Value out of bound when converting [{number}] to integer"))
    }
}

impl FromValue for f64 {
    fn from_value(value: &Value) -> Result<Self, String> {
        match (value, value.number()) {
            (_, Some(number)) => Ok(number),
            (Value::Text(text), _) => {
                text.parse().map_err(|_| format!("Can't convert string [{text}] to double"))
            }
            _ => Err("an object can't be converted to a double".into()),
        }
    }
}

impl FromValue for bool {
    fn from_value(value: &Value) -> Result<Self, String> {
        match (value, value.number()) {
            (_, Some(number)) => Ok(number != 0.0),
            (Value::Text(text), _) => match &**text {
                "1" | "true" | "True" | "TRUE" => Ok(true),
                "0" | "false" | "False" | "FALSE" => Ok(false),
                _ => Err("convertFromString(): invalid bool conversion".into()),
            },
            _ => Err("an object can't be converted to a bool".into()),
        }
    }
}

impl FromValue for Status {
    fn from_value(value: &Value) -> Result<Self, String> {
        String::from_value(value)?.parse()
    }
}

impl<T: Any + Send + Sync> FromValue for Arc<T> {
    fn from_value(value: &Value) -> Result<Self, String> {
        let Value::Object(object) = value else {
            return Err(format!("expected {}, found {value:?}", std::any::type_name::<T>()));
        };
        let object = object.clone().downcast();
        object.map_err(|_| format!("the object is not {}", std::any::type_name::<T>()))
    }
}
