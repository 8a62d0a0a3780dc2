//! Tests of the catalog.

use std::fs;

use super::*;

fn folder_with(package: &str, name: &str, text: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let messages = folder.path().join(package).join("msg");
    fs::create_dir_all(&messages).unwrap();
    fs::write(messages.join(format!("{name}.msg")), text).unwrap();
    folder
}

fn catalog(folder: &tempfile::TempDir) -> Catalog {
    Catalog::new(vec![InterfaceFolder::new(folder.path().into()).unwrap()])
}

#[test]
fn a_folder_takes_precedence_over_bundled_definitions_and_may_refer_to_them() {
    let own = folder_with("geometry_msgs", "Point", "geometry_msgs/Vector3 inner\n");
    assert_eq!(catalog(&own).typed("geometry_msgs/Point").unwrap().schema.fields()[0].name, "inner");
}

#[test]
fn the_error_for_an_unknown_type_has_the_line_that_uses_it() {
    let own = folder_with("mine", "Pose", "mine/Nothing inner\n");
    let error = catalog(&own).typed("mine/msg/Pose").unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "unknown type `mine/msg/Nothing` (used at {}/mine/msg/Pose.msg:1:1); \
             put the folder of its package into SALTUS_INTERFACE_PATH",
            own.path().display()
        )
    );
}

#[test]
fn the_error_for_an_unknown_type_suggests_a_similar_one() {
    let own = folder_with("mine", "Pose", "float64 x\n");
    for (name, meant) in [
        ("std_msgs/msg/Strng", "std_msgs/msg/String"),
        ("std_msg/msg/String", "std_msgs/msg/String"),
        ("std_msgs/msg/string", "std_msgs/msg/String"),
        ("sensor_msgs/msg/LasreScan", "sensor_msgs/msg/LaserScan"),
        ("std_srvs/msg/SetBool", "std_srvs/srv/SetBool"),
        ("std_msgs/msg/Twist", "geometry_msgs/msg/Twist"),
        ("mine/msg/Pos", "mine/msg/Pose"),
    ] {
        let error = catalog(&own).typed(name).unwrap_err().to_string();
        assert!(
            error.starts_with(&format!("unknown type `{name}`; did you mean `{meant}`? If not, put")),
            "{error}"
        );
    }
}

#[test]
fn the_root_of_a_package_has_the_name_of_its_manifest() {
    let own = tempfile::tempdir().unwrap();
    fs::create_dir(own.path().join("msg")).unwrap();
    fs::write(own.path().join("msg/Pose.msg"), "float64 x\n").unwrap();
    fs::write(
        own.path().join("package.xml"),
        "<?xml version=\"1.0\"?>\n<package format=\"3\">\n<!-- <name>other</name> -->\n<name>mine</name>\n</package>\n",
    )
    .unwrap();
    assert_eq!(catalog(&own).typed("mine/msg/Pose").unwrap().schema.fields()[0].name, "x");
    assert!(catalog(&own).list().iter().any(|listed| listed.full_name() == "mine/msg/Pose"));
}

#[test]
fn a_manifest_without_a_name_is_an_error() {
    let own = tempfile::tempdir().unwrap();
    fs::write(own.path().join("package.xml"), "<package/>").unwrap();
    let error = InterfaceFolder::new(own.path().into()).unwrap_err().to_string();
    assert!(error.ends_with("package.xml: the package has no <name>"), "{error}");
}
