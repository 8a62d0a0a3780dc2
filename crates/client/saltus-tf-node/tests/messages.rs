//! Messages are transformed, and held until their transform is there.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::{Arc, Mutex};

use saltus::{
    Time,
    msgs::{
        geometry_msgs::msg::{
            Point, Point32, PointStamped, Polygon, PolygonStamped, Pose, PoseStamped, PoseWithCovariance,
            PoseWithCovarianceStamped, Quaternion, QuaternionStamped, Vector3, Vector3Stamped, Wrench,
            WrenchStamped,
        },
        sensor_msgs::msg::{PointCloud2, PointField},
        std_msgs::msg::Header,
    },
    tf::{Buffer, MessageError, MessageFilter, StampedTransform, Transform, Transformed},
};

const LASER: &str = "laser";

fn header() -> Header {
    Header { frame_id: LASER.into(), ..Header::default() }
}

/// The laser is 1 m before the base, and looks to the left.
fn buffer() -> Buffer {
    let buffer = Buffer::default();
    let laser = Transform::from_xyz_rpy([1.0, 0.0, 0.0], [0.0, 0.0, std::f64::consts::FRAC_PI_2]);
    buffer.set_static(&StampedTransform::new("base", LASER, Time::default(), laser), "test").unwrap();
    buffer
}

fn is_near(left: f64, right: f64) -> bool {
    (left - right).abs() < 1e-9
}

#[test]
fn points_vectors_and_rotations() {
    let buffer = buffer();
    let point = PointStamped { header: header(), point: Point { x: 2.0, y: 0.5, z: 3.0 } };
    let point = point.transformed(&buffer, "base").unwrap();
    assert_eq!(point.header.frame_id, "base");
    let Point { x, y, z } = point.point;
    assert!(is_near(x, 0.5) && is_near(y, 2.0) && is_near(z, 3.0));
    let vector = Vector3Stamped { header: header(), vector: Vector3 { x: 2.0, y: 0.0, z: 0.0 } };
    let Vector3 { x, y, .. } = vector.transformed(&buffer, "base").unwrap().vector;
    assert!(is_near(x, 0.0) && is_near(y, 2.0));
    let force = Vector3 { x: 1.0, y: 0.0, z: 0.0 };
    let wrench = WrenchStamped { header: header(), wrench: Wrench { force, torque: force } };
    let wrench = wrench.transformed(&buffer, "base").unwrap().wrench;
    assert!(is_near(wrench.force.y, 1.0) && is_near(wrench.torque.y, 1.0));
    let rotation =
        QuaternionStamped { header: header(), quaternion: Quaternion { w: 1.0, ..Default::default() } };
    let half = std::f64::consts::FRAC_1_SQRT_2;
    let Quaternion { z, w, .. } = rotation.transformed(&buffer, "base").unwrap().quaternion;
    assert!(is_near(z, half) && is_near(w, half));
    let corner = Point32 { x: 1.0, y: 0.0, z: 0.0 };
    let polygon = PolygonStamped { header: header(), polygon: Polygon { points: vec![corner] } };
    let moved = polygon.transformed(&buffer, "base").unwrap().polygon.points[0];
    assert!((moved.x - 1.0).abs() < 1e-6 && (moved.y - 1.0).abs() < 1e-6);
}

#[test]
fn poses_with_their_covariances() {
    let pose = Pose {
        position: Point { x: 2.0, y: 0.0, z: 0.0 },
        orientation: Quaternion { w: 1.0, ..Default::default() },
    };
    let stamped = PoseStamped { header: header(), pose };
    let moved = stamped.transformed(&buffer(), "base").unwrap().pose;
    assert!(is_near(moved.position.x, 1.0) && is_near(moved.position.y, 2.0));
    let mut covariance = [0.0; 36];
    // The variances of x, y and yaw, and what x and yaw have in common.
    (covariance[0], covariance[7], covariance[35]) = (4.0, 1.0, 0.5);
    (covariance[5], covariance[30]) = (0.3, 0.3);
    let pose = PoseWithCovariance { pose, covariance };
    let stamped = PoseWithCovarianceStamped { header: header(), pose };
    let moved = stamped.transformed(&buffer(), "base").unwrap().pose.covariance;
    for (index, want) in [(0, 1.0), (7, 4.0), (35, 0.5), (5, 0.0), (11, 0.3), (31, 0.3), (1, 0.0)] {
        assert!(is_near(moved[index], want), "{index}: {}", moved[index]);
    }
    let wrong = PoseStamped { header: header(), pose: Pose::default() };
    let wrong = PoseStamped {
        pose: Pose { orientation: Quaternion { w: 0.0, ..Default::default() }, ..wrong.pose },
        ..wrong
    };
    let error = wrong.transformed(&buffer(), "base").unwrap_err();
    let want = "the message can't be transformed: the quaternion of the transform does not have the length 1";
    assert_eq!(error.to_string(), want);
}

fn field(name: &str, offset: u32, datatype: u8) -> PointField {
    PointField { name: name.into(), offset, datatype, count: 1 }
}

/// Returns a cloud of two rows with three points of 16 bytes, and 4 bytes after each row.
fn cloud(is_bigendian: bool) -> PointCloud2 {
    let mut data = Vec::new();
    for row in 0..2 {
        for column in 0..3 {
            for value in [1.0, row as f32, column as f32, 9.0] {
                data.extend(if is_bigendian { value.to_be_bytes() } else { value.to_le_bytes() });
            }
        }
        data.extend([7; 4]);
    }
    PointCloud2 {
        header: header(),
        height: 2,
        width: 3,
        fields: vec![
            field("x", 0, PointField::FLOAT32),
            field("y", 4, PointField::FLOAT32),
            field("z", 8, PointField::FLOAT32),
            field("intensity", 12, PointField::FLOAT32),
        ],
        is_bigendian,
        point_step: 16,
        row_step: 52,
        data,
        is_dense: true,
    }
}

