//! The functions that the fuzz targets call with their input. They must not panic, whatever the input is.
//!
//! The targets themselves are in `fuzz/targets`. They need a fuzzer, and `make fuzz` runs them. A test calls the same
//! functions with every input of the corpus, on the stable toolchain. [`rcl`] compares answers with those of ROS 2's rcl.

pub mod files;
pub mod launch;
pub mod rcl;
pub mod rmw;
pub mod xrce;

use std::{fmt::Debug, sync::LazyLock};

use saltus_cdr::{Message, bytemuck, decode, encode, view};
use saltus_dynamic::{
    Filter, Schema, Value, YamlStyle, decode as dynamic_decode, encode as dynamic_encode, from_yaml, to_yaml,
};
use saltus_idl::{Interfaces, SourceKind, TypeName};

type Check = fn(&[u8]);

/// Decodes bytes as a bundled message, both as a value and as a view. Both must succeed, or both must fail. The encoded
/// value must be the same after it was decoded and encoded again.
///
/// The first two bytes select the message type, so that one corpus contains inputs for all types.
pub fn cdr(data: &[u8]) {
    let Some((index, bytes)) = data.split_first_chunk::<2>() else { return };
    let mut checks: Vec<Check> = Vec::new();
    macro_rules! add {
        ($ty:ty) => {
            checks.push(check::<$ty>);
        };
    }
    saltus_msgs::for_each_message!(add);
    checks[usize::from(u16::from_le_bytes(*index)) % checks.len()](bytes);
}

fn check<M: Message>(bytes: &[u8])
where
    for<'a> M::View<'a>: Debug,
{
    let (value, seen) = (decode::<M>(bytes), view::<M>(bytes));
    assert_eq!(value.is_ok(), seen.is_ok(), "value and view disagree");
    // Formatting a view reads every element. A view borrows only bytes that are aligned, and copies others. So an
    // unaligned and an aligned view are formatted, and the two texts must be the same.
    let unaligned = format!("{seen:?}");
    let words = aligned(bytes);
    let aligned_bytes = &bytemuck::cast_slice::<u64, u8>(&words)[4..4 + bytes.len()];
    assert_eq!(format!("{:?}", view::<M>(aligned_bytes)), unaligned, "aligned and unaligned view disagree");
    if let Ok(value) = value {
        let written = encode(&value);
        let again = written.and_then(|written| encode(&decode::<M>(&written)?).map(|again| (written, again)));
        assert!(
            again.is_ok_and(|(written, again)| written == again),
            "the value differs after it was encoded and decoded"
        );
    }
}

/// Copies a message into words. The message begins at byte 4, so that its body is aligned to 8 bytes.
fn aligned(bytes: &[u8]) -> Vec<u64> {
    let mut words = vec![0u64; 1 + bytes.len().div_ceil(8)];
    bytemuck::cast_slice_mut::<u64, u8>(&mut words)[4..4 + bytes.len()].copy_from_slice(bytes);
    words
}

/// Parses text as each kind of definition, also in OMG IDL, and computes the hashes of the types that it defines.
pub fn definition(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    for kind in [SourceKind::Message, SourceKind::Service, SourceKind::Action] {
        let mut interfaces = Interfaces::default();
        if interfaces.add("fuzz", kind, "Fuzz", &text).is_ok() {
            let names: Vec<String> = interfaces.messages().map(|message| message.name.to_string()).collect();
            // Most of these types refer to types that do not exist. This must be an error, not a panic.
            names.iter().for_each(|name| drop(interfaces.type_hash(name)));
        }
        idl(kind, &text);
    }
}

