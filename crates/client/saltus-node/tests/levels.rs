//! What no logger logs is off for libraries, too.

use saltus_node::{ContextOptions, set_logger_level};
use saltus_types::Severity;
use tracing::{Level, event_enabled};

#[test]
fn messages_of_libraries_are_off_unless_a_logger_has_their_level() {
    let folder = tempfile::tempdir().unwrap();
    let _context = ContextOptions::default().folder(folder.path()).handle_signals(false).create().unwrap();
    let is_on = || (event_enabled!(Level::DEBUG), event_enabled!(Level::INFO), event_enabled!(Level::ERROR));
    assert_eq!(is_on(), (false, true, true));
    set_logger_level("a.library", Severity::Debug);
    assert_eq!(is_on(), (true, true, true));
    set_logger_level("a.library", Severity::Unset);
    set_logger_level("", Severity::Error);
    assert_eq!(is_on(), (false, false, true));
    set_logger_level("a.library", Severity::Info);
    assert_eq!(is_on(), (false, true, true));
}
