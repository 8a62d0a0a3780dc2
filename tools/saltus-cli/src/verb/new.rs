//! `saltus new`

use std::{
    env, fs,
    io::{self, Write},
    path::{Path, PathBuf},
};

use clap::Args;

use saltus_verb::error::Error;

use self::templates::{
    CMAKE_STEPS, CPP_BUILD_INTERFACES, CPP_INTERFACES, Kind, Language, MESSAGE, Template, templates,
};

mod names;
mod templates;

/// `saltus new …`
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  saltus new patrol --lang rust\n  saltus new patrol --lang python --interfaces\n  \
                  saltus new adder --lang cpp --template service"
)]
pub(crate) struct New {
    /// The name of the package: lowercase letters, digits and `_`; the first character is a letter
    name: String,
    /// The language of the node
    #[arg(long)]
    lang: Language,
    /// What the package contains: a node that publishes, a component, a service, or an action; in C, a node
    #[arg(long, value_enum, default_value_t)]
    template: Kind,
    /// Also create an interface package, `<NAME>_msgs`; the node publishes its type. Not in C
    #[arg(long)]
    interfaces: bool,
    /// The folder in which the folder of the package is created [default: the current folder]
    #[arg(long, value_name = "FOLDER")]
    destination_directory: Option<PathBuf>,
    /// The source tree of Saltus that a Rust package depends on [default: the source tree that contains this program]
    #[arg(long, value_name = "FOLDER")]
    saltus: Option<PathBuf>,
}

/// The folder of the crate `saltus` in the source tree.
const CRATE: &str = "crates/client/saltus";

/// A package that is created: its folder, and the paths below it and the texts of its files.
struct Package {
    folder: PathBuf,
    files: Vec<(String, String)>,
}

impl New {
    pub(crate) fn run(self) -> Result<(), Error> {
        names::check_name(&self.name, self.lang)?;
        self.check_options()?;
        let packages = self.packages()?;
        if let Some(existing) = packages.iter().find(|package| package.folder.exists()) {
            return Err(format!("{} already exists; choose another name", existing.folder.display()).into());
        }
        for Package { folder, files } in &packages {
            fs::create_dir(folder)
                .map_err(|error| format!("can't create the folder {}: {error}", folder.display()))?;
            for (path, text) in files {
                write(&folder.join(path), text)?;
                writeln!(io::stdout(), "{}", folder.join(path).display())?;
            }
        }
        let folder = packages[0].folder.display();
        writeln!(io::stdout(), "\nNext:\n  cd {folder}\n{}", self.next_steps())?;
        Ok(())
    }

    fn check_options(&self) -> Result<(), Error> {
        match (self.lang, self.template) {
            (Language::C, Kind::Component | Kind::Service | Kind::Action) => {
                Err("a package in C contains a node: leave --template out, or choose --lang cpp".into())
            }
            (Language::C, Kind::Node) if self.interfaces => Err(
                "a package in C has no interfaces of its own: leave --interfaces out, or choose --lang cpp"
                    .into(),
            ),
            (_, Kind::Component | Kind::Service | Kind::Action) if self.interfaces => {
                Err("--interfaces is for a package with a node: leave --template out".into())
            }
            _ => Ok(()),
        }
    }

