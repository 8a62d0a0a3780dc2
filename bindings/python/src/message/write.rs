//! Encodes Python values into serialized bytes. Small values are encoded at once. A large array is copied once,
//! directly into the memory for the message.

use std::sync::Arc;

use numpy::PyUntypedArray;
use pyo3::{
    intern,
    prelude::*,
    types::{PyBytes, PyString},
};
use saltus::cdr::ENCAPSULATION;
use saltus_dynamic::{Element, Primitive, Shape, Type};

use super::{array, array::Numbers, object::Message, received::Received, support::Support};
use crate::errors;

/// From this size in bytes on, an array is not copied before the memory for the message is known.
const EXTERNAL: usize = 1024;

/// A range of a message that is reserved for an array. The array is written later.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reserved {
    /// The start in the body, in bytes.
    pub(crate) start: usize,
    /// The length in bytes.
    pub(crate) len: usize,
    pub(crate) primitive: Primitive,
}

/// A part of the body that is not in the inline bytes, but lies between two parts of them.
#[derive(Debug)]
enum External {
    Numbers(Numbers),
    /// The body of a message that was received and is forwarded.
    Body(Arc<Received>),
    Reserved(usize),
}

impl External {
    fn len(&self) -> usize {
        match self {
            Self::Numbers(numbers) => numbers.len(),
            Self::Body(received) => received.bytes().len() - ENCAPSULATION.len(),
            Self::Reserved(len) => *len,
        }
    }
}

/// An encoded message that can be written to its memory.
#[derive(Debug, Default)]
pub(crate) struct Encoded {
    /// The body without the external parts.
    inline: Vec<u8>,
    /// The external parts, each with the number of inline bytes before it.
    external: Vec<(usize, External)>,
    external_len: usize,
    reserved: Vec<(String, Reserved)>,
}

impl Encoded {
    /// Encodes a message.
    pub(crate) fn of(message: &Bound<'_, Message>) -> PyResult<Self> {
        let mut encoded = Self::default();
        let pristine = message.borrow().pristine();
        match pristine {
            Some(received) => {
                encoded.external_len = received.bytes().len() - ENCAPSULATION.len();
                encoded.external.push((0, External::Body(received)));
            }
            None => encoded.message(message)?,
        }
        Ok(encoded)
    }

    /// Encodes a message, except for the arrays of numbers in `lengths`. For each of these, reserves a range for the
    /// given number of elements.
    pub(crate) fn with_reserved(message: &Bound<'_, Message>, lengths: &[(String, usize)]) -> PyResult<Self> {
        let support = message.borrow().support().clone();
        if let Some((name, _)) = lengths.iter().find(|(name, _)| support.schema.position(name).is_none()) {
            return Err(errors::field(format!("{} has no field '{name}'", support.id.name)));
        }
        let mut encoded = Self::default();
        for (index, field) in support.fields().iter().enumerate() {
            match lengths.iter().find(|(name, _)| *name == field.name) {
                Some((name, count)) => encoded.reserve(name, &field.ty, *count)?,
                None => encoded.field(&support, index, &Message::field(message, index)?)?,
            }
        }
        Ok(encoded)
    }

    fn reserve(&mut self, name: &str, ty: &Type, count: usize) -> PyResult<()> {
        let (Element::Primitive(primitive), false) = (&ty.element, ty.shape == Shape::Scalar) else {
            return Err(errors::field(format!("'{name}' is not an array of numbers")));
        };
        self.counted(ty, count)?;
        if count > 0 {
            self.align(primitive.size());
        }
        let len = count * primitive.size();
        let range = Reserved { start: self.body_len(), len, primitive: *primitive };
        self.reserved.push((name.to_owned(), range));
        self.external_len += len;
        self.external.push((self.inline.len(), External::Reserved(len)));
        Ok(())
    }

    /// Returns the reserved ranges, with the names of their fields.
    pub(crate) fn reserved(&self) -> &[(String, Reserved)] {
        &self.reserved
    }

    /// Returns the length of the message in bytes, including the encapsulation header.
    pub(crate) fn len(&self) -> usize {
        ENCAPSULATION.len() + self.body_len()
    }

