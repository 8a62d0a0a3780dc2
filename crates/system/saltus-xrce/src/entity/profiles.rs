//! Objects that the agent knows by the names of their profiles.

use std::collections::HashMap;

use super::{model::Definition, xml};
use crate::{WireError, ids::ObjectKind};

/// Why a file with profiles can't be used.
#[derive(Debug, thiserror::Error)]
pub enum ProfileError {
    /// It is not XML.
    #[error(transparent)]
    Parse(#[from] roxmltree::Error),
    /// A profile can't be read.
    #[error("profile `{name}`: {source}")]
    Profile {
        /// The name of the profile.
        name: String,
        /// The error in it.
        source: WireError,
    },
}

/// The objects that an agent knows by the names of their profiles, from an XML file of Fast DDS.
///
/// ```
/// use saltus_xrce::{Definition, ObjectKind, Profiles};
/// let file = "<profiles>
///     <topic profile_name='chatter'>
///         <name>rt/chatter</name><dataType>std_msgs::msg::dds_::String_</dataType>
///     </topic>
/// </profiles>";
/// let profiles = Profiles::parse(file)?;
/// assert!(matches!(profiles.get(ObjectKind::Topic, "chatter"), Some(Definition::Topic(topic)) if topic.name == "rt/chatter"));
/// # Ok::<(), saltus_xrce::ProfileError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Profiles(HashMap<(ObjectKind, String), Definition>);

impl Profiles {
    /// Reads the profiles in the text of a file. Elements without a profile name are skipped.
    ///
    /// # Errors
    /// Returns an error if the text is not XML, or if a profile can't be read.
    pub fn parse(text: &str) -> Result<Self, ProfileError> {
        const KINDS: [ObjectKind; 6] = [
            ObjectKind::Participant,
            ObjectKind::Topic,
            ObjectKind::DataWriter,
            ObjectKind::DataReader,
            ObjectKind::Requester,
            ObjectKind::Replier,
        ];
        let text = saltus_xml::repaired(text);
        let document = xml::parse(&text)?;
        let mut profiles = HashMap::new();
        for element in document.descendants() {
            let tag = element.tag_name().name();
            let kind = KINDS.into_iter().find(|kind| xml::element_name(*kind) == Some(tag));
            let (Some(kind), Some(name)) = (kind, element.attribute("profile_name")) else { continue };
            let definition = xml::definition(kind, element)
                .map_err(|source| ProfileError::Profile { name: name.to_owned(), source })?;
            profiles.insert((kind, name.to_owned()), definition);
        }
        Ok(Self(profiles))
    }

    /// Returns the object with this kind and profile name.
    pub fn get(&self, kind: ObjectKind, name: &str) -> Option<&Definition> {
        self.0.get(&(kind, name.to_owned()))
    }
}
