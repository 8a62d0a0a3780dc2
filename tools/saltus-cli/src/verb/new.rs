//! `saltus new`

use std::{
    env, fs,
    io::{self, Write},
    path::{Path, PathBuf},
};

use clap::{Args, ValueEnum};

use saltus_verb::error::Error;

/// `saltus new …`
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  saltus new patrol --lang rust\n  saltus new patrol --lang python --interfaces\n  \
                  saltus new adder --lang python --template service"
)]
pub(crate) struct New {
    /// The name of the package: lowercase letters, digits and `_`; the first character is a letter
    name: String,
    /// The language of the node
    #[arg(long)]
    lang: Language,
    /// What the package contains: a node that publishes, a component, a service, or an action
    #[arg(long, value_enum, default_value_t)]
    template: Kind,
    /// Also create an interface package, `<NAME>_msgs`; the node publishes its type
    #[arg(long)]
    interfaces: bool,
    /// The folder in which the folder of the package is created [default: the current folder]
    #[arg(long, value_name = "FOLDER")]
    destination_directory: Option<PathBuf>,
    /// The source tree of Saltus that a Rust package depends on [default: the source tree that contains this program]
    #[arg(long, value_name = "FOLDER")]
    saltus: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Language {
    Rust,
    Python,
}

/// What a package contains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Kind {
    #[default]
    Node,
    Component,
    Service,
    Action,
}

/// A file of a new package: its path below the folder of the package, and its text with placeholders for names.
type Template = (&'static str, &'static str);

/// The folder of the crate `saltus` in the source tree.
const CRATE: &str = "crates/client/saltus";

const MESSAGE: &str = include_str!("new/Status.msg");

/// The files of all Rust packages.
const RUST: [Template; 3] = [
    ("Cargo.toml", include_str!("new/rust/Cargo.toml")),
    (".gitignore", "/target\n"),
    ("tests/own_domain/mod.rs", include_str!("new/rust/own_domain.rs")),
];
const RUST_NODE: [Template; 3] = [
    ("README.md", include_str!("new/rust/node/README.md")),
    ("src/main.rs", include_str!("new/rust/node/main.rs")),
    ("tests/node.rs", include_str!("new/rust/node/test.rs")),
];
const RUST_BUNDLED: [Template; 1] = [("src/lib.rs", include_str!("new/rust/node/lib.rs"))];
const RUST_INTERFACES: [Template; 2] = [
    ("src/lib.rs", include_str!("new/rust/node/lib_interfaces.rs")),
    ("build.rs", include_str!("new/rust/build.rs")),
];

/// Returns the files of a kind of Rust package, which has no interfaces of its own.
macro_rules! rust {
    ($kind:literal) => {
        &[
            ("README.md", include_str!(concat!("new/rust/", $kind, "/README.md"))),
            ("src/lib.rs", include_str!(concat!("new/rust/", $kind, "/lib.rs"))),
            ("src/main.rs", include_str!(concat!("new/rust/", $kind, "/main.rs"))),
            (concat!("tests/", $kind, ".rs"), include_str!(concat!("new/rust/", $kind, "/test.rs"))),
        ]
    };
}

/// The files of all Python packages.
const PYTHON: [Template; 3] = [
    ("pyproject.toml", include_str!("new/python/pyproject.toml")),
    (".gitignore", "__pycache__/\n*.egg-info/\n/build/\n"),
    ("tests/conftest.py", include_str!("new/python/conftest.py")),
];
const PYTHON_NODE: [Template; 2] = [
    ("README.md", include_str!("new/python/node/README.md")),
    ("tests/test_node.py", include_str!("new/python/node/test_node.py")),
];
const PYTHON_INIT: Template = ("@name@/__init__.py", "\"\"\"The package @name@.\"\"\"\n");
const PYTHON_BUNDLED: [Template; 2] =
    [PYTHON_INIT, ("@name@/node.py", include_str!("new/python/node/node.py"))];
const PYTHON_INTERFACES: [Template; 2] = [
    ("@name@/__init__.py", include_str!("new/python/node/init_interfaces.py")),
    ("@name@/node.py", include_str!("new/python/node/node_interfaces.py")),
];

