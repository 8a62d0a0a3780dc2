//! Patterns for names of topics, services and actions.

use saltus_types::{NameError, NodeName, TopicName};

/// A pattern for names. It may contain one `*`, which matches any text.
///
/// **Invariant:** a pattern begins with `/` or `*`.
///
/// ```
/// # use saltus_relay::Pattern;
/// let arms = Pattern::parse("arm_*/state")?;
/// assert_eq!(arms.text_in("/arm_left/state"), Some("left"));
/// assert_eq!(arms.text_in("/leg/state"), None);
/// # Ok::<(), saltus_relay::PatternError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    before: String,
    /// The text after the `*`. `None` if there is no `*`.
    after: Option<String>,
}

/// The error for an invalid pattern.
#[derive(thiserror::Error)]
pub enum PatternError {
    /// The pattern has several `*`.
    #[error("expected at most one `*`, found `{0}`")]
    Stars(String),
    /// The pattern can't match a valid name.
    #[error(transparent)]
    Name(#[from] NameError),
    /// One of two patterns of a remapping has a `*`, and the other has none.
    #[error("expected a `*` in both or none of `{from}` and `{to}`")]
    Remap {
        /// The pattern.
        from: String,
        /// The pattern that it is remapped to.
        to: String,
    },
}

saltus_types::debug_as_display!(PatternError);

impl Pattern {
    /// Returns the pattern that matches all names.
    pub fn any() -> Self {
        Self { before: String::new(), after: Some(String::new()) }
    }

    /// Parses a pattern. A name without a leading `/` is in the root namespace.
    ///
    /// # Errors
    /// Returns an error if the pattern has several `*`, or can't match a valid name.
    pub fn parse(text: &str) -> Result<Self, PatternError> {
        if text.matches('*').count() > 1 {
            return Err(PatternError::Stars(text.into()));
        }
        let is_whole = text.starts_with(['/', '*']);
        let text = if is_whole { text.to_owned() } else { format!("/{text}") };
        let pattern = match text.split_once('*') {
            None => Self { before: text, after: None },
            Some((before, after)) => Self { before: before.into(), after: Some(after.into()) },
        };
        // If neither of these texts in place of the `*` gives a valid name, no text does.
        let (as_name, as_part) = (pattern.with_text("/x"), pattern.with_text("x"));
        expand(&as_name).or_else(|_| expand(&as_part))?;
        Ok(pattern)
    }

    /// Returns whether the pattern has a `*`, and so matches many names.
    pub(crate) fn is_open(&self) -> bool {
        self.after.is_some()
    }

    /// Returns the text that the `*` matches in a name. Returns an empty text if there is no `*`, and `None` if the
    /// name does not match.
    pub fn text_in<'a>(&self, name: &'a str) -> Option<&'a str> {
        match &self.after {
            None => (name == self.before).then_some(""),
            Some(after) => name.strip_prefix(&*self.before)?.strip_suffix(&**after),
        }
    }

    /// Returns the pattern for the same names in a namespace, such as `/robot1`.
    ///
    /// ```
    /// # use saltus_relay::Pattern;
    /// assert_eq!(Pattern::parse("camera/*")?.in_namespace("/robot1").to_string(), "/robot1/camera/*");
    /// assert_eq!(Pattern::any().in_namespace("/robot1").to_string(), "/robot1/*");
    /// # Ok::<(), saltus_relay::PatternError>(())
    /// ```
    #[must_use]
    pub fn in_namespace(&self, namespace: &str) -> Self {
        Self { before: format!("{namespace}{}", self.absolute().before), after: self.after.clone() }
    }

    /// Returns the pattern for the same names that begins with `/`, as all names do.
    #[must_use]
    pub fn absolute(&self) -> Self {
        let before = if self.before.is_empty() { "/".into() } else { self.before.clone() };
        Self { before, after: self.after.clone() }
    }

    /// Returns the pattern with `text` in place of the `*`.
    pub(crate) fn with_text(&self, text: &str) -> String {
        match &self.after {
            None => self.before.clone(),
            Some(after) => format!("{}{text}{after}", self.before),
        }
    }
}

impl std::fmt::Display for Pattern {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.with_text("*"))
    }
}

/// Returns the topic with a fully qualified name. Returns an error if the name is invalid.
pub(crate) fn expand(name: &str) -> Result<TopicName, NameError> {
    let root = NodeName::new("/", "domain_bridge")?;
    TopicName::expand(name, &root)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_pattern_that_can_not_match_a_name_is_an_error() {
        for bad in ["", "/", "a//b", "a b", "9/*", "*/*", "a/", "/a/*b*"] {
            assert!(Pattern::parse(bad).is_err(), "{bad}");
        }
        for good in ["*", "/*", "a", "/a/b", "a/*", "*/b", "a_*_b/c", "/a*"] {
            assert!(Pattern::parse(good).is_ok(), "{good}");
        }
    }

    proptest! {
        #[test]
        fn the_text_in_a_name_is_found_again(before in "/[a-z]{0,3}", text in "[a-z/]{0,6}", after in "[a-z]{0,3}") {
            let pattern = Pattern { before, after: Some(after) };
            let name = pattern.with_text(&text);
            prop_assert_eq!(pattern.text_in(&name), Some(&*text));
        }
    }
}
