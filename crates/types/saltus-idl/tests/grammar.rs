//! The grammar of definitions, and the errors of invalid definitions.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use saltus_idl::{Base, FieldType, Interfaces, Literal, Message, Primitive, ResolveError, Shape, SourceKind};

fn message(text: &str) -> Message {
    let mut interfaces = Interfaces::default();
    interfaces.add("demo", SourceKind::Message, "Thing", text).unwrap();
    interfaces.message("demo/msg/Thing").unwrap().clone()
}

/// Returns the text of the error that a definition gives.
fn error(kind: SourceKind, text: &str) -> String {
    Interfaces::default().add("demo", kind, "Thing", text).unwrap_err().to_string()
}

#[test]
fn fields_have_every_type_shape_and_default_of_the_grammar() {
    let thing = message(
        "bool a\nbyte[2] b\nchar[] c\nfloat32[<=3] d\nstring e \"hi there\"\nstring<=5[<=2] f\nwstring g\n\
         wstring<=9 h\nOther i\npkg/Other[4] j\nint8[2] k [1, -2]\n",
    );
    let shown: Vec<String> =
        thing.fields.iter().map(|field| format!("{} {}", field.ty, field.name)).collect();
    let want = [
        "bool a",
        "byte[2] b",
        "char[] c",
        "float32[<=3] d",
        "string e",
        "string<=5[<=2] f",
        "wstring g",
        "wstring<=9 h",
        "demo/Other i",
        "pkg/Other[4] j",
        "int8[2] k",
    ];
    assert_eq!(shown, want);
    assert_eq!(thing.fields[4].default, Some(Literal::Text("hi there".into())));
    assert_eq!(
        thing.fields[10].default,
        Some(Literal::List(vec![Literal::Integer(1), Literal::Integer(-2)]))
    );
    let two = FieldType { base: Base::Primitive(Primitive::Byte), shape: Shape::Array(2) };
    assert_eq!(thing.fields[1].ty, two);
}

#[test]
fn an_equals_sign_makes_a_line_a_constant() {
    let thing =
        message("int32 LIMIT = 0x10\nstring NAME='it\\'s'\nfloat64 X=-2.5e-3\nbool ON=True\nint32 limit");
    let values: Vec<_> = thing.constants.iter().map(|constant| constant.value.clone()).collect();
    let want =
        [Literal::Integer(16), Literal::Text("it's".into()), Literal::Float(-2.5e-3), Literal::Bool(true)];
    assert_eq!((values, thing.fields.len()), (want.to_vec(), 1));
}

#[test]
fn the_unexpected_rules_of_rosidl_apply() {
    let thing = message("# a comment\nint32\tx # [m]\n\n   \n\t# blank\nstring s a # b\n");
    assert_eq!(thing.fields[1].default, Some(Literal::Text("a".into())), "a # begins a comment");
    let quoted = message("string s \"a#b\"").fields[0].default.clone();
    assert_eq!(quoted, Some(Literal::Text("\"a".into())), "a # begins a comment between quotes too");
    let indented = "demo/msg/Thing.msg:1:3: expected a type at the start of the line, found `int32 x`";
    assert_eq!(error(SourceKind::Message, "  int32 x"), indented);
    assert!(error(SourceKind::Message, "string s \"a=b\"").contains("UPPER_CASE"), "an = makes a constant");
    assert!(error(SourceKind::Service, "int32 a\n--- \nint32 b").contains("expected exactly 1"));
    assert_eq!(message("").wire_fields()[0].name, "structure_needs_at_least_one_member");
    for absent in ["float128 a", "wchar a", "time a", "duration a"] {
        assert!(!error(SourceKind::Message, absent).is_empty(), "{absent}");
    }
    let header = Base::Nested("demo/msg/Header".parse().unwrap());
    assert_eq!(message("Header h").fields[0].ty.base, header, "Header is not a special case");
}

