//! The C names of types.

use saltus_idl::{Base, FieldType, Primitive, Shape, TypeName};

use crate::cpp::primitive;

/// Returns the full name of a type, such as `std_msgs__msg__String`.
pub(super) fn full(name: &TypeName) -> String {
    format!("{}__{}__{}", name.package, name.kind, name.name)
}

/// Returns the type of one element of a field.
pub(super) fn element(base: &Base) -> String {
    match base {
        Base::Primitive(primitive) => self::primitive(*primitive).into(),
        Base::String(_) => "rosidl_runtime_c__String".into(),
        Base::WString(_) => "rosidl_runtime_c__U16String".into(),
        Base::Nested(name) => full(name),
    }
}

/// Returns the type of a sequence of elements.
fn sequence(base: &Base) -> String {
    match base {
        Base::Primitive(primitive) => format!("rosidl_runtime_c__{}__Sequence", sequence_word(*primitive)),
        other => format!("{}__Sequence", element(other)),
    }
}

/// Returns how the name of a sequence names its numbers.
fn sequence_word(primitive: Primitive) -> &'static str {
    match primitive {
        Primitive::Bool => "boolean",
        Primitive::Byte => "octet",
        Primitive::Char | Primitive::Uint8 => "uint8",
        Primitive::Int8 => "int8",
        Primitive::Int16 => "int16",
        Primitive::Uint16 => "uint16",
        Primitive::Int32 => "int32",
        Primitive::Uint32 => "uint32",
        Primitive::Int64 => "int64",
        Primitive::Uint64 => "uint64",
        Primitive::Float32 => "float",
        Primitive::Float64 => "double",
    }
}

/// Returns the declaration of a field, such as `double covariance[36]`.
pub(super) fn declaration(ty: &FieldType, name: &str) -> String {
    match ty.shape {
        Shape::Scalar => format!("{} {name}", element(&ty.base)),
        Shape::Array(n) => format!("{} {name}[{n}]", element(&ty.base)),
        Shape::Bounded(_) | Shape::Unbounded => format!("{} {name}", sequence(&ty.base)),
    }
}
