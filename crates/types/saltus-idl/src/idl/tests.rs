//! Tests of the parser for `.idl` files.

use crate::{Interfaces, Literal, SourceKind, TypeName};

fn add(interfaces: &mut Interfaces, kind: SourceKind, text: &str) -> Result<(), String> {
    let name = TypeName::new("demo", kind.extension(), "Wheel");
    interfaces.add_idl(name, kind, "Wheel.idl", text).map_err(|error| error.to_string())
}

/// Returns the text in `.msg` form of a message that is defined by the content of its innermost module.
fn message(content: &str) -> Result<String, String> {
    let mut interfaces = Interfaces::default();
    add(&mut interfaces, SourceKind::Message, &format!("module demo {{ module msg {{ {content} }}; }};"))?;
    Ok(interfaces.definition_text("demo/msg/Wheel").expect("what was added has a text"))
}

#[test]
fn every_type_of_the_two_languages_is_read() {
    let content = r#"
        // a comment
        /*////
         banner */
        /* and another
           one */
        typedef double double__3[3];
        typedef geometry_msgs::msg::Pose geometry_msgs__msg__Pose;
        typedef geometry_msgs__msg__Pose geometry_msgs__msg__Pose__2[2];
        @verbatim (language="comment", text="What turns." "\n" "It is \"round\" (mostly).")
        struct Wheel {
            boolean a; octet b; int8 c; uint8 d; short e; unsigned short f; long g; unsigned long h;
            long long i; unsigned long long j; int16 k; uint32 l; int64 m, m2; uint64 n; float o; double p;
            string q; string<5> r; wstring s; wstring<7> t;
            sequence<int32> u; sequence<int32, 3> v; sequence<string<5>, 3> w; sequence<demo::msg::Other> x;
            double__3 y; geometry_msgs__msg__Pose__2 z; float zz[4];
            @key @unit(value="m") ::demo::msg::Other last;
        };"#;
    let want = "bool a\nbyte b\nint8 c\nuint8 d\nint16 e\nuint16 f\nint32 g\nuint32 h\nint64 i\nuint64 j\nint16 k\n\
        uint32 l\nint64 m\nint64 m2\nuint64 n\nfloat32 o\nfloat64 p\nstring q\nstring<=5 r\nwstring s\nwstring<=7 t\n\
        int32[] u\nint32[<=3] v\nstring<=5[<=3] w\ndemo/Other[] x\nfloat64[3] y\ngeometry_msgs/Pose[2] z\n\
        float32[4] zz\ndemo/Other last\n";
    assert_eq!(message(content).unwrap(), want);
}

#[test]
fn constants_and_defaults_are_read() {
    let content = r#"
        module Wheel_Constants {
            const uint8 OK = 0; const long LOW = -5; const boolean ON = TRUE; const double HALF = 5.0e-1;
            const string NAME = "a \"b\"" "\x41\101\("; const unsigned long MOST = 3;
        };
        module Other_Constants { const uint8 NOT_HERE = 1; };
        struct Wheel {
            @default (value=-7) int8 a;
            @default (value="it's") string b;
            @default (value="(0, 127, -128)") int8 c[3];
            @default (value="('', 'max value')") sequence<string, 2> d;
            @default (value="(True,)") sequence<boolean> e;
            @default (value=FALSE) boolean f;
            @default (value=2) float g;
            sequence<double, MOST> h;
        };"#;
    let want = "uint8 OK=0\nint32 LOW=-5\nbool ON=true\nfloat64 HALF=0.5\nstring NAME='a \"b\"AA\\('\nuint32 MOST=3\n\
        int8 a -7\nstring b \"it's\"\nint8[3] c [0, 127, -128]\nstring[<=2] d [\"\", \"max value\"]\n\
        bool[] e [true]\nbool f false\nfloat32 g 2.0\nfloat64[<=3] h\n";
    assert_eq!(message(content).unwrap(), want);
}

#[test]
fn a_text_in_msg_form_defines_the_same_type() {
    let content = r#"
        module Wheel_Constants { const string NAME = "it's \"so\""; const float SLOW = 1.0e-30; };
        struct Wheel { @default (value="('a', 'b,c')") string a[2]; @default (value="x # y") string b; };"#;
    let text = format!("module demo {{ module msg {{ {content} }}; }};");
    let (mut one, mut two) = (Interfaces::default(), Interfaces::default());
    add(&mut one, SourceKind::Message, &text).unwrap();
    let text = one.definition_text("demo/msg/Wheel").unwrap();
    assert!(text.contains("string b\n"), "no default of a .msg file can contain `#`: {text}");
    two.add("demo", SourceKind::Message, "Wheel", &text).unwrap();
    let (one, two) = (one.message("demo/msg/Wheel").unwrap(), two.message("demo/msg/Wheel").unwrap());
    assert_eq!(one.constants, two.constants);
    assert_eq!(one.fields[0].default, two.fields[0].default);
    assert_eq!(one.fields[1].default, Some(Literal::Text("x # y".into())));
}

