//! The C names of types, fields and files. Structs have the names that ROS 2's C library gives them.

use saltus_idl::{Base, Primitive, TypeName};

/// Words that are not names in C or C++, and two that compilers define.
const KEYWORDS: [&str; 96] = [
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "asm",
    "auto",
    "bitand",
    "bitor",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "char8_t",
    "char16_t",
    "char32_t",
    "class",
    "co_await",
    "co_return",
    "co_yield",
    "compl",
    "concept",
    "const",
    "const_cast",
    "consteval",
    "constexpr",
    "constinit",
    "continue",
    "decltype",
    "default",
    "delete",
    "do",
    "double",
    "dynamic_cast",
    "else",
    "enum",
    "explicit",
    "export",
    "extern",
    "false",
    "float",
    "for",
    "friend",
    "goto",
    "if",
    "inline",
    "int",
    "linux",
    "long",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "not_eq",
    "nullptr",
    "operator",
    "or",
    "or_eq",
    "private",
    "protected",
    "public",
    "register",
    "reinterpret_cast",
    "requires",
    "restrict",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "static_assert",
    "static_cast",
    "struct",
    "switch",
    "template",
    "this",
    "thread_local",
    "throw",
    "true",
    "try",
    "typedef",
    "typeid",
    "typename",
    "typeof",
    "union",
    "unix",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
    "wchar_t",
    "while",
    "xor",
    "xor_eq",
];

/// Returns the name of a field. A keyword gets an underscore at its end.
pub(super) fn field_name(name: &str) -> String {
    if KEYWORDS.contains(&name) { format!("{name}_") } else { name.into() }
}

/// Returns the name of a type, such as `std_msgs__msg__String`.
pub(super) fn c_name(name: &TypeName) -> String {
    format!("{}__{}__{}", name.package, name.kind, name.name)
}

/// Returns the name of a type on the wire, such as `std_msgs::msg::dds_::String_`.
pub(super) fn wire_name(name: &TypeName) -> String {
    format!("{}::{}::dds_::{}_", name.package, name.kind, name.name)
}

/// Returns the definition that a type belongs to: for `AddTwoInts_Request`, `AddTwoInts`.
pub(super) fn definition_of(name: &TypeName) -> TypeName {
    let own = name.name.split('_').next().unwrap_or(&name.name);
    TypeName::new(&name.package, &name.kind, own)
}

/// Returns the path of the file of a definition, such as `example_interfaces/srv/add_two_ints.h`.
pub(super) fn file_of(name: &TypeName, extension: &str) -> String {
    format!("{}/{}/{}.{extension}", name.package, name.kind, snake_case(&name.name))
}

/// Returns a name in `snake_case`, as ROS 2 names files: `UInt8MultiArray` becomes `u_int8_multi_array`.
fn snake_case(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let mut text = String::new();
    for (at, letter) in letters.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|before| letters.get(before));
        let begins_word = letter.is_ascii_uppercase()
            && before.is_some_and(|before| {
                let after_is_lower = letters.get(at + 1).is_some_and(char::is_ascii_lowercase);
                before.is_ascii_lowercase() || before.is_ascii_digit() || after_is_lower
            });
        if begins_word {
            text.push('_');
        }
        text.push(letter.to_ascii_lowercase());
    }
    text
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

#[cfg(test)]
mod tests {
    use super::snake_case;

    #[test]
    fn files_have_the_names_that_ros_2_gives_them() {
        for (name, file) in [
            ("String", "string"),
            ("AddTwoInts", "add_two_ints"),
            ("UInt8MultiArray", "u_int8_multi_array"),
            ("ColorRGBA", "color_rgba"),
            ("UUID", "uuid"),
            ("PointCloud2", "point_cloud2"),
        ] {
            assert_eq!(snake_case(name), file);
        }
    }
}
