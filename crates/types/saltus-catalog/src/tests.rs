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
             add its package with `saltus interface add`, or put its folder into SALTUS_INTERFACE_PATH",
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
            error.starts_with(&format!("unknown type `{name}`; did you mean `{meant}`? If not, add")),
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

#[test]
fn definitions_are_found_in_idl_files_and_in_folders_below_and_beside_the_usual_ones() {
    let own = tempfile::tempdir().unwrap();
    for (path, text) in [
        (
            "robot/msg/Wheel.idl",
            "module robot { module msg { struct Wheel { robot::msg::Rim rim; double speed; }; }; };",
        ),
        ("robot/msg/parts/Rim.msg", "float64 radius # metres\n"),
        ("robot/motion/srv/Stop.srv", "---\nbool stopped\n"),
        (
            "robot/motion/srv/Go.idl",
            "module robot { module srv { struct Go_Request { double x; }; struct Go_Response { double y; }; }; };",
        ),
        ("robot/msg/Both.msg", "int8 lines\n"),
        ("robot/msg/Both.idl", "module robot { module msg { struct Both { int8 omg; }; }; };"),
        ("robot/build/msg/Built.msg", "int8 x\n"),
        ("robot/.git/msg/Hidden.msg", "int8 x\n"),
        ("robot/other/package.xml", "<package><name>other</name></package>"),
        ("robot/other/msg/Other.msg", "int8 x\n"),
    ] {
        let path = own.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let mut catalog = catalog(&own);
    let listed: Vec<String> = catalog.list().iter().map(DefinitionName::full_name).collect();
    let of_robot: Vec<&String> = listed.iter().filter(|name| name.starts_with("robot/")).collect();
    let want = ["robot/msg/Both", "robot/msg/Rim", "robot/msg/Wheel", "robot/srv/Go", "robot/srv/Stop"];
    let mut sorted = of_robot.clone();
    sorted.sort();
    assert_eq!(sorted, want);
    assert_eq!(catalog.typed("robot/msg/Both").unwrap().schema.fields()[0].name, "lines");
    for (name, text) in [
        ("robot/msg/Wheel", "robot/Rim rim\nfloat64 speed\n"),
        ("robot/msg/Rim", "float64 radius # metres\n"),
        ("robot/srv/Go", "float64 x\n---\nfloat64 y\n"),
        ("robot/srv/Stop", "---\nbool stopped\n"),
    ] {
        assert_eq!(catalog.text(&name.parse().unwrap()).unwrap().as_deref(), Some(text), "{name}");
        let of = if name.contains("srv") { format!("{name}_Request") } else { name.to_owned() };
        catalog.typed(&of).unwrap();
    }
    assert!(catalog.typed("robot/msg/Built").is_err() && catalog.typed("robot/msg/Other").is_err());
}
