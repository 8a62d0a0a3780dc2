//! The error of publishing a value.

use saltus_cdr::CdrError;
use saltus_host::PublishError;

/// Why a value was not published.
#[derive(thiserror::Error)]
pub enum PublishValueError {
    /// The value does not fit its type.
    #[error(transparent)]
    Value(#[from] CdrError),
    /// The value could not be sent.
    #[error(transparent)]
    Send(#[from] PublishError),
}

saltus_types::debug_as_display!(PublishValueError);