/// Returns the files of a kind of Python package, which has no interfaces of its own.
macro_rules! python {
    ($kind:literal) => {
        &[
            PYTHON_INIT,
            ("README.md", include_str!(concat!("new/python/", $kind, "/README.md"))),
            ("@name@/node.py", include_str!(concat!("new/python/", $kind, "/node.py"))),
            ("tests/test_node.py", include_str!(concat!("new/python/", $kind, "/test_node.py"))),
        ]
    };
}

/// Returns the groups of files of a package.
fn templates(lang: Language, kind: Kind, interfaces: bool) -> Vec<&'static [Template]> {
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
    }
}

impl New {
    pub(crate) fn run(self) -> Result<(), Error> {
        check_name(&self.name, self.lang)?;
        if self.interfaces && self.template != Kind::Node {
            return Err("--interfaces is for a package with a node: leave --template out".into());
        }
        let folder = self.destination_directory.clone().unwrap_or_default().join(&self.name);
        let files = self.files(&folder)?;
        match fs::create_dir(&folder) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                return Err(format!("{} already exists; choose another name", folder.display()).into());
            }
            Err(error) => return Err(format!("can't create the folder {}: {error}", folder.display()).into()),
        }
        for (path, text) in &files {
            write(&folder.join(path), text)?;
            writeln!(io::stdout(), "{}", folder.join(path).display())?;
        }
        writeln!(io::stdout(), "\nNext:\n  cd {}\n{}", folder.display(), self.next_steps())?;
        Ok(())
    }

    /// Returns the files of the package: their paths and their texts.
    fn files(&self, folder: &Path) -> Result<Vec<(String, String)>, Error> {
        let message = self.interfaces.then_some(match self.lang {
            Language::Rust => "interfaces",
            Language::Python => "@name@/interfaces",
        });
        let saltus = match self.lang {
            Language::Rust => relative(&absolute(folder)?, &self.source()?).display().to_string(),
            Language::Python => String::new(),
        };
        let fill = |text: &str| self.fill(text, &saltus);
        let all = templates(self.lang, self.template, self.interfaces).concat();
        let mut files: Vec<_> = all.iter().map(|(path, text)| (fill(path), fill(text))).collect();
        if let Some(folder) = message {
            files.push((fill(&format!("{folder}/@name@_msgs/msg/Status.msg")), MESSAGE.into()));
        }
        Ok(files)
    }

    /// Replaces the placeholders in a template.
    fn fill(&self, text: &str, saltus: &str) -> String {
        let build = match (self.lang, self.interfaces) {
            (Language::Rust, true) => format!(
                "\n[build-dependencies]\nsaltus-build = {{ path = \"{saltus}/crates/types/saltus-build\" }}\n"
            ),
            (Language::Python, true) => {
                format!("\n[tool.setuptools.package-data]\n{} = [\"interfaces/*/*/*\"]\n", self.name)
            }
            (_, false) => String::new(),
        };
        let entry = match self.template {
            Kind::Component => {
                format!(
                    "[project.entry-points.\"saltus.components\"]\nstatus = \"{}.node:Status\"\n\n",
                    self.name
                )
            }
            _ => String::new(),
        };
        text.replace("@if_interfaces@\n", &build)
            .replace("@if_component@\n", &entry)
            .replace("@first@", if self.interfaces { "1" } else { "\"step 1\"" })
            .replace("@message@", if self.interfaces { "Status" } else { "String" })
            .replace("@messages@", &self.messages())
            .replace("@field@", if self.interfaces { "count" } else { "data" })
            .replace("@saltus@", saltus)
            .replace("@name@", &self.name)
    }

    /// Returns the module of the message type that the node publishes.
    fn messages(&self) -> String {
        match (self.lang, self.interfaces) {
            (Language::Rust, true) => "@name@::interfaces::@name@_msgs::msg".into(),
            (Language::Rust, false) => "saltus::msgs::std_msgs::msg".into(),
            (Language::Python, true) => "saltus.msgs.@name@_msgs.msg".into(),
            (Language::Python, false) => "saltus.msgs.std_msgs.msg".into(),
        }
    }

    /// Returns the source tree of Saltus, as an absolute path.
    fn source(&self) -> Result<PathBuf, Error> {
        let is_tree = |folder: &&Path| folder.join(CRATE).join("Cargo.toml").is_file();
        let tree = match &self.saltus {
            Some(given) => Some(&**given).filter(is_tree).map(Path::to_owned),
            None => env::current_exe()?.ancestors().find(is_tree).map(Path::to_owned),
        };
        tree.and_then(|tree| tree.canonicalize().ok()).ok_or_else(|| {
            "a Rust package depends on the source of Saltus, which is not found; give its folder with --saltus FOLDER".into()
        })
    }

    fn next_steps(&self) -> String {
        match self.lang {
            Language::Rust => "  cargo run    # the node; Ctrl-C ends it\n  cargo test".into(),
            Language::Python => format!(
                "  # in an activated virtual environment in which Saltus is installed:\n  pip install -e '.[test]'\n  \
                 python -m {}.node    # the node; Ctrl-C ends it\n  python -m pytest",
                self.name
            ),
        }
    }
}

