//! The keys on which messages, requests and responses are sent.

use saltus_types::TypeHash;

use crate::name::dds_type;

/// What stands in place of a hash that is not known. Humble has no hashes.
pub(crate) const NO_HASH: &str = "TypeHashNotSupported";

/// Returns the text of a hash.
pub(crate) fn hash_text(hash: TypeHash) -> String {
    if hash == TypeHash::UNKNOWN { NO_HASH.into() } else { hash.to_string() }
}

/// Returns the key that other programs use for a type whose hash they do not know: they write a hash of zeros, as ros2-client does.
/// `None` if the type's name is not valid.
///
/// ```
/// let key = saltus_rmw::key_with_zeros(0, "/chatter", "std_msgs/msg/String").unwrap();
/// assert_eq!(key, format!("0/chatter/std_msgs::msg::dds_::String_/RIHS01_{:064}", 0));
/// ```
pub fn key_with_zeros(domain: u32, name: &str, type_name: &str) -> Option<String> {
    key(domain, name, type_name, &TypeHash::UNKNOWN.to_string())
}

/// Returns the key of a topic or service in a domain. The type of a service is that of the service, not of its request.
/// `None` if the type's name is not valid.
///
/// ```
/// let hash = "RIHS01_df668c740482bbd48fb39d76a70dfd4bd59db1288021743503259e948f6b1a18".parse().unwrap();
/// let key = saltus_rmw::data_key(0, "/chatter", "std_msgs/msg/String", hash).unwrap();
/// assert_eq!(key, format!("0/chatter/std_msgs::msg::dds_::String_/{hash}"));
/// ```
pub fn data_key(domain: u32, name: &str, type_name: &str, hash: TypeHash) -> Option<String> {
    key(domain, name, type_name, &hash_text(hash))
}

fn key(domain: u32, name: &str, type_name: &str, hash: &str) -> Option<String> {
    let name = name.strip_prefix('/').unwrap_or(name);
    let name = name.strip_suffix('/').unwrap_or(name);
    Some(format!("{domain}/{name}/{}/{hash}", dds_type(type_name)?))
}
