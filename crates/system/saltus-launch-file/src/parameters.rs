//! The parameters of nodes in launch files, and their types.

use saltus_node::parameter_value;
use saltus_types::ParameterValue;
use saltus_yaml::{Node, Value};

use crate::{
    action::{ParameterSource, ParameterText, ValueType},
    element::{Attribute, Element, Reader, text_node},
    origin::LaunchError,
    text::Text,
};

type Result<T, E = LaunchError> = std::result::Result<T, E>;

/// The maximum depth of nested parameters.
const MAX_DEPTH: usize = 50;

/// Reads an element `param`: a file, a value, or nested parameters.
pub(crate) fn source(element: &Element) -> Result<ParameterSource> {
    let reader = Reader::new(element);
    let Some(path) = reader.text("from")? else {
        let mut values = Vec::new();
        value(element, &Text::default(), 0, &mut values)?;
        return Ok(ParameterSource::Values(values));
    };
    if reader.attribute("name").is_some() {
        return Err(reader.error("`name` and `from` can't be used together"));
    }
    let allow_substs = reader.text("allow_substs")?.unwrap_or(Text::plain("false"));
    reader.end()?;
    Ok(ParameterSource::File { path, allow_substs })
}

/// Reads a parameter and those that are nested in it. Their names begin with `prefix`.
fn value(
    element: &Element,
    prefix: &Text,
    depth: usize,
    values: &mut Vec<(Text, ParameterText)>,
) -> Result<()> {
    let reader = Reader::new(element);
    if depth == MAX_DEPTH {
        return Err(reader.error("too many parameters are nested"));
    }
    let own = reader.text("name")?.ok_or_else(|| reader.error("`name` or `from` is needed"))?;
    let mut name = prefix.clone();
    name.push(own);
    let kind = reader.plain("type")?.map(|text| value_type(&reader, &text)).transpose()?.flatten();
    let separator = reader.plain("value-sep")?;
    let nested: Vec<&Element> = reader.nested("param").collect();
    match reader.attribute("value") {
        Some(_) if !nested.is_empty() => {
            return Err(reader.error("`value` and nested parameters can't be used together"));
        }
        None if nested.is_empty() => return Err(reader.error("`value` or nested parameters are needed")),
        Some(attribute) => {
            values.push((name, parameter_text(&reader, attribute, separator.as_deref(), kind)?));
        }
        None => {
            name.push_literal(".");
            nested.iter().try_for_each(|child| value(child, &name, depth + 1, values))?;
        }
    }
    reader.end()
}

fn value_type(reader: &Reader<'_>, text: &str) -> Result<Option<ValueType>> {
    Ok(Some(match text {
        "yaml" => return Ok(None),
        "bool" => ValueType::Bool,
        "int" => ValueType::Integer,
        "float" => ValueType::Float,
        "str" => ValueType::String,
        "list_of_bool" => ValueType::Bools,
        "list_of_int" => ValueType::Integers,
        "list_of_float" => ValueType::Floats,
        "list_of_str" => ValueType::Strings,
        _ => {
            let known = "bool, int, float, str, list_of_bool, list_of_int, list_of_float, list_of_str, yaml";
            return Err(reader.error(format!("there is no type `{text}`; the types are {known}")));
        }
    }))
}

fn parameter_text(
    reader: &Reader<'_>,
    attribute: &Attribute,
    separator: Option<&str>,
    kind: Option<ValueType>,
) -> Result<ParameterText> {
    let parse = |text: &str| Text::parse(text).map_err(|error| reader.error(format!("`value`: {error}")));
    let items: Option<Vec<Node>> = match (attribute, separator) {
        (Attribute::Characters(text), Some(separator)) => {
            let piece = |piece: &str| {
                if kind == Some(ValueType::Strings) {
                    text_node(piece)
                } else {
                    Attribute::Characters(piece.into()).node()
                }
            };
            Some(text.split(separator).map(piece).collect())
        }
        (_, Some(_)) => return Err(reader.error("`value-sep` belongs to XML; write a list")),
        // With this type, brackets are characters like all others.
        (Attribute::Characters(_), None) if kind == Some(ValueType::String) => None,
        (Attribute::Characters(_), None) => match attribute.node().value {
            // Only a list without substitutions is known here. `[$(var a), 1]` is a text until it is evaluated.
            Value::Sequence(items)
                if items.iter().all(|item| item.as_text().is_some_and(|text| !text.contains("$("))) =>
            {
                Some(items)
            }
            _ => None,
        },
        (Attribute::Yaml(node), None) => node.as_sequence().map(<[Node]>::to_vec),
    };
    if let Some(items) = items {
        return list(reader, &items, kind);
    }
    let node = match attribute {
        // With a type, quotes are characters like all others.
        Attribute::Characters(text) if kind == Some(ValueType::String) || text.contains("$(") => {
            text_node(text)
        }
        _ => attribute.node(),
    };
    let text = node.as_text().ok_or_else(|| reader.error(format!("`value` can't be {}", node.kind())))?;
    let parsed = parse(text)?;
    match parsed.literal() {
        None => Ok(ParameterText::Text(parsed, kind)),
        Some(literal) => typed(&node.with_text(literal), kind)
            .map(ParameterText::Known)
            .map_err(|error| reader.error(format!("`value`: {error}"))),
    }
}

