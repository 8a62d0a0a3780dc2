//! The generator for C. The names and files are those of ROS 2's `rosidl_generator_c`, so that code for ROS 2 compiles with
//! them. The functions are compiled as C++, because they use the serialization of the C++ types.
//!
//! | module | content |
//! |---|---|
//! | `names` | the C names of types |
//! | `structs` | the structs of messages, with their constants |
//! | `functions` | the functions of messages, and their source file |
//! | `support` | the type support |

mod functions;
mod names;
mod structs;
mod support;

use saltus_idl::{Interfaces, TypeName};

use crate::{
    CodegenError,
    cpp::{CppFile, Definition, Input, detail, file, header, refuse_same_files},
    layout::Layouts,
};

/// Returns the path of the header of a definition that users include, below the folder of generated files.
pub fn c_header(name: &TypeName) -> String {
    file(name, "h")
}

/// Generates the headers and the source of each definition in `wanted`, such as `std_srvs/srv/SetBool`, for C.
///
/// # Errors
///
/// Returns an error if a type is not in `interfaces`, or contains itself, or if two definitions have the same file.
pub fn generate_c(interfaces: &Interfaces, wanted: &[TypeName]) -> Result<Vec<CppFile>, CodegenError> {
    let input = Input { interfaces, layouts: Layouts::new(interfaces) };
    let definitions: Vec<Definition<'_>> =
        wanted.iter().map(|name| Definition::find(interfaces, name)).collect::<Result<_, _>>()?;
    refuse_same_files(wanted)?;
    let mut files = Vec::new();
    for definition in &definitions {
        files.push(entry(definition));
        files.push(structs::file(definition));
        files.push(functions::header(definition));
        files.push(functions::fields(&input, definition));
        files.push(support::header(definition));
        files.push(functions::source(&input, definition)?);
    }
    Ok(files)
}

/// Returns the header that users include.
fn entry(definition: &Definition<'_>) -> CppFile {
    let name = &definition.name;
    let parts = ["struct", "functions", "type_support"];
    let includes: String =
        parts.iter().map(|part| format!("#include \"{}\"\n", detail(name, part, "h"))).collect();
    header("c", name, c_header(name), &includes)
}
