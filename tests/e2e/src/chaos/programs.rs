//! The paths of the programs that chaos starts.

/// Any error that ends chaos early.
pub(crate) type Error = Box<dyn std::error::Error>;

/// Returns the path of a program in the folder of this program.
pub(crate) fn beside(name: &str) -> Result<String, Error> {
    let path = std::env::current_exe()?.with_file_name(name);
    if !path.exists() {
        return Err(format!("{} is missing: build it with this program", path.display()).into());
    }
    Ok(path.to_string_lossy().into_owned())
}

/// Returns the path of a script in this crate.
pub(crate) fn source(name: &str) -> String {
    format!("{}/{name}", env!("CARGO_MANIFEST_DIR"))
}
