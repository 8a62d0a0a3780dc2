//! The generator for C++. The names and files are those of ROS 2's `rosidl_generator_cpp`, so that code for ROS 2 compiles
//! with them.
//!
//! | module | content |
//! |---|---|
//! | `file` | generated files, and what their generators know |
//! | `names` | the C++ names of types and files |
//! | `literal` | constants and defaults as C++ expressions |
//! | `definition` | a definition: its messages, services and actions |
//! | `structs` | the structs of messages, with their constants |
//! | `builder` | the functions that build a message field by field |
//! | `traits` | what templates ask about a type |
//! | `codec` | the functions that write and read a message |
//! | `view` | what a program reads and writes in shared memory |
//! | `support` | the source file: type support, and texts in YAML |

mod builder;
mod codec;
mod definition;
mod file;
mod literal;
mod names;
mod structs;
mod support;
mod traits;
mod view;

use saltus_idl::{Interfaces, TypeName};

use crate::{CodegenError, layout::Layouts};
pub(crate) use codec::least_size;
pub(crate) use definition::Definition;
pub use file::CppFile;
pub(crate) use file::{Input, head, header};
pub(crate) use literal::{expression, quoted};
pub(crate) use names::{detail, file, primitive};
pub(crate) use support::{Kind, identity, supported};

/// Returns the path of the header of a definition that users include, below the folder of generated files.
pub fn cpp_header(name: &TypeName) -> String {
    file(name, "hpp")
}

/// Generates the headers and the source of each definition in `wanted`, such as `std_srvs/srv/SetBool`.
///
/// # Errors
///
/// Returns an error if a type is not in `interfaces`, or contains itself, or if two definitions have the same file.
pub fn generate_cpp(interfaces: &Interfaces, wanted: &[TypeName]) -> Result<Vec<CppFile>, CodegenError> {
    let input = Input { interfaces, layouts: Layouts::new(interfaces) };
    let definitions: Vec<Definition<'_>> =
        wanted.iter().map(|name| Definition::find(interfaces, name)).collect::<Result<_, _>>()?;
    refuse_same_files(wanted)?;
    let mut files = Vec::new();
    for definition in &definitions {
        files.push(entry(definition));
        files.push(structs::file(definition));
        files.push(builder::file(definition));
        files.push(traits::file(&input, definition));
        files.push(support::header(definition));
        files.push(codec::file(&input, definition));
        files.push(view::file(&input, definition));
        files.push(support::source(&input, definition)?);
    }
    Ok(files)
}

/// Returns an error if two definitions, such as `HTTPState` and `HttpState`, have the same file.
pub(crate) fn refuse_same_files(names: &[TypeName]) -> Result<(), CodegenError> {
    let mut files = std::collections::BTreeMap::new();
    for name in names {
        let path = file(name, "hpp");
        if let Some(first) = files.insert(path.clone(), name).filter(|first| *first != name) {
            return Err(CodegenError::SameFile { first: first.to_string(), second: name.to_string(), path });
        }
    }
    Ok(())
}

/// Returns the header that users include.
fn entry(definition: &Definition<'_>) -> CppFile {
    let name = &definition.name;
    let parts = ["struct", "builder", "traits", "type_support"];
    let includes: String =
        parts.iter().map(|part| format!("#include \"{}\"\n", detail(name, part, "hpp"))).collect();
    header("cpp", name, file(name, "hpp"), &includes)
}