fn list(reader: &Reader<'_>, items: &[Node], kind: Option<ValueType>) -> Result<ParameterText> {
    let mut texts = Vec::new();
    let mut plain = Vec::new();
    for item in items {
        let text = item
            .as_text()
            .ok_or_else(|| reader.error(format!("an item of `value` can't be {}", item.kind())))?;
        let parsed = Text::parse(text).map_err(|error| reader.error(format!("`value`: {error}")))?;
        if let Some(literal) = parsed.literal() {
            plain.push(item.with_text(literal));
        }
        texts.push(parsed);
    }
    if plain.len() < texts.len() {
        return Ok(ParameterText::List(texts, kind));
    }
    let whole = Node { value: Value::Sequence(plain), line: 1, column: 1 };
    typed(&whole, kind).map(ParameterText::Known).map_err(|error| reader.error(format!("`value`: {error}")))
}

/// Returns a value of YAML as the value of a parameter of this type, or of the type that the YAML has.
///
/// # Errors
///
/// Returns an error if the value has another type, or if the items of a list have different types.
pub(crate) fn typed(node: &Node, kind: Option<ValueType>) -> Result<ParameterValue, String> {
    let wrong = |name: &str| format!("{} is not {name}", node.kind());
    let items = || node.as_sequence().ok_or_else(|| wrong("a list"));
    let text = || node.as_text().map(str::to_owned).ok_or_else(|| wrong("a text"));
    let integer = |node: &Node| {
        // Python reads `010` as ten.
        let decimal = node.as_word().and_then(|word| word.parse().ok());
        let whole = || node.as_integer().and_then(|number| i64::try_from(number).ok());
        decimal.or_else(whole).ok_or_else(|| format!("{} is not an integer", node.kind()))
    };
    let float = |node: &Node| {
        // Python also reads `inf` and `nan`.
        let decimal = node.as_word().and_then(|word| word.parse().ok());
        let whole = || node.as_integer().map(|number| number as f64);
        let number = decimal.or_else(|| node.as_float()).or_else(whole);
        number.ok_or_else(|| format!("{} is not a number", node.kind()))
    };
    let bool = |node: &Node| {
        let digit = || match node.as_word() {
            Some("1") => Some(true),
            Some("0") => Some(false),
            _ => None,
        };
        node.as_bool().or_else(digit).ok_or_else(|| format!("{} is not a bool", node.kind()))
    };
    let word = |node: &Node| {
        node.as_text().map(str::to_owned).ok_or_else(|| format!("{} is not a text", node.kind()))
    };
    Ok(match kind {
        None => return parameter_value(node).map_err(|error| error.message),
        Some(ValueType::Bool) => ParameterValue::Bool(bool(node)?),
        Some(ValueType::Integer) => ParameterValue::Integer(integer(node)?),
        Some(ValueType::Float) => ParameterValue::Double(float(node)?),
        Some(ValueType::String) => ParameterValue::String(text()?),
        Some(ValueType::Bools) => {
            ParameterValue::BoolArray(items()?.iter().map(bool).collect::<Result<_, _>>()?)
        }
        Some(ValueType::Integers) => {
            ParameterValue::IntegerArray(items()?.iter().map(integer).collect::<Result<_, _>>()?)
        }
        Some(ValueType::Floats) => {
            ParameterValue::DoubleArray(items()?.iter().map(float).collect::<Result<_, _>>()?)
        }
        Some(ValueType::Strings) => {
            ParameterValue::StringArray(items()?.iter().map(word).collect::<Result<_, _>>()?)
        }
    })
}

/// Returns a text, such as the result of a substitution, as the value of a parameter; see [`typed`].
///
/// # Errors
///
/// Returns an error if the text has another type.
pub(crate) fn typed_text(text: &str, kind: Option<ValueType>) -> Result<ParameterValue, String> {
    if kind == Some(ValueType::String) || (kind.is_none() && text.trim().is_empty()) {
        return Ok(ParameterValue::String(text.into()));
    }
    typed(&Attribute::Characters(text.into()).node(), kind)
}

/// Returns texts as the value of a parameter that is a list; see [`typed`].
///
/// # Errors
///
/// Returns an error if the texts have other types.
pub(crate) fn typed_list(items: &[String], kind: Option<ValueType>) -> Result<ParameterValue, String> {
    let node = |item: &String| match kind {
        Some(ValueType::Strings) => text_node(item),
        _ => Attribute::Characters(item.clone()).node(),
    };
    let nodes = items.iter().map(node).collect();
    typed(&Node { value: Value::Sequence(nodes), line: 1, column: 1 }, kind)
}
