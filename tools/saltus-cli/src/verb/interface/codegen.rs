//! `saltus interface codegen`

use std::{collections::BTreeSet, fs, path::Path};

use clap::ValueEnum;
use saltus_codegen::{
    CodegenError, CppFile, c_header, c99_header, cpp_header, generate_c, generate_c99, generate_cpp,
};
use saltus_idl::{Interfaces, TypeName};

use saltus_verb::{catalog::Catalog, error::Error, output::print_lines};

/// A language for which code is generated. Rust programs use `saltus-build`; Python needs no generated code.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Language {
    /// C99, for microcontrollers
    C99,
    /// C++, with the files and names of ROS 2
    Cpp,
    /// C, with the files and names of ROS 2; its functions are compiled as C++
    C,
}

/// Generates code for types and packages into a folder. In C99, also for all types that they refer to, without those that the
/// library has unless `all` is set.
pub(super) fn codegen(
    catalog: &mut Catalog,
    language: Language,
    (output, all): (&Path, bool),
    names: &[String],
) -> Result<(), Error> {
    let wanted = names.iter().map(|name| named(catalog, name)).collect::<Result<Vec<_>, Error>>()?;
    let wanted: Vec<TypeName> = wanted.into_iter().flatten().collect();
    for name in &wanted {
        catalog.load(name)?;
    }
    match language {
        Language::C99 => c99(catalog, (output, all), &wanted),
        Language::Cpp => ros(catalog, output, &wanted, (generate_cpp, cpp_header)),
        Language::C => ros(catalog, output, &wanted, (generate_c, c_header)),
    }
}

/// A generator of files with the names of ROS 2.
type Generate = fn(&Interfaces, &[TypeName]) -> Result<Vec<CppFile>, CodegenError>;

/// Generates files with the names of ROS 2. `header` returns the path of the header that users include.
fn ros(
    catalog: &Catalog,
    output: &Path,
    wanted: &[TypeName],
    (generate, header): (Generate, fn(&TypeName) -> String),
) -> Result<(), Error> {
    let files = generate(catalog.interfaces(), wanted)?;
    write(output, files.iter().map(|file| (&*file.path, &*file.text)))?;
    let mut lines = vec![format!("wrote {} files below {}", files.len(), output.display())];
    lines.extend(wanted.iter().map(|name| format!("#include \"{}\"", header(name))));
    print_lines(lines)
}

/// Writes files below a folder. A file that has the same text already keeps its time, so that nothing is compiled again for it.
fn write<'a>(output: &Path, files: impl Iterator<Item = (&'a str, &'a str)>) -> Result<(), Error> {
    let mut folders = BTreeSet::new();
    for (path, text) in files {
        let path = output.join(path);
        let folder = path.parent().unwrap_or(output);
        if folders.insert(folder.to_owned()) {
            fs::create_dir_all(folder).map_err(|e| format!("can't create {}: {e}", folder.display()))?;
        }
        if fs::read(&path).is_ok_and(|before| before == text.as_bytes()) {
            continue;
        }
        fs::write(&path, text).map_err(|e| format!("can't write {}: {e}", path.display()))?;
    }
    Ok(())
}

fn c99(catalog: &Catalog, (output, all): (&Path, bool), wanted: &[TypeName]) -> Result<(), Error> {
    let mut files = generate_c99(catalog.interfaces(), wanted)?;
    let count = files.len();
    files.retain(|file| all || !file.is_in_library());
    write(output, files.iter().map(|file| (&*file.path, &*file.text)))?;
    let in_library = count - files.len();
    let mut lines = vec![format!("wrote {} files below {}", files.len(), output.display())];
    if in_library > 0 {
        lines.push(format!("{in_library} more are in micro/msgs of the library; --all writes them, too"));
    }
    if !files.is_empty() {
        lines.push(format!("build: add -I{} and its .c files", output.display()));
    }
    lines.extend(wanted.iter().map(|name| format!("#include \"{}\"", c99_header(name))));
    print_lines(lines)
}

/// Returns the type with a name, or all types of the package with that name.
fn named(catalog: &Catalog, name: &str) -> Result<Vec<TypeName>, Error> {
    if name.contains('/') {
        return Ok(vec![catalog.full_name(name).parse()?]);
    }
    let of_package = catalog.of_package(name)?;
    Ok(of_package.iter().map(|one| TypeName::new(&one.package, one.kind, &one.name)).collect())
}
