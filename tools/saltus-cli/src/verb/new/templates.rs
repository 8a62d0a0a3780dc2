//! The files of the packages that `saltus new` creates.

use clap::ValueEnum;

/// The language of a package.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Language {
    Rust,
    Python,
    Cpp,
    C,
}

/// What a package contains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Kind {
    #[default]
    Node,
    Component,
    Service,
    Action,
}

/// A file of a new package: its path below the folder of the package, and its text with placeholders for names.
pub(super) type Template = (&'static str, &'static str);

/// The message of a package's own interfaces.
pub(super) const MESSAGE: &str = include_str!("Status.msg");

/// The files of all Rust packages.
const RUST: [Template; 3] = [
    ("Cargo.toml", include_str!("rust/Cargo.toml")),
    (".gitignore", "/target\n"),
    ("tests/own_domain/mod.rs", include_str!("rust/own_domain.rs")),
];
const RUST_NODE: [Template; 3] = [
    ("README.md", include_str!("rust/node/README.md")),
    ("src/main.rs", include_str!("rust/node/main.rs")),
    ("tests/node.rs", include_str!("rust/node/test.rs")),
];
const RUST_BUNDLED: [Template; 1] = [("src/lib.rs", include_str!("rust/node/lib.rs"))];
const RUST_INTERFACES: [Template; 2] = [
    ("src/lib.rs", include_str!("rust/node/lib_interfaces.rs")),
    ("build.rs", include_str!("rust/build.rs")),
];

/// Returns the files of a kind of Rust package, which has no interfaces of its own.
macro_rules! rust {
    ($kind:literal) => {
        &[
            ("README.md", include_str!(concat!("rust/", $kind, "/README.md"))),
            ("src/lib.rs", include_str!(concat!("rust/", $kind, "/lib.rs"))),
            ("src/main.rs", include_str!(concat!("rust/", $kind, "/main.rs"))),
            (concat!("tests/", $kind, ".rs"), include_str!(concat!("rust/", $kind, "/test.rs"))),
        ]
    };
}

/// The files of all Python packages.
const PYTHON: [Template; 3] = [
    ("pyproject.toml", include_str!("python/pyproject.toml")),
    (".gitignore", "__pycache__/\n*.egg-info/\n/build/\n"),
    ("tests/conftest.py", include_str!("python/conftest.py")),
];
const PYTHON_NODE: [Template; 2] = [
    ("README.md", include_str!("python/node/README.md")),
    ("tests/test_node.py", include_str!("python/node/test_node.py")),
];
const PYTHON_INIT: Template = ("@name@/__init__.py", "\"\"\"The package @name@.\"\"\"\n");
const PYTHON_BUNDLED: [Template; 2] = [PYTHON_INIT, ("@name@/node.py", include_str!("python/node/node.py"))];
const PYTHON_INTERFACES: [Template; 2] = [
    ("@name@/__init__.py", include_str!("python/node/init_interfaces.py")),
    ("@name@/node.py", include_str!("python/node/node_interfaces.py")),
];

/// Returns the files of a kind of Python package, which has no interfaces of its own.
macro_rules! python {
    ($kind:literal) => {
        &[
            PYTHON_INIT,
            ("README.md", include_str!(concat!("python/", $kind, "/README.md"))),
            ("@name@/node.py", include_str!(concat!("python/", $kind, "/node.py"))),
            ("tests/test_node.py", include_str!(concat!("python/", $kind, "/test_node.py"))),
        ]
    };
}

/// The commands that build a C or C++ package and run it.
pub(super) const CMAKE_STEPS: &str = include_str!("cmake_steps.txt");

/// The files of all C++ packages.
const CPP: [Template; 2] = [CMAKE_IGNORED, ("test/own_domain.hpp", include_str!("cpp/own_domain.hpp"))];
const CPP_LISTENER: [Template; 1] = [("src/listener.cpp", include_str!("cpp/node/listener.cpp"))];
const CMAKE_IGNORED: Template = (".gitignore", "/build/\n/install/\n/log/\n");

