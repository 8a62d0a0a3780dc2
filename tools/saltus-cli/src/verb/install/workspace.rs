//! The packages in a folder, in the order in which they are built.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use saltus_catalog::Manifest;
use saltus_verb::error::Error;

/// The files that mark a folder whose packages are not built, as colcon and ament know them.
const MARKERS: [&str; 3] = ["COLCON_IGNORE", "AMENT_IGNORE", "CATKIN_IGNORE"];

/// A tool that builds a package.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Builder {
    Cargo,
    Cmake,
    Python,
}

/// A package that can be built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Package {
    pub(super) folder: PathBuf,
    pub(super) builder: Builder,
    /// What its `package.xml` says, if it has one.
    pub(super) manifest: Option<Manifest>,
}

impl Package {
    /// Returns the package in a folder, or `None` if there is none.
    ///
    /// # Errors
    /// Returns an error if its `package.xml` can't be read, or if a package for CMake has none.
    pub(super) fn in_folder(folder: &Path) -> Result<Option<Self>, Error> {
        let has = |file: &str| folder.join(file).is_file();
        let has_python = has("pyproject.toml") || has("setup.py");
        let (has_cargo, has_cmake) = (has("Cargo.toml"), has("CMakeLists.txt"));
        if !(has_cargo || has_cmake || has_python) {
            return Ok(None);
        }
        let manifest = Manifest::read(folder)?;
        let types: Vec<&str> = manifest.iter().flat_map(|one| &one.build_types).map(String::as_str).collect();
        let is_of_cmake = types.iter().any(|ty| ["ament_cmake", "cmake"].contains(ty));
        // A package for CMake may have a `setup.py` for its modules, or a `Cargo.toml` that its CMakeLists.txt builds.
        let is_of_python = has_python && !types.is_empty() && types.iter().all(|ty| *ty == "ament_python");
        let builder = match &manifest {
            _ if has_cargo && !(has_cmake && is_of_cmake) => Builder::Cargo,
            Some(_) if has_cmake && !is_of_python => Builder::Cmake,
            None if has_cmake && !has_python => {
                let text =
                    "has a CMakeLists.txt, but no package.xml, which names the package and what it needs";
                return Err(format!("{} {text}", folder.display()).into());
            }
            _ => Builder::Python,
        };
        Ok(Some(Self { folder: folder.to_owned(), builder, manifest }))
    }

    /// Returns the name of the package, or that of its folder if it has no manifest.
    pub(super) fn name(&self) -> String {
        let of_folder = || self.folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        self.manifest.as_ref().map_or_else(of_folder, |manifest| manifest.name.clone())
    }

    /// Returns the package in a folder, or if there is none, all packages below it that have a `package.xml`, but not those
    /// within `prefix`. Each comes after those that it needs.
    ///
    /// # Errors
    /// The errors of [`Package::in_folder`], and those of [`Package::below`].
    pub(super) fn all(folder: &Path, prefix: &Path) -> Result<Vec<Self>, Error> {
        match Self::in_folder(folder) {
            Ok(Some(package)) => Ok(vec![package]),
            Ok(None) => Self::below(folder, prefix),
            // A folder of packages may have a file for CMake. Without packages below it, the error is what the user must know.
            Err(error) => match Self::below(folder, prefix)? {
                below if below.is_empty() => Err(error),
                below => Ok(below),
            },
        }
    }

    /// Returns all packages below a folder.
    ///
    /// # Errors
    /// Returns an error if two packages have one name, or if packages need each other.
    fn below(folder: &Path, prefix: &Path) -> Result<Vec<Self>, Error> {
        let mut search = Search::default();
        if folder != prefix {
            search.visited.extend(fs::canonicalize(prefix).ok());
        }
        search.collect(folder)?;
        let mut packages = BTreeMap::<String, Self>::new();
        for package in search.found {
            let name = package.name();
            if let Some(other) = packages.get(&name) {
                let folders = [&other.folder, &package.folder].map(|folder| folder.display().to_string());
                return Err(
                    format!("two packages have the name {name}: {} and {}", folders[0], folders[1]).into()
                );
            }
            packages.insert(name, package);
        }
        in_order(packages)
    }
}

/// A search for packages in folders.
#[derive(Default)]
struct Search {
    found: Vec<Package>,
    /// The folders that were searched, because links may lead to one of them again, and those that must not be searched.
    visited: BTreeSet<PathBuf>,
}

impl Search {
    /// Adds the packages in a folder and below it. A package has no others within.
    fn collect(&mut self, folder: &Path) -> Result<(), Error> {
        let is_new = fs::canonicalize(folder).is_ok_and(|path| self.visited.insert(path));
        if !is_new || MARKERS.iter().any(|marker| folder.join(marker).exists()) {
            return Ok(());
        }
        match Package::in_folder(folder) {
            Ok(Some(package)) if package.manifest.is_some() => {
                self.found.push(package);
                return Ok(());
            }
            // A folder with a file for CMake or cargo, and without a manifest, may hold packages.
            Ok(_) => {}
            Err(_) if !folder.join("package.xml").exists() => {}
            Err(error) => return Err(error),
        }
        let entries =
            fs::read_dir(folder).map_err(|error| format!("can't read {}: {error}", folder.display()))?;
        let is_hidden =
            |path: &Path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        let paths = entries.flatten().map(|entry| entry.path());
        let mut folders: Vec<PathBuf> = paths.filter(|path| path.is_dir() && !is_hidden(path)).collect();
        folders.sort();
        folders.iter().try_for_each(|folder| self.collect(folder))
    }
}

