//! The C names of types, fields and files. Structs have the names that ROS 2's C library gives them.

use saltus_idl::{Base, Primitive, TypeName};

use crate::files::snake_case;

/// Returns the name of a type, such as `std_msgs__msg__String`.
pub(super) fn c_name(name: &TypeName) -> String {
    format!("{}__{}__{}", name.package, name.kind, name.name)
}

/// Returns the name of a type on the wire, such as `std_msgs::msg::dds_::String_`.
pub(super) fn wire_name(name: &TypeName) -> String {
    format!("{}::{}::dds_::{}_", name.package, name.kind, name.name)
}

/// Returns the path of the file of a definition, such as `example_interfaces/srv/add_two_ints.h`.
pub(super) fn file_of(name: &TypeName, extension: &str) -> String {
    format!("{}/{}/{}.{extension}", name.package, name.kind, snake_case(&name.name))
}

/// Returns the C type of an element of a field.
pub(super) fn c_type(base: &Base) -> String {
    match base {
        Base::Primitive(primitive) => c_primitive(*primitive).into(),
        Base::String(_) => "saltus_string_t".into(),
        Base::WString(_) => "saltus_wstring_t".into(),
        Base::Nested(name) => c_name(name),
    }
}

fn c_primitive(primitive: Primitive) -> &'static str {
    match primitive {
        Primitive::Bool => "bool",
        Primitive::Byte | Primitive::Char | Primitive::Uint8 => "uint8_t",
        Primitive::Int8 => "int8_t",
        Primitive::Int16 => "int16_t",
        Primitive::Uint16 => "uint16_t",
        Primitive::Int32 => "int32_t",
        Primitive::Uint32 => "uint32_t",
        Primitive::Int64 => "int64_t",
        Primitive::Uint64 => "uint64_t",
        Primitive::Float32 => "float",
        Primitive::Float64 => "double",
    }
}
