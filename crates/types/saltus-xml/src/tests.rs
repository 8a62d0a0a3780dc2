//! Tests of documents that are no XML.

use proptest::prelude::*;
use roxmltree::Document;

use super::*;

fn parsed(text: &str) -> String {
    let text = repaired(text);
    let document = Document::parse(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    let value = |node: roxmltree::Node<'_, '_>| node.attribute("a").map(str::to_owned);
    document.descendants().find_map(value).unwrap_or_default()
}

#[test]
fn what_lenient_parsers_read_becomes_xml() {
    for (text, value) in [
        (r#"<r a="x > 2 && y <= 3"/>"#, "x > 2 && y <= 3"),
        (r#"<r a='&lt;&#65;&#x42;&foo; &amp &'/>"#, "<AB&foo; &amp &"),
        ("<!-- c -->\n \n<?xml version=\"1.0\"?><r a='1'/>", "1"),
        ("\u{feff}\n<?xml version='1.0' encoding='latin1' ?>\n<r a='1'/>", "1"),
        ("<r><sensor:camera t:name='c' a='1'><w/></sensor:camera></r>", "1"),
        ("<r xmlns:x='u'><x:b a='1'/><c xmlns:x='v'><x:d/></c></r>", "1"),
        ("<!-- -- wheels ---><r a='1'/>", "1"),
        ("<!DOCTYPE robot>\n<r a='1'/>", "1"),
        ("<r b=\"'2'\"a='1'/>", "1"),
        ("<r>a & b<!-- & --><![CDATA[<&]]><s a='1'/></r>", "1"),
    ] {
        assert_eq!(parsed(text), value, "{text}");
        assert_eq!(
            repaired(text).lines().count(),
            text.trim_start_matches('\u{feff}').lines().count(),
            "{text}"
        );
    }
}

#[test]
fn what_is_wrong_stays_wrong() {
    for text in
        ["", "<a>", "<a b='1>", "<a></b>", "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "<a/><b/>", "<a b=c/>"]
    {
        assert!(Document::parse(&repaired(text)).is_err(), "{text}");
    }
}

#[test]
fn a_document_may_be_in_latin_1() {
    assert_eq!(decoded(b"<r a='\xe4\xb0'/>".to_vec()), "<r a='ä°'/>");
    assert_eq!(decoded("ä°".into()), "ä°");
    assert_eq!(decoded(b"\xff\xfe<\0a\0\xe4\0".to_vec()), "<aä");
    assert_eq!(decoded(b"\xfe\xff\0<\0a".to_vec()), "<a");
}

proptest! {
    #[test]
    fn texts_of_any_kind_do_not_panic(text in "[<>!?/=\"'&;:#x a-c\\[\\]\\-\nä]{0,60}") {
        let once = repaired(&text);
        prop_assert_eq!(once.matches('\n').count(), text.matches('\n').count());
        // XML stays XML.
        if Document::parse(&text).is_ok() {
            prop_assert!(Document::parse(&once).is_ok(), "{text:?} {once:?}");
        }
    }
}
