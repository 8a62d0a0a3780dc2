//! `saltus interface`

mod add;
mod codegen;

use std::{
    collections::BTreeSet,
    io::{self, Read, Write},
    path::PathBuf,
};

use clap::Subcommand;
use saltus_dynamic::{Value, YamlStyle, to_json, to_yaml};
use saltus_idl::TypeName;
use serde_json::json;

use saltus_verb::{
    catalog::{Catalog, DefinitionName},
    complete,
    error::Error,
    output::print_lines,
};

/// The kinds of definitions, with the titles of their lists.
const KINDS: [(&str, &str); 3] = [("msg", "Messages"), ("srv", "Services"), ("action", "Actions")];

/// `saltus interface …`
#[derive(Debug, Subcommand)]
pub(crate) enum Interface {
    /// Print the names of all types
    #[command(after_help = "Example:\n  saltus interface list --only-msgs")]
    List {
        #[command(flatten)]
        only: Only,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Print the definition of a type, with the types that it refers to
    #[command(after_help = "Example:\n  saltus interface show geometry_msgs/msg/PoseStamped")]
    Show {
        /// The type; `-` reads it from the standard input
        #[arg(add = complete::all_types())]
        interface: String,
        /// Also print the comments of the types that it refers to
        #[arg(long)]
        all_comments: bool,
        /// Print no comments and no empty lines
        #[arg(long, conflicts_with = "all_comments")]
        no_comments: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Print the packages that have types
    #[command(after_help = "Example:\n  saltus interface packages")]
    Packages {
        #[command(flatten)]
        only: Only,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Print the types of a package
    #[command(after_help = "Example:\n  saltus interface package std_msgs")]
    Package {
        /// The name of the package
        #[arg(add = complete::packages())]
        package_name: String,
        #[command(flatten)]
        only: Only,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Print a message with its default values, as a template to fill in and publish
    #[command(after_help = "Example:\n  saltus interface proto geometry_msgs/msg/Twist")]
    Proto {
        /// The type
        #[arg(add = complete::all_types())]
        interface: String,
        /// Print no quotes around the message
        #[arg(long)]
        no_quotes: bool,
        /// Print JSON
        #[arg(long, conflicts_with = "no_quotes")]
        json: bool,
    },
    /// Add packages of interfaces from a folder or a git repository
    #[command(after_help = add::help())]
    Add {
        /// Folders, addresses of git repositories, and names of packages that are known
        #[arg(required = true, value_name = "SOURCE")]
        sources: Vec<String>,
        /// The folder to add the packages to [default: the folder of the user, which is always searched]
        #[arg(long, value_name = "FOLDER")]
        to: Option<PathBuf>,
        /// The branch or tag of the repositories
        #[arg(long)]
        branch: Option<String>,
    },
    /// Generate code for types; in C99 also for all types that they refer to
    #[command(after_help = "Examples:\n  \
        saltus interface codegen --lang c99 --output msgs sensor_msgs/msg/Imu nav_msgs/msg/Odometry\n  \
        saltus interface codegen --lang c99 --output msgs geometry_msgs\n  \
        saltus interface codegen --lang cpp --output include rover_msgs\n  \
        saltus interface codegen --lang c --output include rover_msgs")]
    Codegen {
        /// The language
        #[arg(long, value_name = "LANGUAGE")]
        lang: codegen::Language,
        /// The folder for the generated files; it is created if it does not exist
        #[arg(short, long, value_name = "FOLDER")]
        output: PathBuf,
        /// In C99: also write the files that the C library has in its folder msgs
        #[arg(long)]
        all: bool,
        /// Types, and packages for all of their types
        #[arg(required = true, value_name = "NAME", add = complete::all_types())]
        names: Vec<String>,
    },
}

/// The kinds of types to print. If none is given, all kinds are printed.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct Only {
    /// Print only messages
    #[arg(short = 'm', long)]
    only_msgs: bool,
    /// Print only services
    #[arg(short = 's', long)]
    only_srvs: bool,
    /// Print only actions
    #[arg(short = 'a', long)]
    only_actions: bool,
}

impl Only {
    /// Returns whether types of a kind are printed.
    fn includes(self, kind: &str) -> bool {
        let flags = [self.only_msgs, self.only_srvs, self.only_actions];
        let named = KINDS.iter().zip(flags).any(|((name, _), flag)| flag && *name == kind);
        named || !flags.contains(&true)
    }
}

impl Interface {
    pub(crate) fn run(self) -> Result<(), Error> {
        let mut catalog = Catalog::from_environment();
        match self {
            Self::Add { sources, to, branch } => add::add(&sources, to, branch.as_deref()),
            Self::List { only, json } => list(&catalog, only, json),
            Self::Show { interface, all_comments, no_comments, json } => {
                let comments = match (all_comments, no_comments) {
                    (true, _) => Comments::All,
                    (_, true) => Comments::None,
                    _ => Comments::Own,
                };
                show(&catalog, &name_or_stdin(interface)?, comments, json)
            }
            Self::Packages { only, json } => {
                let listed = catalog.public().into_iter().filter(|one| only.includes(one.kind));
                let packages: BTreeSet<String> = listed.map(|one| one.package).collect();
                print_all(&packages.into_iter().collect::<Vec<_>>(), json)
            }
            Self::Package { package_name, only, json } => {
                let of_package = catalog.of_package(&package_name)?;
                let shown = of_package.iter().filter(|one| only.includes(one.kind));
                let names: Vec<String> = shown.map(DefinitionName::full_name).collect();
                print_all(&names, json)
            }
            Self::Proto { interface, no_quotes, json } => proto(&mut catalog, &interface, no_quotes, json),
            Self::Codegen { lang, output, all, names } => {
                codegen::codegen(&mut catalog, lang, (&output, all), &names)
            }
        }
    }
}

fn print_all(names: &[String], json: bool) -> Result<(), Error> {
    if json { print_lines([format!("{:#}", json!(names))]) } else { print_lines(names) }
}

fn name_or_stdin(name: String) -> Result<String, Error> {
    if name != "-" {
        return Ok(name);
    }
    let mut text = String::new();
    io::stdin().read_to_string(&mut text)?;
    Ok(text.trim().to_owned())
}

fn list(catalog: &Catalog, only: Only, json: bool) -> Result<(), Error> {
    let listed = catalog.public();
    let mut out = io::stdout().lock();
    let mut all = serde_json::Map::new();
    for (kind, head) in KINDS.into_iter().filter(|(kind, _)| only.includes(kind)) {
        let names: Vec<String> =
            listed.iter().filter(|one| one.kind == kind).map(DefinitionName::full_name).collect();
        if json {
            all.insert(kind.into(), json!(names));
            continue;
        }
        writeln!(out, "{head}:")?;
        names.iter().try_for_each(|name| writeln!(out, "    {name}"))?;
    }
    if json { Ok(writeln!(out, "{:#}", json!(all))?) } else { Ok(()) }
}

/// The comments that are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comments {
    /// All comments.
    All,
    /// Only the comments of the type itself.
    Own,
    /// No comments.
    None,
}

fn show(catalog: &Catalog, name: &str, comments: Comments, json: bool) -> Result<(), Error> {
    let name: TypeName = catalog.full_name(name).parse()?;
    let mut text = String::new();
    expand(catalog, &name, 0, comments, &mut text)?;
    if json {
        let json = json!({ "name": name.to_string(), "definition": text });
        return Ok(writeln!(io::stdout(), "{json:#}")?);
    }
    Ok(io::stdout().write_all(text.as_bytes())?)
}

/// The largest depth of nested types.
const MAX_DEPTH: usize = 64;

/// Writes the lines of a definition. The definition of the type of a field follows the line of the field, indented by
/// one more tab.
fn expand(
    catalog: &Catalog,
    name: &TypeName,
    depth: usize,
    comments: Comments,
    out: &mut String,
) -> Result<(), Error> {
    if depth > MAX_DEPTH {
        return Err(format!("types nested more than {MAX_DEPTH} levels deep, at `{name}`").into());
    }
    let text = catalog.text(name)?.ok_or_else(|| catalog.unknown(name))?;
    let bare = comments == Comments::None || comments == Comments::Own && depth > 0;
    for line in text.lines() {
        let code = line.split('#').next().unwrap_or("").trim_end();
        let shown = if bare { code } else { line.trim_end() };
        if bare && shown.is_empty() {
            continue;
        }
        let tabs = if shown.is_empty() { 0 } else { depth };
        out.extend(std::iter::repeat_n('\t', tabs));
        *out += shown;
        out.push('\n');
        if let Some(nested) = nested_type(code, &name.package) {
            expand(catalog, &nested, depth + 1, comments, out)?;
        }
    }
    Ok(())
}

/// Returns the message type of the field that a line defines, or `None` if it defines no such field.
fn nested_type(code: &str, package: &str) -> Option<TypeName> {
    let (word, rest) = code.split_once(' ')?;
    let base = word.split('[').next()?;
    let (package, name) = base.split_once('/').unwrap_or((package, base));
    let is_message = name.starts_with(|c: char| c.is_ascii_uppercase()) && !rest.contains('=');
    is_message.then(|| TypeName::new(package, "msg", name))
}

fn proto(catalog: &mut Catalog, name: &str, no_quotes: bool, json: bool) -> Result<(), Error> {
    let name = catalog.full_name(name);
    let (schema, _) = catalog.filled_in(&name)?;
    if json {
        return Ok(writeln!(io::stdout(), "{}", to_json(&schema, &Value::default_of(&schema)))?);
    }
    let style = YamlStyle { truncate: None, ..YamlStyle::default() };
    let yaml = to_yaml(&schema, &Value::default_of(&schema), &style);
    let quote = if no_quotes { "" } else { "\"" };
    Ok(writeln!(io::stdout(), "{quote}{yaml}{quote}")?)
}
