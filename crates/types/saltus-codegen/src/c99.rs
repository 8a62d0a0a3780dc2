//! The generator for C99, for microcontrollers. It generates a header and a source file for each definition: a struct
//! for each message, and functions that write it to, and read it from, the cursor of the C library.

mod body;
mod names;

use std::{collections::BTreeMap, fmt::Write as _};

use saltus_idl::{Base, Interfaces, Literal, Message, Primitive, ResolveError, Shape, TypeName};

use crate::{CodegenError, files::definition_of, keywords::field_name};
use names::{c_name, c_type, file_of, wire_name};

/// A generated file.
#[derive(Clone, Debug)]
pub struct CFile {
    /// The path below the folder of generated files, such as `std_msgs/msg/string.h`.
    pub path: String,
    /// The text.
    pub text: String,
}

impl CFile {
    /// Returns whether the C library has the file already.
    pub fn is_in_library(&self) -> bool {
        self.path.split('/').next().is_some_and(|package| C99_LIBRARY.contains(&package))
    }
}

/// The packages whose messages are part of the C library, in its folder `msgs`.
pub const C99_LIBRARY: [&str; 9] = [
    "action_msgs",
    "action_tutorials_interfaces",
    "builtin_interfaces",
    "example_interfaces",
    "lifecycle_msgs",
    "rcl_interfaces",
    "std_msgs",
    "std_srvs",
    "unique_identifier_msgs",
];

/// Returns the path of the header of a definition, below the folder of generated files.
pub fn c99_header(name: &TypeName) -> String {
    file_of(name, "h")
}

/// Generates the header and the source of each definition in `wanted`, and of each definition that one refers to.
///
/// The names are those of definitions, such as `std_srvs/srv/SetBool`. All of them must be in `interfaces`.
///
/// # Errors
///
/// Returns an error if a type is not in `interfaces`, or contains itself, or if two definitions have the same file.
pub fn generate_c99(interfaces: &Interfaces, wanted: &[TypeName]) -> Result<Vec<CFile>, CodegenError> {
    let mut found: BTreeMap<String, Definition<'_>> = BTreeMap::new();
    let mut waiting: Vec<TypeName> = wanted.to_vec();
    while let Some(name) = waiting.pop() {
        if found.contains_key(&name.to_string()) {
            continue;
        }
        let definition = Definition::find(interfaces, &name)?;
        for message in &definition.messages {
            // This finds types that contain themselves.
            interfaces.referenced(message)?;
        }
        waiting.extend(definition.included());
        found.insert(name.to_string(), definition);
    }
    refuse_same_files(found.values().map(|definition| &definition.name))?;
    Ok(found.values().flat_map(|definition| [definition.header(), definition.source()]).collect())
}

/// Returns an error if two definitions, such as `HTTPState` and `HttpState`, have the same file.
fn refuse_same_files<'a>(names: impl Iterator<Item = &'a TypeName>) -> Result<(), CodegenError> {
    let mut files: BTreeMap<String, &TypeName> = BTreeMap::new();
    for name in names {
        let path = c99_header(name);
        if let Some(first) = files.insert(path.clone(), name) {
            return Err(CodegenError::SameFile { first: first.to_string(), second: name.to_string(), path });
        }
    }
    Ok(())
}

/// A definition: its messages, in the order in which C needs them, and its service types.
struct Definition<'a> {
    name: TypeName,
    messages: Vec<&'a Message>,
    /// The services, without their suffixes `_Request` and `_Response`.
    services: Vec<TypeName>,
    is_action: bool,
}

impl<'a> Definition<'a> {
    fn find(interfaces: &'a Interfaces, name: &TypeName) -> Result<Self, CodegenError> {
        let with =
            |suffixes: &[&str]| suffixes.iter().map(|suffix| name.with_suffix(suffix)).collect::<Vec<_>>();
        let (messages, services) = match &*name.kind {
            "srv" => (with(&["_Request", "_Response"]), vec![name.clone()]),
            "action" => {
                let services = with(&["_SendGoal", "_GetResult"]);
                let mut messages = with(&["_Goal", "_Result", "_Feedback"]);
                for service in &services {
                    messages.push(service.with_suffix("_Request"));
                    messages.push(service.with_suffix("_Response"));
                }
                messages.push(name.with_suffix("_FeedbackMessage"));
                (messages, services)
            }
            _ => (vec![name.clone()], Vec::new()),
        };
        let unknown = |name: &TypeName| ResolveError::Unknown { name: name.to_string(), location: None };
        let messages = messages
            .iter()
            .map(|one| interfaces.message(&one.to_string()).ok_or_else(|| unknown(one).into()))
            .collect::<Result<Vec<_>, CodegenError>>()?;
        Ok(Self { name: name.clone(), messages, services, is_action: name.kind == "action" })
    }

    /// Returns the definitions that this one includes, without itself.
    fn included(&self) -> Vec<TypeName> {
        let mut included: Vec<TypeName> = self
            .messages
            .iter()
            .flat_map(|message| &message.fields)
            .filter_map(|field| match &field.ty.base {
                Base::Nested(name) => Some(definition_of(name)),
                _ => None,
            })
            .filter(|name| *name != self.name)
            .collect();
        included.sort();
        included.dedup();
        included
    }

