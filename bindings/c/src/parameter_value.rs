//! The values of parameters.

use std::ffi::{CString, c_char, c_void};

use saltus::param::{Parameter as OwnParameter, ParameterValue};

use crate::{
    pointers::{self, Options},
    status::Failure,
};

/// No value.
pub const SALTUS_PARAMETER_NOT_SET: u8 = 0;
/// A `uint8_t`, 0 or 1.
pub const SALTUS_PARAMETER_BOOL: u8 = 1;
/// An `int64_t`.
pub const SALTUS_PARAMETER_INTEGER: u8 = 2;
/// A `double`.
pub const SALTUS_PARAMETER_DOUBLE: u8 = 3;
/// A text.
pub const SALTUS_PARAMETER_STRING: u8 = 4;
/// An array of `uint8_t`.
pub const SALTUS_PARAMETER_BYTE_ARRAY: u8 = 5;
/// An array of `uint8_t`, each 0 or 1.
pub const SALTUS_PARAMETER_BOOL_ARRAY: u8 = 6;
/// An array of `int64_t`.
pub const SALTUS_PARAMETER_INTEGER_ARRAY: u8 = 7;
/// An array of `double`.
pub const SALTUS_PARAMETER_DOUBLE_ARRAY: u8 = 8;
/// An array of texts.
pub const SALTUS_PARAMETER_STRING_ARRAY: u8 = 9;

/// The value of a parameter.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Value {
    /// The size of this struct: sizeof(saltus_value_t).
    pub struct_size: usize,
    /// One of SALTUS_PARAMETER_….
    pub r#type: u8,
    /// The value of SALTUS_PARAMETER_BOOL, 0 or 1.
    pub boolean: u8,
    /// The value of SALTUS_PARAMETER_INTEGER.
    pub integer: i64,
    /// The value of SALTUS_PARAMETER_DOUBLE.
    pub real: f64,
    /// The value of SALTUS_PARAMETER_STRING.
    pub text: *const c_char,
    /// The elements of an array.
    pub elements: *const c_void,
    /// The number of elements.
    pub count: usize,
}

// SAFETY: it is `repr(C)`, begins with its size, and has only numbers and pointers.
unsafe impl Options for Value {
    const NAME: &str = "saltus_value_t";

    fn defaults() -> Self {
        Self {
            struct_size: size_of::<Self>(),
            r#type: SALTUS_PARAMETER_NOT_SET,
            boolean: 0,
            integer: 0,
            real: 0.0,
            text: std::ptr::null(),
            elements: std::ptr::null(),
            count: 0,
        }
    }
}

/// The name and the value of a parameter.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// The name.
    pub name: *const c_char,
    /// The value.
    pub value: *const Value,
}

/// Reads parameters.
///
/// # Errors
/// Returns an error if a name or value is NULL or not valid.
pub(crate) fn read_all(first: *const Parameter, count: usize) -> Result<Vec<OwnParameter>, Failure> {
    let read_one = |one: &Parameter| {
        Ok(OwnParameter::new(pointers::text(one.name, "name of a parameter")?, read(one.value)?))
    };
    pointers::array(first, count, "parameters")?.iter().map(read_one).collect()
}

/// Reads a value. NULL is no value.
///
/// # Errors
/// Returns an error if its type is unknown, or if a text is NULL or not UTF-8.
pub(crate) fn read(value: *const Value) -> Result<ParameterValue, Failure> {
    let value = pointers::options(value)?;
    let count = value.count;
    Ok(match value.r#type {
        SALTUS_PARAMETER_NOT_SET => ParameterValue::NotSet,
        SALTUS_PARAMETER_BOOL => ParameterValue::Bool(value.boolean != 0),
        SALTUS_PARAMETER_INTEGER => ParameterValue::Integer(value.integer),
        SALTUS_PARAMETER_DOUBLE => ParameterValue::Double(value.real),
        SALTUS_PARAMETER_STRING => {
            ParameterValue::String(pointers::text(value.text, "text of a parameter")?.to_owned())
        }
        SALTUS_PARAMETER_BYTE_ARRAY => {
            ParameterValue::ByteArray(pointers::array(value.elements.cast(), count, "bytes")?.to_vec())
        }
        SALTUS_PARAMETER_BOOL_ARRAY => {
            let flags: &[u8] = pointers::array(value.elements.cast(), count, "flags")?;
            ParameterValue::BoolArray(flags.iter().map(|flag| *flag != 0).collect())
        }
        SALTUS_PARAMETER_INTEGER_ARRAY => {
            ParameterValue::IntegerArray(pointers::array(value.elements.cast(), count, "integers")?.to_vec())
        }
        SALTUS_PARAMETER_DOUBLE_ARRAY => {
            ParameterValue::DoubleArray(pointers::array(value.elements.cast(), count, "numbers")?.to_vec())
        }
        SALTUS_PARAMETER_STRING_ARRAY => {
            let texts = pointers::texts(value.elements.cast(), count, "text of a parameter")?;
            ParameterValue::StringArray(texts.into_iter().map(str::to_owned).collect())
        }
        other => return Err(Failure::argument(format!("no parameter has the type {other}"))),
    })
}