/// Returns the absolute path of a folder that does not exist yet, without links.
fn absolute(folder: &Path) -> Result<PathBuf, Error> {
    let folder = std::path::absolute(folder)?;
    let (parent, name) = (folder.parent().unwrap_or(Path::new("/")), folder.file_name().unwrap_or_default());
    let parent = parent
        .canonicalize()
        .map_err(|error| format!("can't read the folder {}: {error}", parent.display()))?;
    Ok(parent.join(name))
}

/// Returns the path from one folder to another. Both are absolute.
fn relative(from: &Path, to: &Path) -> PathBuf {
    let common = from.components().zip(to.components()).take_while(|(a, b)| a == b).count();
    let mut path: PathBuf = from.components().skip(common).map(|_| "..").collect();
    path.extend(to.components().skip(common));
    path
}

fn write(path: &Path, text: &str) -> Result<(), Error> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let written = fs::create_dir_all(folder).and_then(|()| fs::write(path, text));
    written.map_err(|error| format!("can't write {}: {error}", path.display()).into())
}

/// Checks the rules of ROS 2's package names (REP 144), and that the language does not reserve the name.
fn check_name(name: &str, lang: Language) -> Result<(), Error> {
    let letters = name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
    let shaped = letters
        && name.len() >= 2
        && name.starts_with(|first: char| first.is_ascii_lowercase())
        && !name.contains("__")
        && !name.ends_with('_');
    if !shaped {
        return Err(format!(
            "expected a package name of lowercase letters, digits and single `_` that begins with a letter, found `{name}`"
        )
        .into());
    }
    let reserved: &[&str] = match lang {
        Language::Rust => &[
            "as", "async", "await", "break", "const", "continue", "core", "crate", "do", "dyn", "else",
            "enum", "extern", "false", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "match", "mod",
            "move", "mut", "pub", "ref", "return", "saltus", "self", "static", "std", "struct", "super",
            "test", "trait", "true", "try", "type", "unsafe", "use", "where", "while", "yield",
        ],
        Language::Python => &[
            "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif",
            "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda",
            "nonlocal", "not", "numpy", "or", "pass", "raise", "return", "saltus", "test", "tests", "try",
            "while", "with", "yield",
        ],
    };
    match reserved.contains(&name) {
        true => {
            Err(format!("`{name}` can't be the name of a package: the language or Saltus uses this name")
                .into())
        }
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_names_the_source_tree_relative_to_itself() {
        let path = |from: &str, to: &str| relative(Path::new(from), Path::new(to)).display().to_string();
        assert_eq!(path("/home/ada/patrol", "/home/ada/saltus"), "../saltus");
        assert_eq!(path("/tmp/patrol", "/opt/saltus"), "../../opt/saltus");
        assert_eq!(path("/opt/saltus/patrol", "/opt/saltus"), "..");
    }

    #[test]
    fn the_folder_of_the_package_must_have_a_parent() {
        let folder = tempfile::tempdir().unwrap();
        let parent = folder.path().canonicalize().unwrap();
        assert_eq!(absolute(&folder.path().join("patrol")).unwrap(), parent.join("patrol"));
        assert!(absolute(&folder.path().join("none/patrol")).unwrap_err().to_string().contains("none"));
    }
}
