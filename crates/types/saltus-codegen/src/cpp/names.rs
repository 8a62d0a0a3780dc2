//! The C++ names of types and files.

use saltus_idl::{Base, FieldType, Primitive, Shape, TypeName};

use crate::files::snake_case;

/// Returns the path of the file of a definition, such as `example_interfaces/srv/add_two_ints.hpp`.
pub(crate) fn file(name: &TypeName, extension: &str) -> String {
    format!("{}/{}/{}.{extension}", name.package, name.kind, snake_case(&name.name))
}

/// Returns the path of a part of a definition, such as `std_msgs/msg/detail/string__struct.hpp`.
pub(crate) fn detail(name: &TypeName, part: &str, extension: &str) -> String {
    format!("{}/{}/detail/{}__{part}.{extension}", name.package, name.kind, snake_case(&name.name))
}

/// Returns the macro that keeps a header from being read twice.
pub(super) fn guard(path: &str) -> String {
    path.replace('/', "__").replace('.', "_").to_uppercase() + "_"
}

/// Returns the full name of a type, such as `std_msgs::msg::String`.
pub(super) fn full(name: &TypeName) -> String {
    format!("{}::{}::{}", name.package, name.kind, name.name)
}

/// Returns the opening of the namespace of a type.
pub(super) fn open_namespace(name: &TypeName) -> String {
    format!("namespace {}::{}\n{{\n", name.package, name.kind)
}

/// Returns the end of the namespace of a type.
pub(super) fn close_namespace(name: &TypeName) -> String {
    format!("}}  // namespace {}::{}\n", name.package, name.kind)
}

/// Returns the type of one element of a field, in a template with the parameter `ContainerAllocator`.
pub(super) fn element(base: &Base) -> String {
    match base {
        Base::Primitive(primitive) => self::primitive(*primitive).into(),
        Base::String(_) => string("char"),
        Base::WString(_) => string("char16_t"),
        Base::Nested(name) => format!("{}_<ContainerAllocator>", full(name)),
    }
}

/// Returns the type of a string of letters of a type.
fn string(letter: &str) -> String {
    format!("std::basic_string<{letter}, std::char_traits<{letter}>, {}>", allocator(letter))
}

/// Returns the type of a field, in a template with the parameter `ContainerAllocator`.
pub(super) fn field(ty: &FieldType) -> String {
    let element = element(&ty.base);
    match ty.shape {
        Shape::Scalar => element,
        Shape::Array(n) => format!("std::array<{element}, {n}>"),
        Shape::Unbounded => format!("std::vector<{element}, {}>", allocator(&element)),
        Shape::Bounded(n) => {
            format!("rosidl_runtime_cpp::BoundedVector<{element}, {n}, {}>", allocator(&element))
        }
    }
}

/// Returns the allocator for elements of a type.
fn allocator(element: &str) -> String {
    format!("typename std::allocator_traits<ContainerAllocator>::template rebind_alloc<{element}>")
}

/// Returns the type of a number.
pub(crate) fn primitive(primitive: Primitive) -> &'static str {
    match primitive {
        Primitive::Bool => "bool",
        Primitive::Byte => "unsigned char",
        Primitive::Char | Primitive::Uint8 => "uint8_t",
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
