//! The manifest of a package (REP 149).

use std::{fs, io, path::Path};

use roxmltree::Node;

use crate::error::{CatalogError, is_absence};

/// The file in the root of a package.
pub(crate) const FILE: &str = "package.xml";

/// The elements of a manifest that name packages which must be there before the package is built.
const NEEDED: [&str; 5] =
    ["depend", "build_depend", "build_export_depend", "buildtool_depend", "buildtool_export_depend"];

/// What the manifest of a package says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manifest {
    /// The name of the package. It can be the name of a folder.
    pub name: String,
    /// The packages that must be there before the package is built, those of other conditions included.
    pub needs: Vec<String>,
    /// How it is built, such as `ament_cmake`; several if that depends on a condition.
    pub build_types: Vec<String>,
}

impl Manifest {
    /// Reads the `package.xml` of a folder. Returns `None` if there is none.
    ///
    /// # Errors
    /// Returns an error if the file can't be read, if it is no XML, or if it has no `<name>`.
    ///
    /// ```
    /// let folder = tempfile::tempdir()?;
    /// std::fs::write(folder.path().join("package.xml"), "<package><name>arm</name><depend>rclcpp</depend></package>")?;
    /// let manifest = saltus_catalog::Manifest::read(folder.path())?.unwrap();
    /// assert_eq!((&*manifest.name, &*manifest.needs), ("arm", &["rclcpp".to_owned()][..]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn read(folder: &Path) -> Result<Option<Self>, CatalogError> {
        let path = folder.join(FILE);
        let is_special = fs::metadata(&path).is_ok_and(|metadata| !metadata.is_file());
        let read = if is_special { Err(io::Error::other("it is no regular file")) } else { fs::read(&path) };
        match read {
            Ok(bytes) => {
                let text = saltus_xml::repaired(&saltus_xml::decoded(bytes));
                let invalid = |why: String| io::Error::new(io::ErrorKind::InvalidData, why);
                let parsed = Self::parse(&text).map_err(invalid);
                parsed.map(Some).map_err(|cause| CatalogError::File { path, cause })
            }
            Err(cause) if is_absence(&cause) => Ok(None),
            Err(cause) => Err(CatalogError::File { path, cause }),
        }
    }

    fn parse(text: &str) -> Result<Self, String> {
        let document = roxmltree::Document::parse(text).map_err(|error| error.to_string())?;
        let root = document.root_element();
        let name = texts(root, &["name"]).next().ok_or("the package has no <name>")?;
        // The name becomes the name of a folder.
        let is_valid = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
        if !is_valid {
            return Err(format!("`{name}` can't be the name of a package"));
        }
        let exports = root.children().filter(|node| node.is_element() && saltus_xml::tag(*node) == "export");
        Ok(Self {
            name,
            needs: texts(root, &NEEDED).collect(),
            build_types: exports.flat_map(|export| texts(export, &["build_type"])).collect(),
        })
    }
}

/// Returns the texts of the children with one of the tags. A child without a text is left out.
fn texts<'a>(node: Node<'a, 'a>, tags: &'a [&str]) -> impl Iterator<Item = String> + 'a {
    let children =
        node.children().filter(|node| node.is_element() && tags.contains(&&*saltus_xml::tag(*node)));
    let text =
        |node: Node<'a, 'a>| node.text().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned);
    children.filter_map(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_names_what_must_be_built_before() {
        let text = "<package format='3'><name> arm_driver </name><buildtool_depend>ament_cmake</buildtool_depend>\
            <depend condition='$ROS_VERSION == 2'>rclcpp</depend><build_depend>arm_msgs</build_depend>\
            <exec_depend>launch</exec_depend><test_depend>gtest</test_depend><depend/>\
            <export><build_type condition='$ROS_VERSION == 1'>catkin</build_type>\
            <build_type condition='$ROS_VERSION == 2'>ament_cmake</build_type></export></package>";
        let manifest = Manifest::parse(text).unwrap();
        assert_eq!(manifest.name, "arm_driver");
        assert_eq!(manifest.needs, ["ament_cmake", "rclcpp", "arm_msgs"]);
        assert_eq!(manifest.build_types, ["catkin", "ament_cmake"]);
    }
}