    fn body_len(&self) -> usize {
        self.inline.len() + self.external_len
    }

    /// Writes the message to `buffer`, whose length must be that of the message.
    pub(crate) fn write(&self, buffer: &mut [u8]) {
        let (header, mut rest) = buffer.split_at_mut(ENCAPSULATION.len());
        header.copy_from_slice(&ENCAPSULATION);
        let mut written = 0;
        for (at, external) in &self.external {
            let inline = &self.inline[written..*at];
            rest[..inline.len()].copy_from_slice(inline);
            let (here, behind) = rest[inline.len()..].split_at_mut(external.len());
            match external {
                External::Numbers(numbers) => numbers.copy_to(here),
                External::Body(received) => here.copy_from_slice(&received.bytes()[ENCAPSULATION.len()..]),
                External::Reserved(_) => {}
            }
            (rest, written) = (behind, *at);
        }
        rest[..self.inline.len() - written].copy_from_slice(&self.inline[written..]);
    }

    /// Returns the message as a vector.
    pub(crate) fn to_vec(&self) -> Vec<u8> {
        let mut bytes = vec![0; self.len()];
        self.write(&mut bytes);
        bytes
    }

    fn align(&mut self, align: usize) {
        let padding = self.body_len().next_multiple_of(align) - self.body_len();
        self.inline.resize(self.inline.len() + padding, 0);
    }

    fn put(&mut self, bytes: &[u8]) {
        self.align(bytes.len());
        self.inline.extend_from_slice(bytes);
    }

    fn count(&mut self, count: usize) -> PyResult<()> {
        let count = u32::try_from(count)
            .map_err(|_| errors::field(format!("{count} elements do not fit into a message")))?;
        self.put(&count.to_le_bytes());
        Ok(())
    }

    fn message(&mut self, message: &Bound<'_, Message>) -> PyResult<()> {
        let py = message.py();
        let support = message.borrow().support().clone();
        if support.fields().is_empty() {
            self.put(&[0]);
        }
        for field in 0..support.fields().len() {
            let value = message.borrow().value(py, field);
            let value = match value {
                Some(value) => value,
                // A field that was not changed is decoded too, because its alignment here may differ from that in its
                // source.
                None => Message::field(message, field)?,
            };
            self.field(&support, field, &value)?;
        }
        Ok(())
    }

    fn field(&mut self, support: &Support, field: usize, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let ty = &support.fields()[field].ty;
        match (&ty.element, ty.shape) {
            (element, Shape::Scalar) => self.element(element, value),
            (Element::Primitive(primitive), _) => self.numbers(ty, *primitive, value),
            (element, _) => {
                let count = value.len()?;
                self.counted(ty, count)?;
                each(count, value, |one| self.element(element, one))
            }
        }
        .map_err(|error| named(error, value.py(), &support.fields()[field].name))
    }

    /// Writes the count of a sequence. The count of an array is not written, because its type gives it.
    fn counted(&mut self, ty: &Type, count: usize) -> PyResult<()> {
        match ty.shape {
            Shape::Array(fixed) if fixed as usize != count => {
                Err(errors::field(format!("expected an array of {fixed} elements, found {count}")))
            }
            Shape::Bounded(bound) if count > bound as usize => {
                Err(errors::field(format!("expected a sequence of at most {bound} elements, found {count}")))
            }
            Shape::Array(_) | Shape::Scalar => Ok(()),
            _ => self.count(count),
        }
    }

    fn numbers(&mut self, ty: &Type, primitive: Primitive, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let count = value.len()?;
        self.counted(ty, count)?;
        if count > 0 {
            self.align(primitive.size());
        }
        if value.cast::<PyUntypedArray>().is_ok() || array::is_array(value)? {
            return self.array(primitive, count, value);
        }
        each(count, value, |one| self.number(primitive, one))
    }