/// Parses text as a definition in OMG IDL. Its form as lines must define the same type.
fn idl(kind: SourceKind, text: &str) {
    let (mut one, mut two) = (Interfaces::default(), Interfaces::default());
    let name = TypeName::new("fuzz", kind.extension(), "Fuzz");
    if one.add_idl(name.clone(), kind, "Fuzz.idl", text).is_err() {
        return;
    }
    let lines = one.definition_text(&name.to_string()).expect("what was added has a text");
    // The names of OMG IDL need not be those of `.msg` files. Everything else can be written as lines.
    match two.add(&name.package, kind, &name.name, &lines) {
        Ok(()) => {
            assert_eq!(two.type_hash(&name.to_string()).ok(), one.type_hash(&name.to_string()).ok());
        }
        Err(error) => {
            assert!(error.expected.contains("name") || error.expected.contains("primitive type"), "{error}");
        }
    }
}

/// Parses the text before the first line break as the description of a type, and decodes the bytes after it as a message
/// of that type.
pub fn description(data: &[u8]) {
    let end = data.iter().position(|byte| *byte == b'\n').unwrap_or(data.len());
    let mut interfaces = Interfaces::default();
    let Ok((name, hash)) = interfaces.add_description(&String::from_utf8_lossy(&data[..end])) else { return };
    // The type that was added must have the hash that was returned.
    assert_eq!(interfaces.type_hash(&name).ok(), Some(hash));
    let Ok(schema) = Schema::of(&interfaces, &name) else { return };
    let Ok(value) = dynamic_decode(&schema, data.get(end + 1..).unwrap_or_default()) else { return };
    let written = dynamic_encode(&schema, &value);
    let again = written
        .as_ref()
        .map(|bytes| dynamic_decode(&schema, bytes).map(|value| dynamic_encode(&schema, &value)));
    assert!(
        matches!((&written, again), (Ok(bytes), Ok(Ok(Ok(same)))) if *bytes == same),
        "the value differs after it was encoded and decoded"
    );
    let yaml = to_yaml(&schema, &value, &YamlStyle { truncate: None, ..YamlStyle::default() });
    let read = from_yaml(&schema, &yaml)
        .map(|value| to_yaml(&schema, &value, &YamlStyle { truncate: None, ..YamlStyle::default() }));
    assert!(read.is_ok_and(|read| read == yaml), "the value differs after it was written and read as YAML");
}

/// Parses text as a bundled message in YAML, as a parameter file, as the placements of executors, and as a condition on
/// the message. The first two bytes select the message type.
pub fn text(data: &[u8]) {
    let Some((index, text)) = data.split_first_chunk::<2>() else { return };
    let text = String::from_utf8_lossy(text);
    let schemas = bundled();
    let schema = &schemas[usize::from(u16::from_le_bytes(*index)) % schemas.len()];
    if let Ok(value) = from_yaml(schema, &text) {
        let bytes = dynamic_encode(schema, &value);
        assert!(
            bytes.is_ok_and(|bytes| dynamic_decode(schema, &bytes).is_ok()),
            "a value that was read can't be encoded and decoded"
        );
    }
    // An error is a valid result.
    let _ = saltus::context::read_params_file(&text);
    let _ = saltus::executor::Placements::parse(&text);
    if let Ok(filter) = text.parse::<Filter>() {
        let _ = filter.holds(schema, &Value::default_of(schema));
    }
}

/// Returns the schema of every bundled message.
fn bundled() -> &'static [Schema] {
    static ALL: LazyLock<Vec<Schema>> = LazyLock::new(|| {
        let mut interfaces = Interfaces::default();
        for definition in saltus_catalog::DEFINITIONS {
            let kinds = [SourceKind::Message, SourceKind::Service, SourceKind::Action];
            let kind = kinds.into_iter().find(|kind| kind.extension() == definition.kind);
            // No error is possible, because the generated code was made from the same definitions.
            let _ =
                kind.map(|kind| interfaces.add(definition.package, kind, definition.name, definition.text));
        }
        let names = interfaces.messages().map(|message| message.name.to_string());
        names.filter_map(|name| Schema::of(&interfaces, &name).ok()).collect()
    });
    &ALL
}

/// Decodes bytes as an entry of the registry of another process.
pub fn registry(data: &[u8]) {
    // An error is a valid result.
    let _ = saltus_graph::Entry::from_bytes(1, data);
}
