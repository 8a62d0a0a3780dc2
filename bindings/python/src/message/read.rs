//! Decodes received bytes into Python values, one field at a time.

use pyo3::{
    IntoPyObjectExt,
    prelude::*,
    types::{PyBytes, PyList, PyString},
};
use saltus::cdr::{Cdr, Reader, WString};
use saltus_dynamic::{Element, Literal, Primitive, Shape, Type, count_of};

use super::{
    array,
    object::Message,
    received::{Arrays, Memory},
    source::Source,
    support::{Support, literal},
};
use crate::errors;

impl Message {
    /// Returns the value of a field. Creates it when it is read for the first time.
    pub(crate) fn field<'py>(this: &Bound<'py, Self>, field: usize) -> PyResult<Bound<'py, PyAny>> {
        let py = this.py();
        let (support, source) = {
            let message = this.borrow();
            if let Some(value) = message.value(py, field) {
                return Ok(value);
            }
            (message.support.clone(), message.source.clone())
        };
        // The message is not borrowed here, because creating a value may run any code.
        let (value, is_fixed) = match source {
            Some(source) => {
                (source.field(py, &support, field)?, source.is_fixed(&support.fields()[field].ty))
            }
            None => (default_of(py, &support, field)?, false),
        };
        let mut message = this.borrow_mut();
        message.is_touched |= !is_fixed;
        let kept = message.values[field].get_or_insert_with(|| value.unbind());
        Ok(kept.bind(py).clone())
    }
}

impl Source {
    /// Creates the value of a field.
    pub(crate) fn field<'py>(
        &self,
        py: Python<'py>,
        support: &Support,
        field: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        let ty = &support.fields()[field].ty;
        let nested = support.nested[field].as_deref();
        let offset = self.offsets[field] as usize;
        let mut reader = self.bytes.reader_at(offset).map_err(errors::serialization)?;
        if ty.shape == Shape::Scalar {
            return self.element(py, &ty.element, nested, &mut reader);
        }
        let count = count_of(ty, &mut reader).map_err(errors::serialization)?;
        match ty.element {
            Element::Primitive(primitive) => self.numbers(py, ty, primitive, count, &mut reader),
            _ => self.list(py, ty, nested, count, &mut reader),
        }
    }

    fn list<'py>(
        &self,
        py: Python<'py>,
        ty: &Type,
        nested: Option<&Support>,
        count: usize,
        reader: &mut Reader<'_>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let items = PyList::empty(py);
        for _ in 0..count {
            items.append(self.element(py, &ty.element, nested, reader)?)?;
        }
        Ok(items.into_any())
    }

    fn numbers<'py>(
        &self,
        py: Python<'py>,
        ty: &Type,
        primitive: Primitive,
        count: usize,
        reader: &mut Reader<'_>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let align = if count == 0 { 1 } else { primitive.size() };
        let swaps = reader.swaps() && primitive.size() > 1;
        let bytes = reader.take(align, count * primitive.size()).map_err(errors::serialization)?;
        let swapped: Vec<u8>;
        let bytes = if swaps {
            swapped = bytes
                .chunks_exact(primitive.size())
                .flat_map(|number| number.iter().rev().copied())
                .collect();
            &swapped
        } else {
            bytes
        };
        match (self.arrays, array::type_code(primitive), ty.shape) {
            (Arrays::Borrowed, ..) if !swaps => {
                let owner = Bound::new(py, Memory(self.bytes.clone()))?.into_any();
                // SAFETY: `bytes` lies within the received bytes, which stay unchanged while `owner` lives.
                unsafe { array::borrowed(bytes, primitive, owner) }
            }
            (Arrays::Borrowed, ..) | (_, Some(_), Shape::Array(_)) => array::copied(py, bytes, primitive),
            (_, Some(code), _) => array::array_of(py, code, bytes),
            (_, None, _) if primitive == Primitive::Bool => {
                Ok(PyList::new(py, bytes.iter().map(|byte| *byte != 0))?.into_any())
            }
            (_, None, _) => {
                Ok(PyList::new(py, bytes.iter().map(|byte| PyBytes::new(py, &[*byte])))?.into_any())
            }
        }
    }

    fn element<'py>(
        &self,
        py: Python<'py>,
        element: &Element,
        nested: Option<&Support>,
        reader: &mut Reader<'_>,
    ) -> PyResult<Bound<'py, PyAny>> {
        match (element, nested) {
            (Element::Primitive(primitive), _) => number(py, *primitive, reader),
            (Element::String(_), _) => {
                Ok(PyString::new(py, reader.str().map_err(errors::serialization)?).into_any())
            }
            (Element::WString(_), _) => {
                let text = WString::read(reader).map_err(errors::serialization)?;
                Ok(PyString::new(py, &text.to_string()).into_any())
            }
            (Element::Message(_), Some(nested)) => {
                let source = self.nested(nested, reader).map_err(errors::serialization)?;
                Message::received(py, nested, source)
            }
            (Element::Message(schema), None) => {
                Err(errors::serialization(format!("`{}` is not known", schema.name())))
            }
        }
    }
}

