//! Every bundled message type: random values are converted to bytes and YAML and back, and random bytes give errors or
//! values.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{fs, path::Path};

use saltus_dynamic::{
    Numbers, Primitive, Schema, SchemaError, Value, YamlStyle, arbitrary::Random, decode, encode, from_yaml,
    to_json, to_yaml,
};
use saltus_idl::{Interfaces, SourceKind};

const WHOLE: YamlStyle = YamlStyle { truncate: None, no_arr: false, no_str: false };

/// Returns all definitions in `interfaces/`.
fn interfaces() -> Interfaces {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../interfaces");
    let names = |folder: &Path| {
        let entries = fs::read_dir(folder).into_iter().flatten();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect::<Vec<_>>()
    };
    let mut interfaces = Interfaces::default();
    for package in names(&root) {
        for kind in [SourceKind::Message, SourceKind::Service, SourceKind::Action] {
            let folder = root.join(&package).join(kind.extension());
            for file in names(&folder) {
                let text = fs::read_to_string(folder.join(&file)).unwrap();
                let name = file.rsplit_once('.').unwrap().0;
                interfaces.add(&package, kind, name, &text).unwrap();
            }
        }
    }
    interfaces
}

/// Returns the schemas of all messages.
fn schemas() -> Vec<Schema> {
    let interfaces = interfaces();
    interfaces.messages().map(|message| Schema::of(&interfaces, &message.name.to_string()).unwrap()).collect()
}

/// Whether two values are equal. Unlike with `==`, two floats that are not a number are equal.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Float32(a), Value::Float32(b)) => a == b || a.is_nan() && b.is_nan(),
        (Value::Float64(a), Value::Float64(b)) => a == b || a.is_nan() && b.is_nan(),
        (Value::Numbers(a), Value::Numbers(b)) => {
            a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| same(&a, &b))
        }
        (Value::List(a), Value::List(b)) | (Value::Message(a), Value::Message(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (a, b) => a == b,
    }
}

#[test]
fn random_values_of_every_type_can_be_read_from_their_bytes_and_yaml() {
    let mut random = Random::new(1);
    let schemas = schemas();
    for schema in &schemas {
        for _ in 0..8 {
            let value = random.message(schema);
            let bytes = encode(schema, &value).unwrap();
            assert!(same(&decode(schema, &bytes).unwrap(), &value), "{}", schema.name());
            let yaml = to_yaml(schema, &value, &WHOLE);
            let read = from_yaml(schema, &yaml).unwrap_or_else(|e| panic!("{}: {e}\n{yaml}", schema.name()));
            assert!(same(&read, &value), "{}:\n{yaml}\n{value:?}\n{read:?}", schema.name());
            serde_json::from_str::<serde_json::Map<_, _>>(&to_json(schema, &value)).unwrap();
        }
    }
    println!("{} types, 8 values each", schemas.len());
}

#[test]
fn types_whose_fixed_parts_are_too_large_are_errors() {
    let mut interfaces = Interfaces::default();
    interfaces.add("a", SourceKind::Message, "Huge", "uint8[4294967295] x").unwrap();
    interfaces.add("a", SourceKind::Message, "Level0", "uint8 x").unwrap();
    for level in 1..60 {
        let text = format!("Level{0} a\nLevel{0} b", level - 1);
        interfaces.add("a", SourceKind::Message, &format!("Level{level}"), &text).unwrap();
    }
    for name in ["a/msg/Huge", "a/msg/Level59"] {
        let error = Schema::of(&interfaces, name).unwrap_err();
        assert!(matches!(error, SchemaError::TooLarge { .. }), "{error}");
    }
    assert!(Schema::of(&interfaces, "a/msg/Level10").is_ok());
}

#[test]
fn defaults_are_those_of_the_generated_types() {
    let interfaces = interfaces();
    macro_rules! check {
        ($ty:ty) => {
            let name = <$ty as saltus_cdr::Message>::TYPE_NAME;
            let schema = Schema::of(&interfaces, name).unwrap();
            let bytes = encode(&schema, &Value::default_of(&schema)).unwrap();
            assert_eq!(bytes, saltus_cdr::encode(&<$ty>::default()).unwrap(), "{name}");
        };
    }
    saltus_msgs::for_each_message!(check);
}

#[test]
fn values_of_the_reference_are_read_and_written_byte_for_byte() {
    let interfaces = interfaces();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../spec/vectors/rosbags_cdr.txt");
    let text = fs::read_to_string(path).unwrap();
    let from_hex = |text: &str| -> Vec<u8> {
        text.as_bytes()
            .chunks(2)
            .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
            .collect()
    };
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let parts: Vec<&str> = line.split(' ').collect();
        let schema = Schema::of(&interfaces, parts[0]).unwrap();
        let little = from_hex(parts[1]);
        let value = decode(&schema, &little).unwrap();
        assert_eq!(encode(&schema, &value).unwrap(), little, "{}", parts[0]);
        assert!(same(&decode(&schema, &from_hex(parts[2])).unwrap(), &value), "{}, big-endian", parts[0]);
    }
}

