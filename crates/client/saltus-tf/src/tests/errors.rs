//! The texts of errors, which are those of ROS 2.

use super::{at, set, stamped};
use crate::{Buffer, StampedTransform, Transform, TransformError};

/// Returns the text of the same error by ROS 2's `canTransform`.
fn can_transform_text(want: &str) -> String {
    let text =
        want.replace("lookupTransform", "canTransform").replace("Invalid argument", "Invalid frame ID");
    match text.strip_suffix(" does not exist. ") {
        Some(known) => format!("Invalid frame ID {known} - frame does not exist"),
        None => text,
    }
}

#[test]
fn too_many_and_too_long_names_are_refused() {
    let buffer = Buffer::default();
    let long = "x".repeat(1025);
    let error = buffer.set(&stamped("map", &long, at(1.0), 1.0), "me").unwrap_err();
    let want = "Ignoring transform from authority \"me\" because a frame id is longer than 1024 bytes";
    assert_eq!(error.to_string(), want);
    // The names of a transform that is refused are not kept.
    set(&buffer, "map", "base", at(1.0), 1.0);
    assert!(buffer.set(&stamped("other", "base", at(1.0), 1.0), "me").is_err());
    assert!(!buffer.has_frame("other"));
    for number in 2..10_000 {
        set(&buffer, "map", &number.to_string(), at(1.0), 1.0);
    }
    let error = buffer.set(&stamped("map", "more", at(1.0), 1.0), "me").unwrap_err();
    let want = "Ignoring transform of frame \"more\" because there are 10000 frames already";
    assert_eq!(error.to_string(), want);
    set(&buffer, "map", "9999", at(2.0), 1.0);
}

#[test]
fn errors_of_lookups() {
    let buffer = Buffer::default();
    set(&buffer, "map", "base", at(2.0), 1.0);
    set(&buffer, "map", "once", at(2.0), 1.0);
    set(&buffer, "map", "base", at(3.0), 1.0);
    set(&buffer, "world", "camera", at(2.0), 1.0);
    for (target, source, time, want) in [
        (
            "map",
            "base",
            1.0,
            "Lookup would require extrapolation into the past.  Requested time 1.000000 but the earliest data is at time \
             2.000000, when looking up transform from frame [base] to frame [map]",
        ),
        (
            "base",
            "map",
            4.5,
            "Lookup would require extrapolation into the future.  Requested time 4.500000 but the latest data is at time \
             3.000000, when looking up transform from frame [map] to frame [base]",
        ),
        (
            "map",
            "once",
            2.5,
            "Lookup would require extrapolation at time 2.500000, but only time 2.000000 is in the buffer, when looking up \
             transform from frame [once] to frame [map]",
        ),
        // Both have no transform at this time. The error is about the target.
        (
            "once",
            "base",
            4.5,
            "Lookup would require extrapolation at time 4.500000, but only time 2.000000 is in the buffer, when looking up \
             transform from frame [base] to frame [once]",
        ),
        (
            "base",
            "once",
            4.5,
            "Lookup would require extrapolation into the future.  Requested time 4.500000 but the latest data is at time \
             3.000000, when looking up transform from frame [once] to frame [base]",
        ),
        (
            "map",
            "camera",
            0.0,
            "Could not find a connection between 'map' and 'camera' because they are not part of the same tree.Tf has two or \
             more unconnected trees.",
        ),
        ("none", "base", 0.0, "\"none\" passed to lookupTransform argument target_frame does not exist. "),
        ("map", "none", 0.0, "\"none\" passed to lookupTransform argument source_frame does not exist. "),
        (
            "/map",
            "base",
            0.0,
            "Invalid argument \"/map\" passed to lookupTransform argument target_frame - in tf2 frame_ids cannot start with a \
             '/'",
        ),
        (
            "map",
            "",
            0.0,
            "Invalid argument \"\" passed to lookupTransform argument source_frame - in tf2 frame_ids cannot be empty",
        ),
    ] {
        let error = buffer.lookup(target, source, at(time)).unwrap_err();
        assert_eq!(error.to_string(), want);
        let reason = buffer.can_transform(target, source, at(time)).unwrap_err();
        assert_eq!(reason.to_string(), can_transform_text(want));
    }
    let error = buffer.lookup_across("map", at(2.0), "base", at(2.0), "none").unwrap_err();
    let want = "\"none\" passed to lookupTransform argument fixed_frame does not exist. ";
    assert_eq!(error.to_string(), want);
}

#[test]
fn errors_of_transforms_that_are_set() {
    let buffer = Buffer::default();
    for (parent, child) in [("map", "odom"), ("odom", "base"), ("/base", "/laser")] {
        set(&buffer, parent, child, at(1.0), 1.0);
    }
    buffer.set_static(&stamped("base", "camera", at(0.0), 1.0), "calibration").unwrap();
    for (parent, child, want) in [
        (
            "base",
            "base",
            "TF_SELF_TRANSFORM: Ignoring transform from authority \"me\" with frame_id and  child_frame_id \"base\" because \
             they are the same",
        ),
        (
            "base",
            "",
            "TF_NO_CHILD_FRAME_ID: Ignoring transform from authority \"me\" because child_frame_id not set ",
        ),
        (
            "",
            "base",
            "TF_NO_FRAME_ID: Ignoring transform with child_frame_id \"base\"  from authority \"me\" because frame_id not set",
        ),
        (
            "laser",
            "map",
            "TF_LOOP: Ignoring transform from \"map\" to \"laser\" from authority \"me\" because \"laser\" is below \"map\"",
        ),
        (
            "map",
            "base",
            "TF_REPARENT: Ignoring transform from \"base\" to \"map\" from authority \"me\" because its parent is \"odom\", \
             according to authority \"test\"",
        ),
        (
            "map",
            "camera",
            "TF_REPARENT: Ignoring transform from \"camera\" to \"map\" from authority \"me\" because its parent is \"base\", \
             according to authority \"calibration\"",
        ),
    ] {
        let error = buffer.set(&stamped(parent, child, at(1.5), 1.0), "me").unwrap_err();
        assert_eq!(error.to_string(), want);
    }
    // After the cache time, the frame may have another parent, but still no loop.
    set(&buffer, "map", "base", at(11.5), 5.0);
    assert_eq!(buffer.parent("base").as_deref(), Some("map"));
    let error = buffer.set(&stamped("laser", "base", at(30.0), 1.0), "me").unwrap_err();
    assert!(error.to_string().starts_with("TF_LOOP"), "{error}");
    assert_eq!(buffer.parent("base").as_deref(), Some("map"));
}

#[test]
fn numbers_that_are_no_transform() {
    for (translation, rotation, want) in [
        ([f64::NAN, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0], TransformError::NotFinite),
        ([0.0; 3], [f64::INFINITY, 0.0, 0.0, 1.0], TransformError::NotFinite),
        ([0.0; 3], [0.0; 4], TransformError::NotNormalized),
        ([0.0; 3], [0.0, 0.0, 0.0, 1.01], TransformError::NotNormalized),
    ] {
        assert_eq!(Transform::new(translation, rotation), Err(want));
    }
    // A small difference is corrected.
    let transform = Transform::new([0.0; 3], [0.0, 0.0, 0.0, 1.004]).unwrap();
    assert_eq!(transform.rotation(), [0.0, 0.0, 0.0, 1.0]);
    let stamped = StampedTransform::new("a", "b", at(0.0), transform);
    assert_eq!((&*stamped.parent, &*stamped.child), ("a", "b"));
}
