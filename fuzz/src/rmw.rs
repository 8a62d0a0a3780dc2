//! Tokens and attachments of other hosts.

use saltus_rmw::{Attachment, Token, data_key};

/// Reads text as a token of an entity, and bytes as an attachment. What was read must be the same after it was written and read
/// again.
pub fn rmw(data: &[u8]) {
    if let Ok(attachment) = Attachment::from_bytes(data) {
        assert_eq!(attachment.to_bytes().as_slice(), data);
    }
    let Ok(token) = String::from_utf8_lossy(data).parse::<Token>() else { return };
    let written = token.to_string();
    assert_eq!(written.parse(), Ok(token.clone()), "{written}");
    if let Some(endpoint) = token.endpoint {
        let key = data_key(token.domain, &endpoint.name, &endpoint.type_name, endpoint.type_hash);
        assert!(key.is_some_and(|key| !key.contains("//")), "{written}");
    }
}