#[test]
fn the_points_of_a_cloud() {
    for is_bigendian in [false, true] {
        let moved = cloud(is_bigendian).transformed(&buffer(), "base").unwrap();
        let value = |row: usize, column: usize, index: usize| {
            let begin = row * 52 + column * 16 + index * 4;
            let bytes: [u8; 4] = moved.data[begin..begin + 4].try_into().unwrap();
            if is_bigendian { f32::from_be_bytes(bytes) } else { f32::from_le_bytes(bytes) }
        };
        for (row, column) in [(0, 0), (0, 2), (1, 1)] {
            let got = [0, 1, 2, 3].map(|index| value(row, column, index));
            let want = [1.0 - row as f32, 1.0, column as f32, 9.0];
            assert!(got.iter().zip(want).all(|(left, right)| (left - right).abs() < 1e-6), "{got:?}");
        }
        assert_eq!(moved.data[48..52], [7; 4]);
    }
    let empty = PointCloud2 { height: 0, width: 0, row_step: 0, data: Vec::new(), ..cloud(false) };
    assert!(empty.transformed(&buffer(), "base").is_ok());
}

#[test]
fn clouds_that_do_not_fit_their_description_are_errors() {
    let content = |change: fn(&mut PointCloud2)| {
        let mut cloud = cloud(false);
        change(&mut cloud);
        match cloud.transformed(&buffer(), "base") {
            Err(MessageError::Content(text)) => text,
            other => panic!("{other:?}"),
        }
    };
    for (text, want) in [
        (content(|cloud| drop(cloud.fields.remove(1))), "the cloud has no field `y`"),
        (
            content(|cloud| cloud.fields[0].datatype = PointField::INT8),
            "the field `x` has the type 1, and not FLOAT32 or FLOAT64",
        ),
        (content(|cloud| cloud.fields[2].offset = 13), "the field `z` is not within a point"),
        (content(|cloud| cloud.fields[2].offset = u32::MAX), "the field `z` is not within a point"),
        (content(|cloud| cloud.width = 4), "4 x 2 points of 16 bytes in rows of 52 are not in 104 bytes"),
        (content(|cloud| cloud.height = 3), "3 x 3 points of 16 bytes in rows of 52 are not in 104 bytes"),
        (
            content(|cloud| cloud.data.truncate(103)),
            "3 x 2 points of 16 bytes in rows of 52 are not in 103 bytes",
        ),
        (
            content(|cloud| (cloud.height, cloud.row_step) = (u32::MAX, u32::MAX)),
            "3 x 4294967295 points of 16 bytes in rows of 4294967295 are not in 104 bytes",
        ),
    ] {
        assert_eq!(text, want);
    }
}

#[test]
fn a_message_is_transformed_across_two_times() {
    let buffer = Buffer::default();
    for (nanos, x) in [(1, 0.0), (2, 5.0)] {
        let base =
            StampedTransform::new("map", "base", Time::from_nanos(nanos), Transform::from_xyz(x, 0.0, 0.0));
        buffer.set(&base, "test").unwrap();
    }
    let header = Header { stamp: Time::from_nanos(1).into(), frame_id: "base".into() };
    let landmark = PointStamped { header, point: Point { x: 7.0, y: 0.0, z: 0.0 } };
    let now = landmark.transformed_to_time(&buffer, "base", Time::from_nanos(2), "map").unwrap();
    assert_eq!((now.point.x, Time::from(now.header.stamp)), (2.0, Time::from_nanos(2)));
}

#[test]
fn a_filter_holds_messages_for_all_its_targets_and_counts_those_it_drops() {
    let (buffer, seen) =
        (Buffer::new(std::time::Duration::from_nanos(100)), Arc::new(Mutex::new(Vec::new())));
    let sink = seen.clone();
    let filter = MessageFilter::new(&buffer, &["map", "odom"], 2, move |message: u32| {
        sink.lock().unwrap().push(message);
    });
    let set = |parent: &str, child: &str, nanos: i64| {
        let stamped = StampedTransform::new(parent, child, Time::from_nanos(nanos), Transform::IDENTITY);
        buffer.set(&stamped, "test").unwrap();
    };
    for number in 1..=3 {
        filter.add("laser", Time::from_nanos(i64::from(number)), number);
    }
    assert_eq!((filter.waiting(), filter.dropped()), (2, 1), "there is room for two");
    set("odom", "laser", 1);
    set("odom", "laser", 2);
    assert!(seen.lock().unwrap().is_empty(), "the way to the map is missing");
    set("map", "odom", 1);
    set("map", "odom", 3);
    assert_eq!(*seen.lock().unwrap(), [2]);
    set("odom", "laser", 4);
    assert_eq!(*seen.lock().unwrap(), [2, 3]);
    // Its transform can never be there.
    set("odom", "laser", 400);
    set("map", "odom", 400);
    filter.add("laser", Time::from_nanos(5), 5);
    assert_eq!((filter.waiting(), filter.dropped()), (0, 2));
    filter.add("laser", Time::from_nanos(500), 6);
    filter.clear();
    assert_eq!((filter.waiting(), filter.dropped()), (0, 2));
    drop(filter);
    set("odom", "laser", 600);
    assert_eq!(*seen.lock().unwrap(), [2, 3]);
}
