//! Names that are similar to an unknown name.

use crate::DefinitionName;
use saltus_idl::TypeName;
use saltus_types::most_similar;

/// Returns the definition that a user may have meant with the name of an unknown type: a similar name, or a type with the
/// same name in another package or of another kind.
pub(crate) fn meant<'a>(
    unknown: &TypeName,
    known: impl IntoIterator<Item = &'a DefinitionName>,
) -> Option<String> {
    let known: Vec<&DefinitionName> = known.into_iter().collect();
    let names: Vec<String> = known.iter().map(|one| one.full_name()).collect();
    let similar = most_similar(&unknown.to_string(), names.iter().map(String::as_str));
    similar.map(str::to_owned).or_else(|| {
        let same_name = known.into_iter().filter(|one| one.name == unknown.name);
        same_name
            .min_by_key(|one| (one.package != unknown.package, one.kind != unknown.kind))
            .map(DefinitionName::full_name)
    })
}