#[test]
fn random_bytes_are_errors_or_values() {
    let mut random = Random::new(1);
    let schemas = schemas();
    for _ in 0..20_000 {
        let schema = &schemas[random.below(schemas.len())];
        let mut bytes = vec![0, 1, 0, 0];
        let length = random.below(64);
        // Small numbers are more likely to be valid counts.
        bytes.extend(
            (0..length)
                .map(|_| if random.below(2) == 0 { random.below(4) as u8 } else { random.bits() as u8 }),
        );
        if let Ok(value) = decode(schema, &bytes) {
            let again = encode(schema, &value).unwrap();
            assert!(same(&decode(schema, &again).unwrap(), &value), "{}", schema.name());
        }
    }
}

#[test]
fn the_error_for_an_invalid_value_has_its_place_and_what_was_expected() {
    let interfaces = interfaces();
    for (name, yaml, want) in [
        (
            "std_msgs/msg/String",
            "{dat: x}",
            "line 1, column 7: `std_msgs/msg/String` has no field `dat`: it has data",
        ),
        (
            "std_msgs/msg/UInt8",
            "data: 256",
            "line 1, column 7: expected a whole number from 0 to 255, found `256`",
        ),
        ("std_msgs/msg/Int32", "data: 1.5", "found `1.5`"),
        ("std_msgs/msg/Bool", "data: maybe", "expected `true` or `false`, found `maybe`"),
        ("std_msgs/msg/Float64", "data: [1]", "expected a number, found a list"),
        ("geometry_msgs/msg/PoseWithCovariance", "covariance: [1, 2]", "expected exactly 36 values, found 2"),
        (
            "geometry_msgs/msg/Pose",
            "position: 5",
            "expected the fields of `geometry_msgs/msg/Point` as a mapping",
        ),
        ("std_msgs/msg/String", "data: {a: 1}", "expected text, found a mapping"),
        ("std_msgs/msg/String", "[", "line"),
    ] {
        let schema = Schema::of(&interfaces, name).unwrap();
        let error = from_yaml(&schema, yaml).unwrap_err().to_string();
        assert!(error.contains(want), "{yaml}: {error}");
    }
}

/// The expected texts are those of `ros2 topic echo`, as in the documentation of `rosidl_runtime_py`.
#[test]
fn echo_prints_block_style() {
    let interfaces = interfaces();
    let state = Schema::of(&interfaces, "sensor_msgs/msg/JointState").unwrap();
    let value =
        from_yaml(&state, "{header: {frame_id: map}, name: [a, 'b: c'], position: [0.5, 1]}").unwrap();
    let want = "header:\n  stamp:\n    sec: 0\n    nanosec: 0\n  frame_id: map\nname:\n- a\n- 'b: c'\nposition:\n- 0.5\n- 1.0\nvelocity: []\neffort: []\n";
    assert_eq!(to_yaml(&state, &value, &YamlStyle::default()), want);
    let tf = Schema::of(&interfaces, "tf2_msgs/msg/TFMessage").unwrap();
    let value = from_yaml(&tf, "transforms: [{child_frame_id: a}]").unwrap();
    let yaml = to_yaml(&tf, &value, &YamlStyle::default());
    assert!(yaml.starts_with("transforms:\n- header:\n    stamp:\n      sec: 0\n"), "{yaml}");
    let image = Schema::of(&interfaces, "sensor_msgs/msg/Image").unwrap();
    let mut value = Value::default_of(&image);
    let Value::Message(fields) = &mut value else { panic!("an image is a message") };
    fields[6] = Value::Numbers(Numbers::of(Primitive::Uint8, (0..200).map(|_| Value::Unsigned(7))).unwrap());
    let yaml = to_yaml(&image, &value, &YamlStyle::default());
    assert_eq!(yaml.matches("- 7\n").count(), 128);
    assert!(yaml.ends_with("- 7\n- '...'\n"), "{yaml}");
    let short = YamlStyle { no_arr: true, ..YamlStyle::default() };
    assert!(to_yaml(&image, &value, &short).ends_with("data: '<sequence type: uint8, length: 200>'\n"));
    let empty = Schema::of(&interfaces, "std_msgs/msg/Empty").unwrap();
    assert_eq!(to_yaml(&empty, &Value::default_of(&empty), &short), "{}\n");
}
