//! Finds the modules of a crate, and which of these modules each of them uses.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use syn::{
    Attribute, Item, ItemMod, Path as SynPath, UseTree,
    visit::{self, Visit},
};

use super::uses::Uses;

/// The names in the text of a module.
#[derive(Default)]
struct Module {
    /// The path of the module whose file contains the text. It is the module itself if it has a file of its own.
    file: Vec<String>,
    /// The names of its child modules.
    children: BTreeSet<String>,
    /// The path of each name that it imports or re-exports.
    imports: BTreeMap<String, Vec<String>>,
    /// The paths of the modules from which it imports all names.
    globs: Vec<Vec<String>>,
    /// The names that it only re-exports: the module does not use them itself.
    exports: BTreeSet<String>,
    /// Every other path in its text, as written.
    paths: BTreeSet<Vec<String>>,
}

/// The modules of a crate by their paths. The path of the root module is empty.
type Modules = BTreeMap<Vec<String>, Module>;

/// Returns the modules of the crate whose root is the file `root`, and the modules that each of them uses.
pub(super) fn uses(root: &Path) -> Result<Uses, String> {
    let mut modules = Modules::new();
    let folder = root.parent().unwrap_or(Path::new("")).to_owned();
    read(root, &folder, &[], &mut modules)?;
    let name = |path: &[String]| if path.is_empty() { "crate".to_owned() } else { path.join("::") };
    let mut uses = Uses::new();
    for (path, module) in &modules {
        let used = module.used(path, &modules).into_iter().filter_map(|used| Some(&modules.get(&used)?.file));
        let used = used.filter(|used| **used != module.file).map(|used| name(used));
        uses.entry(name(&module.file)).or_default().extend(used);
    }
    Ok(uses)
}

/// Reads the module `path` from its file, and its child modules from the file or from `folder`.
fn read(file: &Path, folder: &Path, path: &[String], modules: &mut Modules) -> Result<(), String> {
    let text = fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let parsed = syn::parse_file(&text).map_err(|error| format!("{}: {error}", file.display()))?;
    read_items(&parsed.items, folder, (path, path), modules)
}

/// Reads the items of the module `path`, which are in the file of the module `file`.
fn read_items(
    items: &[Item],
    folder: &Path,
    (path, file): (&[String], &[String]),
    modules: &mut Modules,
) -> Result<(), String> {
    let mut reader = Reader::default();
    items.iter().for_each(|item| reader.visit_item(item));
    let Reader { mut module, children } = reader;
    module.file = file.to_vec();
    module.remove_used_exports();
    module.children = children.iter().map(|item| item.ident.to_string()).collect();
    modules.insert(path.to_vec(), module);
    for item in children {
        let name = item.ident.to_string();
        let path: Vec<String> = path.iter().cloned().chain([name.clone()]).collect();
        match &item.content {
            Some((_, items)) => read_items(items, &folder.join(name), (&path, file), modules)?,
            None => read(&find(folder, &name), &folder.join(name), &path, modules)?,
        }
    }
    Ok(())
}

fn find(folder: &Path, name: &str) -> PathBuf {
    let file = folder.join(format!("{name}.rs"));
    if file.exists() { file } else { folder.join(name).join("mod.rs") }
}

/// Collects the names in the text of a module.
#[derive(Default)]
struct Reader<'a> {
    module: Module,
    /// The child modules.
    children: Vec<&'a ItemMod>,
}

