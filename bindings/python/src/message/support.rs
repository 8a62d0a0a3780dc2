//! Types that are known at run time. The class of a type and all instances of the class share it.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use pyo3::{exceptions::PyTypeError, prelude::*, sync::PyOnceLock, types::PyType};
use saltus::generic::TypeId;
use saltus::types::lock;
use saltus_catalog::{Catalog, InterfaceFolder, Typed};
use saltus_dynamic::{Element, Field, Literal, Primitive, Schema, Shape, Type};
use saltus_idl::{Base, TypeName};

use crate::errors;

/// A message type, with the types that it refers to.
pub(crate) struct Support {
    pub(crate) schema: Schema,
    pub(crate) id: TypeId,
    /// For each field the type of its elements, if they are messages.
    pub(crate) nested: Vec<Option<Arc<Support>>>,
    registry: Arc<Registry>,
    class: PyOnceLock<Py<PyType>>,
}

impl Support {
    pub(crate) fn fields(&self) -> &[Field] {
        self.schema.fields()
    }

    /// Returns the class of the type. The first call creates the class.
    pub(crate) fn class<'py>(&self, py: Python<'py>) -> PyResult<&Bound<'py, PyType>> {
        let class = self.class.get_or_try_init(py, || -> PyResult<_> {
            let maker = self.registry.maker.0.get(py);
            let maker = maker.ok_or_else(|| PyTypeError::new_err("no class maker was set"))?;
            Ok(maker.bind(py).call1((self.id.name.as_str(),))?.cast_into::<PyType>()?.unbind())
        })?;
        Ok(class.bind(py))
    }
}

/// The Python function that creates classes, once it is set.
struct ClassMaker(PyOnceLock<Py<PyAny>>);

impl Default for ClassMaker {
    fn default() -> Self {
        Self(PyOnceLock::new())
    }
}

/// All types that were used so far.
#[derive(Default)]
struct Registry {
    catalog: Mutex<Catalog>,
    known: Mutex<HashMap<String, Arc<Support>>>,
    /// Creates the class of a type, given the name of the type.
    maker: ClassMaker,
}

impl Registry {
    fn support(self: &Arc<Self>, name: &str) -> PyResult<Arc<Support>> {
        if let Some(known) = lock(&self.known).get(name) {
            return Ok(known.clone());
        }
        let Typed { schema, hash, description } =
            lock(&self.catalog).typed(name).map_err(errors::interface)?;
        let of_field = |field: &Field| match &field.ty.element {
            Element::Message(schema) => self.support(schema.name()).map(Some),
            _ => Ok(None),
        };
        let nested = schema.fields().iter().map(of_field).collect::<PyResult<_>>()?;
        let id = TypeId { name: schema.name().to_owned(), hash, description: Some(description) };
        let class = PyOnceLock::new();
        let support = Arc::new(Support { schema, id, nested, registry: self.clone(), class });
        let mut known = lock(&self.known);
        Ok(known.entry(support.id.name.clone()).or_insert(support).clone())
    }
}

/// The available interface definitions: the bundled ones, and those in folders.
#[pyclass(frozen, module = "saltus._native")]
pub(crate) struct Interfaces(Arc<Registry>);

#[pymethods]
impl Interfaces {
    /// Reads `SALTUS_INTERFACE_PATH` and `AMENT_PREFIX_PATH`.
    #[new]
    fn new() -> Self {
        let (catalog, _) = Catalog::from_environment();
        Self(Arc::new(Registry { catalog: Mutex::new(catalog), ..Registry::default() }))
    }

    /// Sets the function that creates the class of a type, given the name of the type.
    fn set_class_maker(&self, py: Python<'_>, maker: Py<PyAny>) -> PyResult<()> {
        let again = |_| PyTypeError::new_err("there is a class maker already");
        self.0.maker.0.set(py, maker).map_err(again)
    }

    /// Adds a folder of packages, which is searched before all others.
    fn add_folder(&self, folder: std::path::PathBuf) -> PyResult<()> {
        let folder = InterfaceFolder::new(folder).map_err(errors::interface)?;
        lock(&self.0.catalog).add_folder(folder);
        Ok(())
    }

