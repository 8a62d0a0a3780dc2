//! Pairs of launch files with the same content in YAML and in XML.

use std::{collections::BTreeSet, fs, path::Path};

use super::{Files, text};
use crate::{Environment, Evaluator};

/// Returns the plan of a file as a text, which names included files without their forms.
fn plan(files: &Files, name: &str, form: &str) -> String {
    let environment =
        Environment::from([("PATH".into(), "/usr/bin".into()), ("HOME".into(), "/home/robot".into())]);
    let path = format!("/robot/{name}.launch.{form}");
    let plan = Evaluator::new(files, environment).plan(Path::new(&path), &[]);
    let plan = plan.unwrap_or_else(|error| panic!("{error}"));
    // The tree ends a line with the origin of the action, such as `(talker.launch.yaml:3)`.
    let origin = format!("  ({name}.launch.{form}:");
    text(&plan).lines().map(|line| line.split(&origin).next().unwrap()).collect::<Vec<_>>().join("\n")
}

#[test]
fn both_forms_of_a_file_give_the_same_plan() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pairs");
    let (mut contents, mut names) = (Vec::new(), BTreeSet::new());
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let file = path.file_name().unwrap().to_str().unwrap().to_owned();
        names.extend(file.split_once(".launch.").map(|(name, _)| name.to_owned()));
        contents.push((format!("/robot/{file}"), fs::read_to_string(&path).unwrap()));
    }
    let contents: Vec<_> = contents.iter().map(|(path, text)| (&**path, &**text)).collect();
    let files = Files::new(&contents);
    assert!(names.len() > 15);
    for name in names {
        let without_form = |text: String, form: &str| {
            let lines =
                text.lines().map(|line| line.split("  (arm.launch").next().unwrap().replace(form, "FORM"));
            lines.collect::<Vec<_>>().join("\n")
        };
        let yaml = without_form(plan(&files, &name, "yaml"), ".launch.yaml");
        let xml = without_form(plan(&files, &name, "xml"), ".launch.xml");
        assert_eq!(yaml, xml, "{name}");
    }
}
