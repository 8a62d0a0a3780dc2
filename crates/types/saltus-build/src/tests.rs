//! Tests of the generator on folders of definitions.

use std::fs;

use super::*;

/// Creates a folder with these files.
fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

fn generate(folder: &tempfile::TempDir) -> Result<String, Error> {
    Builder::default().folder(folder.path()).generate()
}

fn error(files: &[(&str, &str)]) -> String {
    let folder = folder(files);
    let error = format!("{:?}", generate(&folder).unwrap_err());
    error
        .replace(&format!("{}/", folder.path().display()), "")
        .replace(&folder.path().display().to_string(), ".")
}

#[test]
fn own_types_refer_to_each_other_and_to_bundled_types() {
    let own = folder(&[
        ("a/msg/Wheel.msg", "geometry_msgs/Point position\nb/Name name\n"),
        ("b/msg/Name.msg", "string text\n"),
    ]);
    let text = generate(&own).unwrap();
    assert!(text.contains("pub position: ::saltus::msgs::geometry_msgs::msg::Point,"), "{text}");
    assert!(text.contains("pub name: super::super::b::msg::Name,"), "{text}");
    assert!(!text.contains("pub struct Point"), "bundled types are not generated again");
}

#[test]
fn types_of_another_crate_are_not_generated_again() {
    let other = folder(&[("b/msg/Name.msg", "string text\n")]);
    let own = folder(&[("a/msg/Wheel.msg", "b/Name name\n")]);
    let builder = Builder::default().folder(own.path()).generated_by(other.path(), "::other");
    let text = builder.generate().unwrap();
    assert!(text.contains("pub name: ::other::b::msg::Name,"), "{text}");
    assert!(!text.contains("pub struct Name"), "{text}");
}

#[test]
fn an_error_begins_with_file_and_line() {
    let broken = error(&[("a/msg/Wheel.msg", "# A wheel\nfloat46 radius\n")]);
    assert!(broken.starts_with("a/msg/Wheel.msg:2:1: "), "{broken}");
    let unfinished = error(&[("a/srv/Turn.srv", "float64 angle\n")]);
    assert!(unfinished.starts_with("a/srv/Turn.srv:"), "{unfinished}");
    assert_eq!(
        error(&[("a/msg/Wheel.msg", "float64 radius\nb/Name name\n")]),
        "a/msg/Wheel.msg:2:1: unknown type `b/msg/Name`: it is neither bundled with Saltus nor in a folder that was \
         given to saltus_build; add the folder that holds its package"
    );
}

#[test]
fn a_file_name_that_is_not_in_camel_case_is_an_error_that_names_the_file() {
    let expected = "expected an interface name in CamelCase, such as `LaserScan`, found `";
    let with_underscore = error(&[("a/msg/wheel_two.msg", "float64 radius\n")]);
    assert_eq!(with_underscore, format!("a/msg/wheel_two.msg: {expected}wheel_two`; rename the file"));
    let in_lower_case = error(&[("a/msg/wheel.msg", "float64 radius\n")]);
    assert_eq!(in_lower_case, format!("a/msg/wheel.msg:1:1: {expected}wheel`"));
}

#[test]
fn a_folder_without_definitions_is_an_error() {
    let text = "no definition found; expected <package>/msg/<Name>.msg (or srv, action), or a package.xml beside msg/";
    assert_eq!(error(&[]), format!(".: {text}"));
    assert_eq!(error(&[("msg/Wheel.msg", "float64 radius\n")]), format!(".: {text}"));
}

#[test]
fn a_copy_of_a_bundled_type_is_not_generated_and_another_type_with_its_name_is_an_error() {
    let copy = folder(&[
        ("std_msgs/msg/ColorRGBA.msg", "float32 r\nfloat32 g\nfloat32 b\nfloat32 a\n"),
        ("a/msg/Lamp.msg", "std_msgs/ColorRGBA color\n"),
    ]);
    let text = generate(&copy).unwrap();
    assert!(text.contains("pub color: ::saltus::msgs::std_msgs::msg::ColorRGBA,"), "{text}");
    assert!(!text.contains("pub struct ColorRGBA"), "{text}");
    assert_eq!(
        error(&[("std_msgs/msg/ColorRGBA.msg", "uint8 r\n")]),
        "std_msgs/msg/ColorRGBA.msg: Saltus has a bundled type `std_msgs/msg/ColorRGBA` with other fields; rename the \
         type, or remove the file to use the bundled type"
    );
}

#[test]
fn the_same_text_is_not_written_twice() {
    let out = tempfile::tempdir().unwrap();
    let path = out.path().join(GENERATED);
    write(&path, "one").unwrap();
    let before = fs::metadata(&path).unwrap().modified().unwrap();
    write(&path, "one").unwrap();
    assert_eq!(fs::metadata(&path).unwrap().modified().unwrap(), before);
}
