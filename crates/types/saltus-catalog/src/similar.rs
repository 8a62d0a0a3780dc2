//! Names that are similar to an unknown name.

use strsim::damerau_levenshtein;

use crate::DefinitionName;
use saltus_idl::TypeName;

/// The largest number of typing errors between two similar names.
const MAX_ERRORS: usize = 2;

/// The number of letters of a name in which one typing error is expected at most.
const LETTERS_PER_ERROR: usize = 5;

/// Returns the known name that has the fewest typing errors compared with `name`: at most two, and at most one in five
/// letters. Upper and lower case are the same. Returns `None` if there is no such name.
///
/// ```
/// let known = ["std_msgs", "sensor_msgs"];
/// assert_eq!(saltus_catalog::most_similar("std_msg", known), Some("std_msgs"));
/// assert_eq!(saltus_catalog::most_similar("nav_2d", known), None);
/// ```
pub fn most_similar<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.to_lowercase();
    let most = MAX_ERRORS.min(name.len() / LETTERS_PER_ERROR);
    let errors = |one: &&str| damerau_levenshtein(&name, &one.to_lowercase());
    let similar = known.into_iter().map(|one| (errors(&one), one)).filter(|(errors, _)| *errors <= most);
    similar.min().map(|(_, one)| one)
}

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
