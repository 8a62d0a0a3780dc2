//! The log file of a process. When it is full, it is renamed and a new one begins.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};

/// The maximum size of a log file in bytes.
const MAX_SIZE: u64 = 10_000_000;
/// The number of full files that are kept.
const KEPT_FILES: u32 = 3;

/// A log file.
#[derive(Debug)]
pub(crate) struct LogFile {
    path: PathBuf,
    file: File,
    size: u64,
    max_size: u64,
}

impl LogFile {
    /// Opens a file in a folder. If it exists, new lines are appended.
    pub(crate) fn open(folder: &Path, name: &str) -> io::Result<Self> {
        Self::with_limit(folder, name, MAX_SIZE)
    }

    fn with_limit(folder: &Path, name: &str, max_size: u64) -> io::Result<Self> {
        // A label may contain any character.
        let name = name.replace(['/', '\0'], "_");
        let path = folder.join(format!("{name}.log"));
        let file = File::options().create(true).append(true).open(&path)?;
        let size = file.metadata()?.len();
        Ok(Self { path, file, size, max_size })
    }

    /// Writes a line.
    pub(crate) fn line(&mut self, line: &str) -> io::Result<()> {
        let length = line.len() as u64 + 1;
        if self.size > 0 && self.size + length > self.max_size {
            self.rotate()?;
        }
        self.file.write_all(format!("{line}\n").as_bytes())?;
        self.size += length;
        Ok(())
    }

    fn rotate(&mut self) -> io::Result<()> {
        let numbered = |number: u32| {
            let mut path = self.path.clone().into_os_string();
            path.push(format!(".{number}"));
            PathBuf::from(path)
        };
        for number in (1..KEPT_FILES).rev() {
            match fs::rename(numbered(number), numbered(number + 1)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        fs::rename(&self.path, numbered(1))?;
        self.file = File::options().create(true).append(true).open(&self.path)?;
        self.size = 0;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_file_is_renamed_and_the_oldest_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let mut log = LogFile::with_limit(folder.path(), "a/b", 10).unwrap();
        for number in 0..12 {
            log.line(&format!("line {number}")).unwrap();
        }
        drop(log);
        let mut log = LogFile::with_limit(folder.path(), "a/b", 10).unwrap();
        log.line("last").unwrap();
        let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
        assert_eq!(read("a_b.log"), "last\n");
        assert_eq!(read("a_b.log.1"), "line 11\n");
        assert_eq!(read("a_b.log.3"), "line 9\n");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 4);
    }
}
