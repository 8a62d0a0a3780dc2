//! Why a network can't be made.

use std::io;

/// Why a network can't be made.
#[derive(Debug, thiserror::Error)]
pub enum NetworkError {
    /// The system makes no namespaces.
    #[error(
        "the system makes no user and network namespaces for this user; run as root, or allow them \
         (sysctl kernel.unprivileged_userns_clone=1)"
    )]
    Refused,
    /// The program that delays packets is missing.
    #[error("the program saltus-delay is missing; `make bench-bridge` builds it")]
    NoCarrier,
    /// A program failed. The second text is what it printed.
    #[error("`{0}` failed: {1}")]
    Failed(String, String),
    /// A program can't be run.
    #[error("{0}; the packages util-linux, iproute2 and nftables are needed")]
    Io(#[from] io::Error),
}