fn number<'py>(
    py: Python<'py>,
    primitive: Primitive,
    reader: &mut Reader<'_>,
) -> PyResult<Bound<'py, PyAny>> {
    fn read<'py, T: Cdr + IntoPyObjectExt<'py>>(
        py: Python<'py>,
        reader: &mut Reader<'_>,
    ) -> PyResult<Bound<'py, PyAny>> {
        T::read(reader).map_err(errors::serialization)?.into_bound_py_any(py)
    }
    match primitive {
        Primitive::Bool => read::<bool>(py, reader),
        Primitive::Byte => {
            let byte = u8::read(reader).map_err(errors::serialization)?;
            Ok(PyBytes::new(py, &[byte]).into_any())
        }
        Primitive::Char | Primitive::Uint8 => read::<u8>(py, reader),
        Primitive::Int8 => read::<i8>(py, reader),
        Primitive::Int16 => read::<i16>(py, reader),
        Primitive::Uint16 => read::<u16>(py, reader),
        Primitive::Int32 => read::<i32>(py, reader),
        Primitive::Uint32 => read::<u32>(py, reader),
        Primitive::Int64 => read::<i64>(py, reader),
        Primitive::Uint64 => read::<u64>(py, reader),
        Primitive::Float32 => read::<f32>(py, reader),
        Primitive::Float64 => read::<f64>(py, reader),
    }
}

/// Returns the value that a field has before it is set.
pub(crate) fn default_of<'py>(
    py: Python<'py>,
    support: &Support,
    field: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let definition = &support.fields()[field];
    let (ty, nested) = (&definition.ty, support.nested[field].as_deref());
    match (&definition.default, ty.shape, &ty.element) {
        (Some(given), Shape::Scalar, Element::Primitive(Primitive::Byte)) => byte(py, given),
        (Some(Literal::List(given)), _, Element::Primitive(Primitive::Byte)) => {
            let bytes = given.iter().map(|one| byte(py, one)).collect::<PyResult<Vec<_>>>()?;
            Ok(PyList::new(py, bytes)?.into_any())
        }
        (Some(given), Shape::Scalar, _) => literal(py, given),
        (Some(given), shape, Element::Primitive(primitive)) => match (array::type_code(*primitive), shape) {
            (Some(_), Shape::Array(_)) => {
                let new = array::numpy_function(py, "array")?;
                new.call1((literal(py, given)?, array::dtype_of(py, *primitive)))
            }
            (Some(code), _) => array::new_array(py, code, literal(py, given)?),
            _ => literal(py, given),
        },
        (Some(given), ..) => literal(py, given),
        (None, Shape::Scalar, element) => default_of_element(py, element, nested),
        (None, Shape::Array(count), Element::Primitive(primitive))
            if array::type_code(*primitive).is_some() =>
        {
            array::zeros(py, count as usize, *primitive)
        }
        (None, Shape::Array(count), element) => {
            let items = (0..count).map(|_| default_of_element(py, element, nested));
            Ok(PyList::new(py, items.collect::<PyResult<Vec<_>>>()?)?.into_any())
        }
        (None, _, Element::Primitive(primitive)) => match array::type_code(*primitive) {
            Some(code) => array::array_of(py, code, &[]),
            None => Ok(PyList::empty(py).into_any()),
        },
        (None, ..) => Ok(PyList::empty(py).into_any()),
    }
}

/// Converts the literal of a `byte` to Python: bytes of length 1.
fn byte<'py>(py: Python<'py>, value: &Literal) -> PyResult<Bound<'py, PyAny>> {
    let byte = literal(py, value)?.extract::<u8>()?;
    Ok(PyBytes::new(py, &[byte]).into_any())
}

fn default_of_element<'py>(
    py: Python<'py>,
    element: &Element,
    nested: Option<&Support>,
) -> PyResult<Bound<'py, PyAny>> {
    match (element, nested) {
        (Element::Primitive(Primitive::Bool), _) => false.into_bound_py_any(py),
        (Element::Primitive(Primitive::Byte), _) => Ok(PyBytes::new(py, &[0]).into_any()),
        (Element::Primitive(Primitive::Float32 | Primitive::Float64), _) => 0.0.into_bound_py_any(py),
        (Element::Primitive(_), _) => 0.into_bound_py_any(py),
        (Element::String(_) | Element::WString(_), _) => Ok(PyString::new(py, "").into_any()),
        (Element::Message(_), Some(nested)) => nested.class(py)?.call0(),
        (Element::Message(schema), None) => {
            Err(errors::serialization(format!("`{}` is not known", schema.name())))
        }
    }
}
