//! The files are written once, and mended.

use std::fs;

use super::*;

#[test]
fn a_package_is_unpacked_and_mended() {
    let folder = tempfile::tempdir().unwrap();
    unpack(folder.path()).unwrap();
    let share = folder.path().join("share/nav");
    let launch = share.join("launch/bringup.launch.yaml");
    let before = fs::metadata(&launch).unwrap().modified().unwrap();
    unpack(folder.path()).unwrap();
    assert_eq!(fs::metadata(&launch).unwrap().modified().unwrap(), before);
    fs::write(&launch, "something else").unwrap();
    unpack(folder.path()).unwrap();
    assert_eq!(fs::read(&launch).unwrap(), FILES[0].1);
    let names = fs::read_dir(share.join("launch")).unwrap().count();
    assert_eq!(names, 1);
}