impl<'a> Visit<'a> for Reader<'a> {
    fn visit_item(&mut self, item: &'a Item) {
        if !attributes(item).iter().any(is_test) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_mod(&mut self, item: &'a ItemMod) {
        self.children.push(item);
    }

    fn visit_item_use(&mut self, item: &'a syn::ItemUse) {
        let is_export = !matches!(item.vis, syn::Visibility::Inherited);
        self.add_use(&item.tree, &mut Vec::new(), is_export);
    }

    fn visit_path(&mut self, path: &'a SynPath) {
        if path.leading_colon.is_none() {
            let names = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
            self.module.paths.insert(names);
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'a syn::Macro) {
        // The path of the macro is ignored, because macros are visible everywhere. The paths in its arguments are not.
        let mut names = Vec::new();
        collect_paths(call.tokens.clone(), &mut names);
        self.module.paths.extend(names);
    }
}

impl Reader<'_> {
    fn add_use(&mut self, tree: &UseTree, path: &mut Vec<String>, is_export: bool) {
        match tree {
            UseTree::Path(tree) => {
                path.push(tree.ident.to_string());
                self.add_use(&tree.tree, path, is_export);
                path.pop();
            }
            UseTree::Name(tree) => {
                self.add_import(&tree.ident.to_string(), &tree.ident.to_string(), path, is_export);
            }
            UseTree::Rename(tree) => {
                self.add_import(&tree.rename.to_string(), &tree.ident.to_string(), path, is_export);
            }
            UseTree::Glob(_) => self.module.globs.push(path.clone()),
            UseTree::Group(group) => {
                group.items.iter().for_each(|tree| self.add_use(tree, path, is_export));
            }
        }
    }

    fn add_import(&mut self, name: &str, original: &str, path: &[String], is_export: bool) {
        let mut whole = path.to_vec();
        if original != "self" {
            whole.push(original.to_owned());
        }
        let name = if name == "self" { path.last().cloned().unwrap_or_default() } else { name.to_owned() };
        if is_export {
            self.module.exports.insert(name.clone());
        }
        self.module.imports.insert(name, whole);
    }
}