    /// Returns what is created: the package, and in C++ also that of its interfaces.
    fn packages(&self) -> Result<Vec<Package>, Error> {
        let parent = self.destination_directory.clone().unwrap_or_default();
        let folder = parent.join(&self.name);
        let saltus = match self.lang {
            Language::Rust => relative(&absolute(&folder)?, &self.source()?).display().to_string(),
            Language::Python | Language::Cpp | Language::C => String::new(),
        };
        let fill = |&(path, text): &Template| (self.fill(path, &saltus), self.fill(text, &saltus));
        let mut files: Vec<_> =
            templates(self.lang, self.template, self.interfaces).concat().iter().map(fill).collect();
        let message = match self.lang {
            Language::Rust => Some("interfaces"),
            Language::Python => Some("@name@/interfaces"),
            Language::Cpp | Language::C => None,
        };
        if let Some(folder) = message.filter(|_| self.interfaces) {
            files.push((self.fill(&format!("{folder}/@name@_msgs/msg/Status.msg"), &saltus), MESSAGE.into()));
        }
        let mut packages = vec![Package { folder, files }];
        if self.lang == Language::Cpp && self.interfaces {
            let folder = parent.join(format!("{}_msgs", self.name));
            packages.push(Package { folder, files: CPP_INTERFACES.iter().map(fill).collect() });
        }
        Ok(packages)
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
            (Language::Cpp, true) => CPP_BUILD_INTERFACES.into(),
            (Language::C, true) | (_, false) => String::new(),
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
        let message = if self.interfaces { "Status" } else { "String" };
        text.replace("@cmake_steps@\n", CMAKE_STEPS)
            .replace("@if_interfaces@\n", &build)
            .replace("@if_component@\n", &entry)
            .replace("@first@", if self.interfaces { "1" } else { "\"step 1\"" })
            .replace("@message@", message)
            .replace("@program@", self.program())
            .replace("@header@", &message.to_lowercase())
            .replace("@messages@", &self.messages())
            .replace("@field@", if self.interfaces { "count" } else { "data" })
            .replace("@saltus@", saltus)
            .replace("@name@", &self.name)
    }