    fn array(&mut self, primitive: Primitive, count: usize, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = value.py();
        let len = count * primitive.size();
        if len < EXTERNAL {
            let bytes = value.call_method0(intern!(py, "tobytes"))?;
            let bytes = bytes.cast::<PyBytes>()?.as_bytes();
            fits(bytes.len(), count, primitive)?;
            self.inline.extend_from_slice(bytes);
            return Ok(());
        }
        let numbers = match value.cast::<PyUntypedArray>() {
            Ok(array) => Numbers::of(array)?,
            Err(_) => Numbers::of(
                &array::numpy_function(py, "frombuffer")?.call1((value, array::dtype_of(py, primitive)))?,
            )?,
        };
        fits(numbers.len(), count, primitive)?;
        self.external_len += len;
        self.external.push((self.inline.len(), External::Numbers(numbers)));
        Ok(())
    }

    fn element(&mut self, element: &Element, value: &Bound<'_, PyAny>) -> PyResult<()> {
        match element {
            Element::Primitive(primitive) => self.number(*primitive, value),
            Element::String(_) => self.string(value),
            Element::WString(_) => {
                let text = value.cast::<PyString>()?.to_cow()?;
                self.count(text.encode_utf16().count())?;
                text.encode_utf16().for_each(|unit| self.put(&u32::from(unit).to_le_bytes()));
                Ok(())
            }
            Element::Message(_) => self.message(value.cast::<Message>()?),
        }
    }

    fn string(&mut self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let text = value.cast::<PyString>()?.to_cow()?;
        self.count(text.len() + 1)?;
        self.inline.extend_from_slice(text.as_bytes());
        self.inline.push(0);
        Ok(())
    }

    fn number(&mut self, primitive: Primitive, value: &Bound<'_, PyAny>) -> PyResult<()> {
        match primitive {
            Primitive::Bool => self.put(&[u8::from(value.is_truthy()?)]),
            Primitive::Byte => match value.cast::<PyBytes>() {
                Ok(byte) => self.put(byte.as_bytes().get(..1).unwrap_or(&[0])),
                Err(_) => self.put(&[value.extract::<u8>()?]),
            },
            Primitive::Char | Primitive::Uint8 => self.put(&value.extract::<u8>()?.to_le_bytes()),
            Primitive::Int8 => self.put(&value.extract::<i8>()?.to_le_bytes()),
            Primitive::Int16 => self.put(&value.extract::<i16>()?.to_le_bytes()),
            Primitive::Uint16 => self.put(&value.extract::<u16>()?.to_le_bytes()),
            Primitive::Int32 => self.put(&value.extract::<i32>()?.to_le_bytes()),
            Primitive::Uint32 => self.put(&value.extract::<u32>()?.to_le_bytes()),
            Primitive::Int64 => self.put(&value.extract::<i64>()?.to_le_bytes()),
            Primitive::Uint64 => self.put(&value.extract::<u64>()?.to_le_bytes()),
            Primitive::Float32 => self.put(&(value.extract::<f64>()? as f32).to_le_bytes()),
            Primitive::Float64 => self.put(&value.extract::<f64>()?.to_le_bytes()),
        }
        Ok(())
    }
}

/// Calls `work` with each element, and checks that there are `count` elements. This can fail: the length of a sequence
/// of any class may differ from the number of elements that its iterator returns.
fn each<'py>(
    count: usize,
    value: &Bound<'py, PyAny>,
    mut work: impl FnMut(&Bound<'py, PyAny>) -> PyResult<()>,
) -> PyResult<()> {
    let mut found = 0;
    for one in value.try_iter()? {
        work(&one?)?;
        found += 1;
    }
    if found != count {
        return Err(errors::field(format!("its length is {count}, but it has {found} elements")));
    }
    Ok(())
}

/// Returns an error if the shape or type of an array was changed after it was assigned.
fn fits(len: usize, count: usize, primitive: Primitive) -> PyResult<()> {
    if len != count * primitive.size() {
        return Err(errors::field(format!("expected {count} elements of `{primitive}`, found {len} bytes")));
    }
    Ok(())
}

/// Adds the name of the field to an error.
fn named(error: PyErr, py: Python<'_>, field: &str) -> PyErr {
    errors::field(format!("The '{field}' field can't be written: {}", error.value(py)))
}
