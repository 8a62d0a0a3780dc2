//! The build of Saltus that a library belongs to.

use std::{fs, path::Path};

use object::{Object, ObjectSection};

/// The section of a library that contains the text of its build.
const SECTION: &str = ".saltus_build";

/// A build of Saltus. A library of components works only with the build that it was linked with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Build(String);

impl Build {
    /// Returns the build with this text, such as `Saltus 0.1.0 (build 0123abcd), rustc 1.95.0`.
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Checks that a library was linked with this build. The library is not loaded.
    ///
    /// # Errors
    ///
    /// Returns a text if the file can't be read, if it is not a library of components, or if it belongs to another build.
    pub(crate) fn check(&self, library: &Path) -> Result<(), String> {
        let name = library.display();
        let bytes = fs::read(library).map_err(|error| format!("can't read {name}: {error}"))?;
        let text = section(&bytes).ok_or_else(|| {
            format!("{name} is not a library of Saltus components; install its package with `saltus install`")
        })?;
        if text == self.0 {
            return Ok(());
        }
        Err(format!(
            "{name} was built with {text}, but this container with {}; install its package again with `saltus install`",
            self.0
        ))
    }
}

/// Returns the text of the build that a library has.
fn section(bytes: &[u8]) -> Option<String> {
    let file = object::File::parse(bytes).ok()?;
    let data = file.section_by_name(SECTION)?.data().ok()?;
    let text = String::from_utf8_lossy(data);
    // The text is shown to the user.
    Some(text.chars().filter(|c| !c.is_control()).take(200).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("libx.so");
        let build = Build::new("Saltus 0.1.0");
        assert!(build.check(&path).unwrap_err().starts_with("can't read "));
        for bytes in [&b""[..], b"not a library", b"\x7fELF\x02\x01\x01", &[0x7f; 4096]] {
            fs::write(&path, bytes).unwrap();
            let text = build.check(&path).unwrap_err();
            assert!(text.contains("is not a library of Saltus components"), "{text}");
        }
        let own = std::env::current_exe().unwrap();
        assert!(build.check(&own).unwrap_err().contains("is not a library"));
    }
}