    /// Returns every definition as (package, kind, name), sorted.
    fn definitions(&self) -> Vec<(String, &'static str, String)> {
        let listed = lock(&self.0.catalog).list();
        listed.into_iter().map(|one| (one.package, one.kind, one.name)).collect()
    }

    /// Returns the type with a full name.
    fn support(&self, name: &str) -> PyResult<TypeSupport> {
        self.0.support(name).map(TypeSupport)
    }
}

/// A message, service or action type.
#[pyclass(frozen, module = "saltus._native")]
pub(crate) struct TypeSupport(pub(crate) Arc<Support>);

#[pymethods]
impl TypeSupport {
    /// The full name of the type, such as `std_msgs/msg/String`.
    #[getter]
    fn name(&self) -> &str {
        &self.0.id.name
    }

    /// The hash of the type, `RIHS01_…`.
    #[getter]
    fn hash(&self) -> String {
        self.0.id.hash.to_string()
    }

    /// The names of the fields and their types, in the form of `get_fields_and_field_types`.
    #[getter]
    fn fields(&self) -> Vec<(&str, String)> {
        self.0.fields().iter().map(|field| (field.name.as_str(), type_text(&field.ty))).collect()
    }

    /// Returns the type of a field's elements, if they are messages.
    fn nested(&self, field: usize) -> Option<Self> {
        self.0.nested.get(field).cloned().flatten().map(Self)
    }

    /// Returns the names and values of the constants of the type.
    fn constants<'py>(&self, py: Python<'py>) -> PyResult<Vec<(String, Bound<'py, PyAny>)>> {
        let catalog = lock(&self.0.registry.catalog);
        let Some(message) = catalog.interfaces().message(&self.0.id.name) else { return Ok(Vec::new()) };
        let value = |one: &saltus_idl::Constant| Ok((one.name.clone(), constant(py, &one.ty, &one.value)?));
        message.constants.iter().map(value).collect()
    }

    fn __repr__(&self) -> String {
        format!("TypeSupport('{}')", self.0.id.name)
    }
}

fn constant<'py>(py: Python<'py>, ty: &Base, value: &Literal) -> PyResult<Bound<'py, PyAny>> {
    match (ty, value) {
        (Base::Primitive(Primitive::Byte), Literal::Integer(byte)) => {
            Ok(pyo3::types::PyBytes::new(py, &[*byte as u8]).into_any())
        }
        (_, value) => literal(py, value),
    }
}

/// Converts a literal to Python.
pub(crate) fn literal<'py>(py: Python<'py>, value: &Literal) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Literal::Bool(value) => value.into_pyobject(py)?.to_owned().into_any(),
        Literal::Integer(value) => value.into_pyobject(py)?.into_any(),
        Literal::Float(value) => value.into_pyobject(py)?.into_any(),
        Literal::Text(value) => value.into_pyobject(py)?.into_any(),
        Literal::List(values) => {
            let items = values.iter().map(|one| literal(py, one)).collect::<PyResult<Vec<_>>>()?;
            items.into_pyobject(py)?
        }
    })
}

/// Returns a type in the form of `get_fields_and_field_types` of a ROS 2 class: `sequence<double>`,
/// `std_msgs/Header`.
fn type_text(ty: &Type) -> String {
    let element = match &ty.element {
        Element::Primitive(primitive) => match primitive {
            Primitive::Bool => "boolean".into(),
            Primitive::Byte => "octet".into(),
            Primitive::Char => "uint8".into(),
            Primitive::Float32 => "float".into(),
            Primitive::Float64 => "double".into(),
            integer => integer.to_string(),
        },
        Element::String(None) => "string".into(),
        Element::String(Some(bound)) => format!("string<{bound}>"),
        Element::WString(None) => "wstring".into(),
        Element::WString(Some(bound)) => format!("wstring<{bound}>"),
        Element::Message(schema) => short_name(schema.name()),
    };
    match ty.shape {
        Shape::Scalar => element,
        Shape::Array(count) => format!("{element}[{count}]"),
        Shape::Bounded(bound) => format!("sequence<{element}, {bound}>"),
        Shape::Unbounded => format!("sequence<{element}>"),
    }
}

fn short_name(name: &str) -> String {
    match name.parse::<TypeName>() {
        Ok(name) => format!("{}/{}", name.package, name.name),
        Err(_) => name.to_owned(),
    }
}