/// Returns packages in an order in which each comes after those that it needs. Packages that are not among them do not count.
fn in_order(mut left: BTreeMap<String, Package>) -> Result<Vec<Package>, Error> {
    let mut ordered = Vec::new();
    while !left.is_empty() {
        let waits = |package: &Package| {
            let needs = package.manifest.iter().flat_map(|manifest| &manifest.needs);
            let own = package.name();
            needs.filter(|name| **name != own && left.contains_key(*name)).count() > 0
        };
        let ready: BTreeSet<String> =
            left.iter().filter(|(_, package)| !waits(package)).map(|(name, _)| name.clone()).collect();
        if ready.is_empty() {
            let names: Vec<&str> = left.keys().map(String::as_str).collect();
            return Err(format!("these packages need each other: {}", names.join(", ")).into());
        }
        ordered.extend(ready.iter().filter_map(|name| left.remove(name)));
    }
    Ok(ordered)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(root: &Path, path: &str, text: &str) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn package(root: &Path, folder: &str, name: &str, needs: &[&str]) {
        let needs: String = needs.iter().map(|need| format!("<depend>{need}</depend>")).collect();
        write(
            root,
            &format!("{folder}/package.xml"),
            &format!("<package><name>{name}</name>{needs}</package>"),
        );
        write(root, &format!("{folder}/CMakeLists.txt"), "");
    }

    fn names(root: &Path) -> Result<Vec<String>, String> {
        let packages = Package::all(root, &root.join("install")).map_err(|error| error.to_string())?;
        Ok(packages.iter().map(Package::name).collect())
    }

    #[test]
    fn each_package_comes_after_those_that_it_needs() {
        let root = tempfile::tempdir().unwrap();
        package(root.path(), "src/arm/driver", "arm_driver", &["arm_msgs", "rclcpp", "zeta"]);
        package(root.path(), "src/arm/msgs", "arm_msgs", &[]);
        package(root.path(), "src/zeta", "zeta", &["arm_msgs", "zeta"]);
        package(root.path(), "src/ignored", "ignored", &[]);
        write(root.path(), "src/ignored/COLCON_IGNORE", "");
        package(root.path(), "src/zeta/within", "within", &[]);
        package(root.path(), "install/build/cmake/zeta/_deps/fetched", "fetched", &[]);
        write(root.path(), "src/CMakeLists.txt", "");
        write(root.path(), "CMakeLists.txt", "");
        // A package behind a link, and a link that leads back.
        package(root.path(), "install/elsewhere", "linked", &["zeta"]);
        std::os::unix::fs::symlink(root.path().join("install/elsewhere"), root.path().join("src/linked"))
            .unwrap();
        std::os::unix::fs::symlink(root.path(), root.path().join("src/loop")).unwrap();
        assert_eq!(names(root.path()).unwrap(), ["arm_msgs", "zeta", "arm_driver", "linked"]);
    }

    #[test]
    fn packages_that_need_each_other_and_packages_with_one_name_are_errors() {
        let root = tempfile::tempdir().unwrap();
        package(root.path(), "a", "a", &["b"]);
        package(root.path(), "b", "b", &["a"]);
        package(root.path(), "c", "c", &[]);
        assert_eq!(names(root.path()).unwrap_err(), "these packages need each other: a, b");
        package(root.path(), "d", "c", &[]);
        let error = names(root.path()).unwrap_err();
        assert!(error.starts_with("two packages have the name c: ") && error.ends_with("/d"), "{error}");
    }

    #[test]
    fn the_files_of_a_package_decide_how_it_is_built() {
        let root = tempfile::tempdir().unwrap();
        let builder = |folder: &str| {
            Package::in_folder(&root.path().join(folder)).map(|one| one.map(|one| one.builder))
        };
        package(root.path(), "cpp", "cpp", &[]);
        write(root.path(), "cpp/setup.py", "");
        assert_eq!(builder("cpp").unwrap(), Some(Builder::Cmake));
        let manifest =
            "<package><name>py</name><export><build_type>ament_python</build_type></export></package>";
        write(root.path(), "py/package.xml", manifest);
        write(root.path(), "py/setup.py", "");
        assert_eq!(builder("py").unwrap(), Some(Builder::Python));
        write(root.path(), "rust/Cargo.toml", "");
        assert_eq!(builder("rust").unwrap(), Some(Builder::Cargo));
        write(root.path(), "plain/CMakeLists.txt", "");
        assert!(builder("plain").unwrap_err().to_string().contains("but no package.xml"));
        assert_eq!(builder("nothing").unwrap(), None);
    }
}