    fn header(&self) -> CFile {
        let path = file_of(&self.name, "h");
        let guard = path.replace(['/', '.'], "__").to_uppercase();
        let mut text = format!("{}#ifndef {guard}\n#define {guard}\n\n", self.head());
        if self.has_unusual_numbers() {
            text += "#include <math.h>\n\n";
        }
        text += "#include \"saltus/cdr.h\"\n";
        for name in self.included() {
            // Writing to a string can't fail, here and below.
            let _ = writeln!(text, "#include \"{}\"", file_of(&name, "h"));
        }
        text += "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n";
        for message in &self.messages {
            text += &declaration(message);
        }
        for service in &self.services {
            let _ = write!(text, "\nextern const saltus_service_type_t {}__type;\n", c_name(service));
        }
        if self.is_action {
            let _ = write!(text, "\nextern const saltus_action_type_t {}__type;\n", c_name(&self.name));
        }
        text += "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
        CFile { path, text }
    }

    /// Whether a constant is infinite or not a number.
    fn has_unusual_numbers(&self) -> bool {
        let mut constants = self.messages.iter().flat_map(|message| &message.constants);
        constants.any(|constant| match (&constant.ty, &constant.value) {
            (Base::Primitive(Primitive::Float32), Literal::Float(value)) => !(*value as f32).is_finite(),
            (_, Literal::Float(value)) => !value.is_finite(),
            _ => false,
        })
    }

    fn source(&self) -> CFile {
        let mut text = format!("{}#include \"{}\"\n", self.head(), file_of(&self.name, "h"));
        for message in &self.messages {
            text += &body::functions(message);
            let (name, wire) = (c_name(&message.name), wire_name(&message.name));
            let _ = write!(
                text,
                "\nconst saltus_message_type_t {name}__type = {{\n    \"{wire}\",\n    \
                 {name}__write,\n    {name}__read,\n}};\n"
            );
        }
        for service in &self.services {
            let name = c_name(service);
            let _ = write!(
                text,
                "\nconst saltus_service_type_t {name}__type = {{\n    &{name}_Request__type,\n    \
                 &{name}_Response__type,\n}};\n"
            );
        }
        if self.is_action {
            let name = c_name(&self.name);
            let _ = write!(
                text,
                "\nconst saltus_action_type_t {name}__type = {{\n    &{name}_SendGoal__type,\n    \
                 &{name}_GetResult__type,\n    &{name}_FeedbackMessage__type,\n}};\n"
            );
        }
        CFile { path: file_of(&self.name, "c"), text }
    }

    fn head(&self) -> String {
        format!("/* {}. Generated by `saltus interface codegen --lang c99`: do not edit. */\n", self.name)
    }
}

/// Returns the constants, the struct and the functions of a message.
fn declaration(message: &Message) -> String {
    let name = c_name(&message.name);
    let mut text = String::from("\n");
    // C has no literal for a wide string of this library.
    for constant in message.constants.iter().filter(|constant| !matches!(constant.ty, Base::WString(_))) {
        let _ =
            writeln!(text, "#define {name}__{} {}", constant.name, literal(&constant.ty, &constant.value));
    }
    let _ = writeln!(text, "/** `{}` */\ntypedef struct {name} {{", message.name);
    for field in &message.wire_fields() {
        let (ty, field_name) = (c_type(&field.ty.base), field_name(&field.name));
        let _ = match field.ty.shape {
            Shape::Scalar => writeln!(text, "    {ty} {field_name};"),
            Shape::Array(n) => writeln!(text, "    {ty} {field_name}[{n}];"),
            Shape::Bounded(_) | Shape::Unbounded => writeln!(
                text,
                "    struct {{\n        {ty} *data;\n        uint32_t size;\n        uint32_t capacity;\n    }} {field_name};"
            ),
        };
    }
    let _ = write!(
        text,
        "}} {name};\n\nextern const saltus_message_type_t {name}__type;\n\
         void {name}__write(saltus_cdr_t *cdr, const void *message);\n\
         void {name}__read(saltus_cdr_t *cdr, void *message);\n"
    );
    text
}

/// Returns the C text of a constant's value.
fn literal(ty: &Base, value: &Literal) -> String {
    match (ty, value) {
        (_, Literal::Bool(value)) => value.to_string(),
        (Base::Primitive(Primitive::Int64), Literal::Integer(value)) if *value == i128::from(i64::MIN) => {
            "INT64_MIN".into()
        }
        (Base::Primitive(Primitive::Int64), Literal::Integer(value)) => format!("INT64_C({value})"),
        (Base::Primitive(Primitive::Uint64), Literal::Integer(value)) => format!("UINT64_C({value})"),
        (Base::Primitive(Primitive::Int8 | Primitive::Int16 | Primitive::Int32), Literal::Integer(value)) => {
            format!("({value})")
        }
        (_, Literal::Integer(value)) => format!("{value}U"),
        (Base::Primitive(Primitive::Float32), Literal::Float(value)) => {
            format!("((float){})", float(f64::from(*value as f32)))
        }
        (_, Literal::Float(value)) => format!("({})", float(*value)),
        (_, Literal::Text(text)) => quoted(text),
        (_, Literal::List(_)) => String::new(),
    }
}

fn float(value: f64) -> String {
    match value {
        _ if value.is_nan() => "NAN".into(),
        f64::INFINITY => "INFINITY".into(),
        f64::NEG_INFINITY => "-INFINITY".into(),
        _ => format!("{value:?}"),
    }
}

/// Returns a text as C writes it. Bytes that have a meaning in C, or are not ASCII, are escaped.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' | b'?' => quoted.extend(['\\', byte.into()]),
            b' '..=b'~' => quoted.push(byte.into()),
            _ => quoted += &format!("\\{byte:03o}"),
        }
    }
    quoted + "\""
}