#[test]
fn an_error_has_its_place_what_was_expected_and_what_was_found() {
    for (text, want) in [
        ("int32", "demo/msg/Thing.msg:1:6: expected a name after the type, found the end of the line"),
        ("int32 a\nint32 a", "demo/msg/Thing.msg:2:7: expected a name not used before, found `a`"),
        (
            "int32 Bad",
            "demo/msg/Thing.msg:1:7: expected a field's name in lower case with single underscores, found `Bad`",
        ),
        ("int8 a 300", "demo/msg/Thing.msg:1:8: expected a number from -128 to 127 (`int8`), found `300`"),
        ("int8[0] a", "demo/msg/Thing.msg:1:6: expected a size from 1 to 4294967295, found `0`"),
        (
            "int8[2 a",
            "demo/msg/Thing.msg:1:1: expected an array written `T[]`, `T[N]` or `T[<=N]`, found `int8[2`",
        ),
        (
            "Other a 1",
            "demo/msg/Thing.msg:1:9: expected no value, because `demo/msg/Other` is not a primitive type, found `1`",
        ),
        (
            "int8[2] a [1]",
            "demo/msg/Thing.msg:1:11: expected exactly 2 values for `int8[2]`, not 1, found `[1]`",
        ),
        ("int32[<=] b", "demo/msg/Thing.msg:1:9: expected a size from 1 to 4294967295, found `] b`"),
        ("int32 =5", "demo/msg/Thing.msg:1:7: expected a constant's name in UPPER_CASE, found `=5`"),
        ("é a", "demo/msg/Thing.msg:1:1: expected a primitive type, `Name` or `package/Name`, found `é`"),
        (
            "Other X=1",
            "demo/msg/Thing.msg:1:1: expected a primitive type before a constant (a line with `=` is a constant), found `Other`",
        ),
    ] {
        assert_eq!(error(SourceKind::Message, text), want);
    }
    assert_eq!(
        error(SourceKind::Action, "int32 a"),
        "demo/action/Thing.action:1:1: expected exactly 2 lines that are `---`, found 0"
    );
    assert_eq!(
        error(SourceKind::Service, "---\nint32 a\n---\nint32 b"),
        "demo/srv/Thing.srv:3:1: expected exactly 1 line that is `---`, found 2"
    );
    let bad = Interfaces::default().add("Demo", SourceKind::Message, "thing", "").unwrap_err();
    assert!(bad.expected.contains("package name"), "{bad}");
}

#[test]
fn an_error_in_a_later_section_names_the_line_of_the_file() {
    assert!(
        error(SourceKind::Service, "int32 a\n---\nint32 b\nint32").starts_with("demo/srv/Thing.srv:4:6:")
    );
}

#[test]
fn unknown_recursive_and_too_deep_types_are_errors() {
    let mut interfaces = Interfaces::default();
    let mut add = |name: &str, text: &str| interfaces.add("demo", SourceKind::Message, name, text).unwrap();
    add("User", "int32 a\nMissing m");
    add("A", "B b");
    add("B", "A[] a");
    (0..100).for_each(|i| add(&format!("Deep{i}"), &format!("Deep{} next", i + 1)));
    add("Deep100", "int32 x");
    let error = |name: &str| interfaces.type_hash(name).unwrap_err().to_string();
    assert_eq!(error("demo/msg/User"), "demo/msg/User.msg:2:1: unknown type `demo/msg/Missing`");
    assert_eq!(error("demo/msg/A"), "demo/msg/B.msg:1:1: `demo/msg/A` contains itself");
    let deep = "demo/msg/Deep64.msg:1:1: types nested more than 64 levels deep, at `demo/msg/Deep65`";
    assert_eq!(error("demo/msg/Deep0"), deep);
}

#[test]
fn the_depth_of_nesting_does_not_depend_on_the_order_of_fields() {
    let mut interfaces = Interfaces::default();
    let mut add = |name: &str, text: &str| interfaces.add("demo", SourceKind::Message, name, text).unwrap();
    for chain in ["E", "F"] {
        (0..40).for_each(|i| add(&format!("{chain}{i}"), &format!("{chain}{} next", i + 1)));
    }
    add("E40", "int32 x");
    add("F40", "E0 e");
    add("FirstE", "E0 e\nF0 f");
    add("FirstF", "F0 f\nE0 e");
    for name in ["demo/msg/FirstE", "demo/msg/FirstF"] {
        assert!(matches!(interfaces.type_hash(name), Err(ResolveError::TooDeep { .. })), "{name}");
    }
    assert!(interfaces.type_hash("demo/msg/E0").is_ok());
}
