//! Pictures of plans.

use std::path::Path;

use super::xml;
use crate::{picture, tree::entries};

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