/// Returns the files of a kind of C++ package: its node `$node`, whose template of the header is `$header`, and the test.
macro_rules! cpp {
    ($kind:literal, $node:literal, $header:literal) => {
        &[
            ("README.md", include_str!(concat!("cpp/", $kind, "/README.md"))),
            ("package.xml", include_str!(concat!("cpp/", $kind, "/package.xml"))),
            ("CMakeLists.txt", include_str!(concat!("cpp/", $kind, "/CMakeLists.txt"))),
            (concat!("src/", $node, ".hpp"), include_str!(concat!("cpp/", $kind, "/", $header, ".hpp"))),
            (concat!("src/", $node, ".cpp"), include_str!(concat!("cpp/", $kind, "/", $node, ".cpp"))),
            (concat!("test/test_", $node, ".cpp"), include_str!(concat!("cpp/", $kind, "/test.cpp"))),
        ]
    };
}

/// The files of the package of interfaces beside a C++ package.
pub(super) const CPP_INTERFACES: [Template; 4] = [
    CMAKE_IGNORED,
    ("package.xml", include_str!("cpp/msgs/package.xml")),
    ("CMakeLists.txt", include_str!("cpp/msgs/CMakeLists.txt")),
    ("msg/Status.msg", MESSAGE),
];
/// The commands that build it, which come before those for the package itself.
pub(super) const CPP_BUILD_INTERFACES: &str = "\
cmake -S ../@name@_msgs -B build/@name@_msgs -DCMAKE_INSTALL_PREFIX=install
cmake --build build/@name@_msgs --target install
";

/// The files of a C package.
const C: [Template; 9] = [
    CMAKE_IGNORED,
    ("README.md", include_str!("c/README.md")),
    ("package.xml", include_str!("c/package.xml")),
    ("CMakeLists.txt", include_str!("c/CMakeLists.txt")),
    ("src/status.h", include_str!("c/status.h")),
    ("src/status.c", include_str!("c/status.c")),
    ("src/talker.c", include_str!("c/talker.c")),
    ("src/listener.c", include_str!("c/listener.c")),
    ("test/test_status.c", include_str!("c/test.c")),
];

/// Returns the groups of files of a package.
pub(super) fn templates(lang: Language, kind: Kind, interfaces: bool) -> Vec<&'static [Template]> {
    match (lang, kind) {
        (Language::Rust, Kind::Node) => {
            vec![&RUST, &RUST_NODE, if interfaces { &RUST_INTERFACES } else { &RUST_BUNDLED }]
        }
        (Language::Rust, Kind::Component) => vec![&RUST, rust!("component")],
        (Language::Rust, Kind::Service) => vec![&RUST, rust!("service")],
        (Language::Rust, Kind::Action) => vec![&RUST, rust!("action")],
        (Language::Python, Kind::Node) => {
            vec![&PYTHON, &PYTHON_NODE, if interfaces { &PYTHON_INTERFACES } else { &PYTHON_BUNDLED }]
        }
        (Language::Python, Kind::Component) => vec![&PYTHON, python!("component")],
        (Language::Python, Kind::Service) => vec![&PYTHON, python!("service")],
        (Language::Python, Kind::Action) => vec![&PYTHON, python!("action")],
        (Language::Cpp, Kind::Node) if interfaces => {
            vec![&CPP, &CPP_LISTENER, cpp!("node", "talker", "talker_interfaces")]
        }
        (Language::Cpp, Kind::Node) => vec![&CPP, &CPP_LISTENER, cpp!("node", "talker", "talker")],
        (Language::Cpp, Kind::Component) => vec![&CPP, cpp!("component", "status", "status")],
        (Language::Cpp, Kind::Service) => vec![&CPP, cpp!("service", "add_server", "add_server")],
        (Language::Cpp, Kind::Action) => vec![&CPP, cpp!("action", "fibonacci_server", "fibonacci_server")],
        // `saltus new` has refused other kinds.
        (Language::C, _) => vec![&C],
    }
}
