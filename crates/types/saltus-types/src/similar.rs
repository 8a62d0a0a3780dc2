//! Names that are similar to an unknown name.

use strsim::damerau_levenshtein;

/// The largest number of typing errors between two similar names.
const MAX_ERRORS: usize = 2;

/// The number of letters of a name in which one typing error is expected at most.
const LETTERS_PER_ERROR: usize = 4;

/// Returns the known name that has the fewest typing errors compared with `name`: at most two, and at most one in four
/// letters. Upper and lower case are the same. Returns `None` if there is no such name.
///
/// ```
/// let known = ["std_msgs", "sensor_msgs"];
/// assert_eq!(saltus::types::most_similar("std_msg", known), Some("std_msgs"));
/// assert_eq!(saltus::types::most_similar("nav_2d", known), None);
/// ```
pub fn most_similar<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.to_lowercase();
    let most = MAX_ERRORS.min(name.len() / LETTERS_PER_ERROR);
    let errors = |one: &&str| damerau_levenshtein(&name, &one.to_lowercase());
    let similar = known.into_iter().map(|one| (errors(&one), one)).filter(|(errors, _)| *errors <= most);
    similar.min().map(|(_, one)| one)
}
