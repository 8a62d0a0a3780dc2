//! Pictures of plans.

use std::path::Path;

use super::{Files, xml};
use crate::{picture, tree::entries};

/// The page with an example, and its picture.
const PAGE: &str = include_str!("../../../../../docs/launch.md");
const PICTURE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/launch.svg");

#[test]
fn a_picture_is_xml_and_contains_everything() {
    let plan = xml("<group><node exec='a &lt;b&gt; &amp;c' name='x'/></group>
         <node_container pkg='saltus' exec='container' name='box' namespace=''>
           <composable_node pkg='demo' plugin='A' name='y'/>
         </node_container>")
    .unwrap();
    let svg = picture(Path::new("/robot<1>.xml"), &entries(&plan));
    let document = roxmltree::Document::parse(&svg).unwrap();
    let texts: Vec<_> = document
        .descendants()
        .filter(|node| node.has_tag_name("text"))
        .filter_map(|node| node.text())
        .collect();
    for want in ["/robot<1>.xml", "command: a '<b>' '&c'", "name: /box", "name: /y"] {
        assert!(texts.contains(&want), "{want} is missing in {texts:?}");
    }
    let boxes = document.descendants().filter(|node| node.has_tag_name("rect")).count();
    assert_eq!(boxes, 1 + 1 + 4);
}

/// With the environment variable `SALTUS_WRITE_PICTURE`, the picture is written.
#[test]
fn the_picture_of_the_documentation_is_that_of_its_example() {
    let (example, _) = PAGE.split_once("```yaml\n").unwrap().1.split_once("```").unwrap();
    let plan = Files::new(&[("/robot.launch.yaml", example)]).plan(&[]).unwrap();
    let drawn = picture(Path::new("robot.launch.yaml"), &entries(&plan));
    if std::env::var_os("SALTUS_WRITE_PICTURE").is_some() {
        std::fs::write(PICTURE, &drawn).unwrap();
    }
    assert!(std::fs::read_to_string(PICTURE).unwrap() == drawn, "docs/launch.svg is not up to date");
}