/// Adds the paths in the arguments of a macro to `found`.
fn collect_paths(tokens: proc_macro2::TokenStream, found: &mut Vec<Vec<String>>) {
    use proc_macro2::TokenTree;
    let mut path = Vec::<String>::new();
    let mut colons = 0;
    for token in tokens {
        match token {
            TokenTree::Ident(ident) => {
                if colons != 2 {
                    found.extend(Some(std::mem::take(&mut path)).filter(|path| !path.is_empty()));
                }
                path.push(ident.to_string());
                colons = 0;
            }
            TokenTree::Punct(punct) if punct.as_char() == ':' => colons += 1,
            other => {
                found.extend(Some(std::mem::take(&mut path)).filter(|path| !path.is_empty()));
                colons = 0;
                if let TokenTree::Group(group) = other {
                    collect_paths(group.stream(), found);
                }
            }
        }
    }
    found.extend(Some(path).filter(|path| !path.is_empty()));
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// Returns whether the attribute is `cfg(test)` or `cfg(all(test, …))`.
fn is_test(attribute: &Attribute) -> bool {
    let syn::Meta::List(list) = &attribute.meta else { return false };
    let words: Vec<String> = list.tokens.clone().into_iter().map(|token| token.to_string()).collect();
    list.path.is_ident("cfg")
        && (words == ["test"]
            || words.first().is_some_and(|word| word == "all") && words[1].starts_with("(test"))
}

impl Module {
    /// Removes the names from `exports` that are used elsewhere in the module.
    fn remove_used_exports(&mut self) {
        let Self { exports, paths, .. } = self;
        exports.retain(|name| !paths.iter().any(|path| path.first() == Some(name)));
    }

    /// Returns the paths of the modules that the module uses. `own` is its own path.
    fn used(&self, own: &[String], modules: &Modules) -> BTreeSet<Vec<String>> {
        let imported = self.imports.iter().filter(|(name, _)| !self.exports.contains(*name));
        let globs = self.globs.iter().filter(|_| !own.is_empty());
        let imported = imported.map(|(_, path)| path).chain(globs);
        let mut used: BTreeSet<Vec<String>> =
            imported.filter_map(|path| definer(own, path, modules, 0)).collect();
        // A path of one name is a local name or an import, and the imports are in `used` already.
        let paths = self.paths.iter().filter(|path| path.len() > 1);
        used.extend(paths.filter_map(|path| definer(own, path, modules, 0)));
        used
    }
}

/// Returns the module that defines the item `path` in the module `from`, or `None` if the item is in another crate.
fn definer(from: &[String], path: &[String], modules: &Modules, depth: usize) -> Option<Vec<String>> {
    let (first, rest) = path.split_first()?;
    // Two modules may import all names of each other, which would recurse without end.
    if depth > 16 {
        return None;
    }
    let start: Vec<String> = match first.as_str() {
        "crate" => Vec::new(),
        "self" => from.to_vec(),
        "super" => {
            let (_, parent) = from.split_last()?;
            return definer_within(parent, rest, modules, depth);
        }
        _ => {
            let module = modules.get(from)?;
            let is_known = module.children.contains(first) || module.imports.contains_key(first);
            return is_known.then(|| definer_within(from, path, modules, depth)).flatten();
        }
    };
    definer_within(&start, rest, modules, depth)
}

/// Returns the same as [`definer`], for a path relative to the module `start`.
fn definer_within(start: &[String], path: &[String], modules: &Modules, depth: usize) -> Option<Vec<String>> {
    let Some((first, rest)) = path.split_first() else { return Some(start.to_vec()) };
    let module = modules.get(start)?;
    if first == "super" {
        let (_, parent) = start.split_last()?;
        return definer_within(parent, rest, modules, depth + 1);
    }
    if module.children.contains(first) {
        let child: Vec<String> = start.iter().chain([first]).cloned().collect();
        return definer_within(&child, rest, modules, depth + 1);
    }
    if let Some(import) = module.imports.get(first) {
        let whole: Vec<String> = import.iter().chain(rest).cloned().collect();
        return definer(start, &whole, modules, depth + 1);
    }
    Some(start.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn crate_of(files: &[(&str, &str)], name: &str) -> Uses {
        let folder = std::env::temp_dir().join(format!("xtask-{name}-{}", std::process::id()));
        for (file, text) in files {
            let file = folder.join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        let found = uses(&folder.join("lib.rs"));
        fs::remove_dir_all(&folder).unwrap();
        found.unwrap()
    }

    fn names(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn a_cycle_through_a_re_export_is_found() {
        let uses = crate_of(
            &[
                ("lib.rs", "mod a; mod b; pub use a::A; pub use b::B;"),
                ("a.rs", "pub struct A(crate::B);"),
                ("b.rs", "pub struct B; impl B { fn f() -> crate::A { todo!() } }"),
            ],
            "cycle",
        );
        assert_eq!(uses["a"], names(&["b"]));
        assert_eq!(super::super::cycles::of(&uses)[0].path, ["a", "b", "a"]);
    }

    #[test]
    fn a_parent_and_a_child_that_use_each_other_are_a_cycle() {
        let uses = crate_of(
            &[
                ("lib.rs", "mod a;"),
                ("a.rs", "mod b; use b::B; pub struct A(B);"),
                ("a/b.rs", "use super::A; pub struct B; fn f(a: &A) {}"),
            ],
            "parent",
        );
        assert_eq!((&uses["a"], &uses["a::b"]), (&names(&["a::b"]), &names(&["a"])));
    }

    #[test]
    fn paths_in_arguments_of_macros_are_used_and_paths_in_tests_are_not() {
        let uses = crate_of(
            &[
                ("lib.rs", "mod a; mod b;"),
                ("a.rs", "pub fn f() { println!(\"{}\", crate::b::g()); }"),
                ("b.rs", "pub fn g() -> u8 { 1 }\n#[cfg(test)] mod tests { use crate::a::f; }"),
            ],
            "tests",
        );
        assert_eq!((&uses["a"], &uses["b"]), (&names(&["b"]), &names(&[])));
    }
}