#[test]
fn services_and_actions_have_several_structures() {
    let mut interfaces = Interfaces::default();
    let service = "module demo { module srv { struct Wheel_Request { double speed; };
        module Wheel_Response_Constants { const int8 OK = 0; };
        struct Wheel_Response { uint8 structure_needs_at_least_one_member; }; }; };";
    add(&mut interfaces, SourceKind::Service, service).unwrap();
    let text = interfaces.definition_text("demo/srv/Wheel").unwrap();
    assert_eq!(text, "float64 speed\n---\nint8 OK=0\n");
    let action = "module demo { module action { struct Wheel_Goal { long turns; }; struct Wheel_Result { long turns; };
        struct Wheel_Feedback { long turns; }; }; };";
    add(&mut interfaces, SourceKind::Action, action).unwrap();
    let text = interfaces.definition_text("demo/action/Wheel").unwrap();
    assert_eq!(text, "int32 turns\n---\nint32 turns\n---\nint32 turns\n");
    let mut from_text = Interfaces::default();
    from_text.add("demo", SourceKind::Action, "Wheel", &text).unwrap();
    for interfaces in [&mut interfaces, &mut from_text] {
        for (package, name, text) in [
            ("builtin_interfaces", "Time", "int32 sec\nuint32 nanosec"),
            ("unique_identifier_msgs", "UUID", "uint8[16] uuid"),
        ] {
            interfaces.add(package, SourceKind::Message, name, text).unwrap();
        }
        let info =
            "uint8 event_type\nbuiltin_interfaces/Time stamp\nchar[16] client_gid\nint64 sequence_number";
        interfaces.add("service_msgs", SourceKind::Message, "ServiceEventInfo", info).unwrap();
    }
    let hashes = [&interfaces, &from_text].map(|one| one.type_hash("demo/action/Wheel").unwrap());
    assert_eq!(hashes[0], hashes[1]);
}

#[test]
fn the_error_for_an_invalid_file_has_its_place() {
    for (content, want) in [
        ("struct Wheel { char a; };", "1:43: expected a type that `.msg` files have too, found `char`"),
        (
            "struct Wheel { long double a; };",
            "1:43: expected a type that `.msg` files have too, found `long`",
        ),
        (
            "struct Wheel { Other a; };",
            "1:43: expected a primitive type, a name of a `typedef`, or `package::msg::Name`",
        ),
        ("struct Wheel { double a[2][3]; };", "1:54: expected an array with one dimension, found `[`"),
        ("struct Wheel { double a[0]; };", "1:52: expected a size from 1 to 4294967295, found `0`"),
        ("struct Wheel { double a; int8 a; };", "1:58: expected a name not used before, found `a`"),
        ("struct Wheel { @default (value=300) int8 a; };", "expected a value that fits `int8`, found `300`"),
        (
            "struct Wheel { @default (value=\"(1, 2)\") int8 a[3]; };",
            "expected exactly 3 values for `int8[3]`",
        ),
        ("struct Wheel { double a }; ", "1:52: expected `;`, found `}`"),
        ("struct Wheel { string a; ", "found the end of the file"),
        ("enum Color { RED };", "1:28: expected `module`, `struct`, `const` or `typedef`, found `enum`"),
        (
            "struct Rim { double a; };",
            "1:35: expected the structure `demo::msg::Wheel` in this file, found `demo::msg::Rim`",
        ),
        (
            "struct Wheel { double a; }; struct Rim { double a; };",
            "expected one structure for a message, found 2",
        ),
        ("const string X = \"open", "1:45: expected a closing quote"),
        ("const uint8 X = 0x10; struct Wheel { double a; };", "1:44: expected a decimal number"),
        ("const uint8 X = 010; struct Wheel { double a; };", "1:44: expected a decimal number"),
        ("const string X = \"a\"; const string X = \"b\";", "expected a name not used before, found `X`"),
        ("/* open", "expected the end of the comment, `*/`"),
        ("\n#define X 3\n", "2:1: expected `#include` as the only directive, found `#define X 3`"),
    ] {
        let error = message(content).expect_err(content);
        assert!(error.starts_with("Wheel.idl:") && error.contains(want), "{content}: {error}");
    }
    let deep = "module a { ".repeat(10_000);
    let error = add(&mut Interfaces::default(), SourceKind::Message, &deep).unwrap_err();
    assert!(error.contains("at most 16 modules within each other"), "{error}");
}

#[test]
fn a_constant_belongs_to_its_module() {
    let mut interfaces = Interfaces::default();
    let text = "module demo { module srv { module Wheel_Request_Constants { const uint8 MOST = 3; };
        struct Wheel_Request { octet a[demo::srv::Wheel_Request_Constants::MOST]; };
        module Wheel_Response_Constants { const uint8 MOST = 5; };
        struct Wheel_Response { octet a[demo::srv::Wheel_Response_Constants::MOST]; }; }; };";
    add(&mut interfaces, SourceKind::Service, text).unwrap();
    let text = interfaces.definition_text("demo/srv/Wheel").unwrap();
    assert_eq!(text, "uint8 MOST=3\nbyte[3] a\n---\nuint8 MOST=5\nbyte[5] a\n");
    let unclear =
        "module demo { module msg { module A { const uint8 MOST = 3; }; module B { const uint8 MOST = 5; };
        struct Wheel { octet a[MOST]; }; }; };";
    let error = add(&mut interfaces, SourceKind::Message, unclear).unwrap_err();
    assert!(error.contains("expected a size from 1"), "{error}");
}