    /// Returns the module of the message type that the node publishes, or in C++ its package.
    fn messages(&self) -> String {
        match (self.lang, self.interfaces) {
            (Language::Rust, true) => "@name@::interfaces::@name@_msgs::msg".into(),
            (Language::Rust, false) => "saltus::msgs::std_msgs::msg".into(),
            (Language::Python, true) => "saltus.msgs.@name@_msgs.msg".into(),
            (Language::Python, false) => "saltus.msgs.std_msgs.msg".into(),
            (Language::Cpp, true) => "@name@_msgs".into(),
            (Language::Cpp | Language::C, _) => "std_msgs".into(),
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
        let name = &self.name;
        match self.lang {
            Language::Rust => "  cargo run    # the node; Ctrl-C ends it\n  cargo test".into(),
            Language::Python => format!(
                "  # in an activated virtual environment in which Saltus is installed:\n  pip install -e '.[test]'\n  \
                 python -m {name}.node    # the node; Ctrl-C ends it\n  python -m pytest"
            ),
            Language::Cpp | Language::C => {
                let steps = self.fill(CMAKE_STEPS, "");
                steps.lines().map(|line| format!("  {line}\n")).collect::<String>()
                    + "  cmake --build build --target test"
            }
        }
    }

    /// Returns the name of the program of a package in C or C++.
    fn program(&self) -> &'static str {
        match self.template {
            Kind::Node => "talker",
            Kind::Component => "status",
            Kind::Service => "add_server",
            Kind::Action => "fibonacci_server",
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

#[cfg(test)]
mod tests {
    use clap::ValueEnum;

    use super::*;

    fn new(lang: Language, template: Kind, interfaces: bool) -> New {
        let tree = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        New {
            name: "patrol".into(),
            lang,
            template,
            interfaces,
            destination_directory: Some("/tmp".into()),
            saltus: Some(tree),
        }
    }

    /// Returns each package that can be created, and whether it has interfaces.
    fn all() -> impl Iterator<Item = New> {
        let languages = Language::value_variants().iter();
        languages
            .flat_map(|&lang| {
                let kinds = Kind::value_variants().iter();
                kinds.flat_map(move |&kind| [new(lang, kind, false), new(lang, kind, true)])
            })
            .filter(|package| package.check_options().is_ok())
    }

    /// Returns the first placeholder in a text.
    fn placeholder(text: &str) -> Option<&str> {
        text.split('@').skip(1).find(|part| {
            let ends = text.contains(&format!("@{part}@"));
            ends && !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
        })
    }

    #[test]
    fn nothing_is_left_of_the_placeholders() {
        assert_eq!(placeholder("a@b.c @one @two_three@"), Some("two_three"));
        for package in all() {
            for Package { files, .. } in package.packages().unwrap() {
                for (path, text) in files {
                    assert_eq!(placeholder(&path), None, "{path}");
                    assert_eq!(placeholder(&text), None, "{package:?}, {path}");
                }
            }
            assert_eq!(placeholder(&package.next_steps()), None, "{package:?}");
        }
        assert_eq!(all().count(), 16);
    }

    #[test]
    fn each_package_has_a_text_a_test_and_ignored_files() {
        for package in all() {
            let files = package.packages().unwrap().remove(0).files;
            let has = |start: &str| files.iter().any(|(path, _)| path.starts_with(start));
            assert!(has("README.md") && has("test") && has(".gitignore"), "{package:?}");
        }
    }

    #[test]
    fn a_package_in_cpp_has_its_interfaces_beside_it() {
        let packages = new(Language::Cpp, Kind::Node, true).packages().unwrap();
        let folders: Vec<_> = packages.iter().map(|package| package.folder.to_str().unwrap()).collect();
        assert_eq!(folders, ["/tmp/patrol", "/tmp/patrol_msgs"]);
        let text = |package: usize, path: &str| {
            packages[package].files.iter().find(|(found, _)| found == path).unwrap().1.clone()
        };
        assert!(text(0, "package.xml").contains("<depend>patrol_msgs</depend>"));
        assert!(text(0, "CMakeLists.txt").contains("find_package(patrol_msgs REQUIRED)"));
        assert!(text(0, "src/talker.hpp").contains("#include \"patrol_msgs/msg/status.hpp\""));
        assert!(text(0, "README.md").contains("\ncmake -S ../patrol_msgs -B build/patrol_msgs "));
        assert!(text(1, "CMakeLists.txt").contains("rosidl_generate_interfaces("));
        assert_eq!(text(1, "msg/Status.msg"), MESSAGE);
        let packages = new(Language::Cpp, Kind::Node, false).packages().unwrap();
        assert_eq!(packages.len(), 1);
        assert!(packages[0].files.iter().all(|(_, text)| !text.contains("patrol_msgs")));
    }

    #[test]
    fn the_next_steps_name_the_program() {
        let steps = |lang, kind| new(lang, kind, false).next_steps();
        assert!(steps(Language::Cpp, Kind::Component).contains("\n  saltus run patrol status "));
        assert!(steps(Language::C, Kind::Node).contains("\n  saltus run patrol talker "));
        assert!(new(Language::Cpp, Kind::Node, true).next_steps().contains("\n  cmake -S ../patrol_msgs "));
        for package in all().filter(|package| matches!(package.lang, Language::Cpp | Language::C)) {
            assert!(package.next_steps().lines().all(|line| line.len() <= 80), "{}", package.next_steps());
        }
    }

    #[test]
    fn what_c_does_not_have_is_refused() {
        let refused = |kind, interfaces| {
            new(Language::C, kind, interfaces).check_options().map_err(|error| error.to_string())
        };
        let kind = "a package in C contains a node: leave --template out, or choose --lang cpp";
        assert_eq!(refused(Kind::Service, false), Err(kind.into()));
        assert_eq!(refused(Kind::Component, true), Err(kind.into()));
        let interfaces =
            "a package in C has no interfaces of its own: leave --interfaces out, or choose --lang cpp";
        assert_eq!(refused(Kind::Node, true), Err(interfaces.into()));
        assert_eq!(refused(Kind::Node, false), Ok(()));
    }

    #[test]
    fn names_that_a_language_uses_are_refused() {
        let check = |name, lang| names::check_name(name, lang).is_ok();
        assert!(!check("namespace", Language::Cpp) && !check("linux", Language::Cpp));
        assert!(check("namespace", Language::C) && !check("saltus", Language::C));
        assert!(!check("lambda", Language::Python) && check("lambda", Language::Rust));
        assert!(!check("Patrol", Language::Cpp) && !check("a__b", Language::C));
    }

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