/// A value in the form of C, with the memory that it points to.
#[derive(Debug)]
pub(crate) struct Held {
    value: Value,
    /// Never read in Rust: `value` points into it.
    _memory: Memory,
}

/// The memory of a value.
#[derive(Debug)]
enum Memory {
    None,
    Text(#[expect(dead_code, reason = "a value points to it")] CString),
    Bytes(#[expect(dead_code, reason = "a value points to it")] Vec<u8>),
    Integers(#[expect(dead_code, reason = "a value points to it")] Vec<i64>),
    Numbers(#[expect(dead_code, reason = "a value points to it")] Vec<f64>),
    Texts(
        #[expect(dead_code, reason = "a value points to it")] Vec<*const c_char>,
        #[expect(dead_code, reason = "the pointers point to them")] Vec<CString>,
    ),
}

impl Held {
    pub(crate) fn new(value: &ParameterValue) -> Self {
        let mut held = Value { r#type: value.type_id(), ..Value::defaults() };
        let memory = match value {
            ParameterValue::NotSet => Memory::None,
            ParameterValue::Bool(flag) => {
                held.boolean = u8::from(*flag);
                Memory::None
            }
            ParameterValue::Integer(integer) => {
                held.integer = *integer;
                Memory::None
            }
            ParameterValue::Double(real) => {
                held.real = *real;
                Memory::None
            }
            ParameterValue::String(text) => {
                let text = zero_ended(text);
                held.text = text.as_ptr();
                Memory::Text(text)
            }
            ParameterValue::ByteArray(bytes) => held.array(bytes.clone(), Memory::Bytes),
            ParameterValue::BoolArray(flags) => {
                held.array(flags.iter().map(|flag| u8::from(*flag)).collect(), Memory::Bytes)
            }
            ParameterValue::IntegerArray(integers) => held.array(integers.clone(), Memory::Integers),
            ParameterValue::DoubleArray(numbers) => held.array(numbers.clone(), Memory::Numbers),
            ParameterValue::StringArray(texts) => {
                let texts: Vec<CString> = texts.iter().map(|text| zero_ended(text)).collect();
                let pointers = texts.iter().map(|text| text.as_ptr()).collect();
                held.array(pointers, |pointers| Memory::Texts(pointers, texts))
            }
        };
        Self { value: held, _memory: memory }
    }

    /// Returns the value. It is valid as long as this object.
    pub(crate) fn value(&self) -> &Value {
        &self.value
    }
}

impl Value {
    /// Makes an array the value. The memory of a vector stays where it is when the vector is moved.
    fn array<T>(&mut self, elements: Vec<T>, keep: impl FnOnce(Vec<T>) -> Memory) -> Memory {
        (self.elements, self.count) = (elements.as_ptr().cast(), elements.len());
        keep(elements)
    }
}

/// Returns a text that ends with a zero byte. Zero bytes within it are left out.
pub(crate) fn zero_ended(text: &str) -> CString {
    CString::new(text.bytes().filter(|byte| *byte != 0).collect::<Vec<_>>()).unwrap_or_default()
}

/// Parameters in the form of C, with the memory that they point to.
#[derive(Debug, Default)]
pub(crate) struct HeldParameters {
    all: Vec<Parameter>,
    /// Never read in Rust: `all` points into it. A box, because the values must stay where they are.
    _memory: Vec<(CString, Box<Held>)>,
}

impl HeldParameters {
    pub(crate) fn new(parameters: &[OwnParameter]) -> Self {
        let memory: Vec<_> =
            parameters.iter().map(|one| (zero_ended(&one.name), Box::new(Held::new(&one.value)))).collect();
        let all = memory
            .iter()
            .map(|(name, value)| Parameter { name: name.as_ptr(), value: value.value() })
            .collect();
        Self { all, _memory: memory }
    }

    pub(crate) fn as_slice(&self) -> &[Parameter] {
        &self.all
    }
}
