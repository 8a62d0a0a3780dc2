//! Reads and writes the two files of a map: YAML, and an image.

use std::{
    fs,
    io::{self, Read, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

use rustix::fs::OFlags;
use saltus_map::{Format, MapError, MapFile, Mode, OccupancyGrid, Picture, Thresholds};

/// The largest size of a file, in bytes. An image with the most pixels, four bytes each, is smaller.
pub const LARGEST: u64 = 512 << 20;

/// The reason why a map can't be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The YAML file can't be read.
    #[error("can't read {}: {error}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        error: io::Error,
    },
    /// The YAML file is wrong.
    #[error("{}: {error}", path.display())]
    Metadata {
        /// The file.
        path: PathBuf,
        /// The problem.
        error: MapError,
    },
    /// The image can't be read, or it is wrong.
    #[error("{}: {text}", path.display())]
    Image {
        /// The file.
        path: PathBuf,
        /// The problem.
        text: String,
    },
}

/// Loads the map of a YAML file. A path that begins with `~/` is in the home folder.
///
/// # Errors
///
/// Returns an error if one of the two files can't be read, or if its content is wrong.
pub fn load(path: &Path) -> Result<OccupancyGrid, LoadError> {
    let path = in_home(path);
    let unreadable = |error| LoadError::Unreadable { path: path.clone(), error };
    let bytes = read_file(&path).map_err(unreadable)?;
    let text = String::from_utf8(bytes)
        .map_err(|error| unreadable(io::Error::new(io::ErrorKind::InvalidData, error.utf8_error())))?;
    let file = MapFile::parse(&text).map_err(|error| LoadError::Metadata { path: path.clone(), error })?;
    // An absolute path replaces the folder.
    let image = path.parent().unwrap_or(Path::new("")).join(&file.image);
    let wrong = |text: String| LoadError::Image { path: image.clone(), text };
    let bytes = read_file(&image).map_err(|error| wrong(error.to_string()))?;
    let picture = Picture::decode(&bytes).map_err(|error| wrong(error.to_string()))?;
    Ok(file.grid(&picture))
}

/// Returns a text for each key of a YAML file that has no meaning; see [`MapFile::unknown_keys`].
pub fn unknown_keys(path: &Path) -> Vec<String> {
    let text = read_file(&in_home(path)).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    text.map_or_else(Vec::new, |text| MapFile::unknown_keys(&text))
}

fn in_home(path: &Path) -> PathBuf {
    match (path.strip_prefix("~"), std::env::home_dir()) {
        (Ok(rest), Some(home)) => home.join(rest),
        _ => path.into(),
    }
}

/// Reads a file of at most [`LARGEST`] bytes. Devices and pipes, which may have no end, are refused.
///
/// # Errors
///
/// Returns the error of the system, or an error if the file is not a regular file or too large.
pub fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    // Otherwise the system waits for a writer of a pipe.
    let flags = OFlags::NONBLOCK.bits().cast_signed();
    let file = fs::OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a file"));
    }
    let mut bytes = Vec::new();
    // Some files, such as those in /proc, have more bytes than their metadata says.
    file.take(LARGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST {
        return Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            format!("the file has more than {LARGEST} bytes"),
        ));
    }
    Ok(bytes)
}

/// The options of saving a map.
#[derive(Clone, Debug, PartialEq)]
pub struct SaveOptions {
    /// The path of both files without their extensions.
    pub name: PathBuf,
    /// The format of the image.
    pub format: Format,
    /// The conversion of cells to shades.
    pub mode: Mode,
    /// The thresholds of free and of occupied cells.
    pub thresholds: Thresholds,
}

/// The reason why a map can't be saved.
#[derive(Debug, thiserror::Error)]
pub enum SaveError {
    /// The map or the options are wrong.
    #[error(transparent)]
    Map(#[from] MapError),
    /// A file can't be written.
    #[error("can't write {}: {error}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        error: io::Error,
    },
}

/// Saves a map: writes `NAME.yaml` and the image beside it. Files with these names are replaced, each at once, so that
/// no one reads half a file. They keep their permissions, and links of this user to them stay. Returns the path of the YAML file.
///
/// # Errors
///
/// Returns an error if the map can't be saved in this way, or if a file can't be written.
pub fn save(grid: &OccupancyGrid, options: &SaveOptions) -> Result<PathBuf, SaveError> {
    let name = in_home(&options.name);
    let failed = |path: &Path, error| SaveError::Write { path: path.into(), error };
    let Some(base) = name.file_name().and_then(|base| base.to_str()) else {
        return Err(failed(&name, io::Error::new(io::ErrorKind::InvalidFilename, "not the name of a file")));
    };
    let (file, image) = saltus_map::save(grid, base, options.mode, options.format, options.thresholds)?;
    let beside = |file: String| name.with_file_name(file);
    let (image_path, yaml_path) = (beside(file.image.clone()), beside(format!("{base}.yaml")));
    for (path, content) in [(&image_path, &*image), (&yaml_path, file.text().as_bytes())] {
        write(path, content).map_err(|error| failed(path, error))?;
    }
    Ok(yaml_path)
}

/// Writes a file beside the old one, and then replaces that.
fn write(path: &Path, content: &[u8]) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let path = target(path);
    let old = match fs::metadata(&path) {
        Ok(old) if !old.is_file() => return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a file")),
        Ok(old) => Some(old).filter(is_own),
        Err(_) => None,
    };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // The umask of the process is applied to these permissions.
    let readable = fs::Permissions::from_mode(0o666);
    let mut file = tempfile::Builder::new().prefix(".map-").permissions(readable).tempfile_in(folder)?;
    if let Some(old) = &old {
        file.as_file().set_permissions(old.permissions())?;
    }
    file.write_all(content)?;
    file.as_file().sync_all()?;
    file.persist(&path).map_err(|error| error.error)?;
    Ok(())
}

/// Returns the file that a link of this user leads to. Another user may have created other links, in a folder like `/tmp`: these
/// are not followed.
fn target(path: &Path) -> PathBuf {
    let is_own_link = fs::symlink_metadata(path).is_ok_and(|link| link.is_symlink() && is_own(&link));
    let target = is_own_link.then(|| fs::canonicalize(path).ok()).flatten();
    target.unwrap_or_else(|| path.into())
}

fn is_own(file: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    file.uid() == rustix::process::geteuid().as_raw()
}
