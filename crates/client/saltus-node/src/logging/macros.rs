//! The logging macros.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use saltus_host::monotonic_now;

/// Whether this is the first call with this flag. The macros use it.
#[doc(hidden)]
pub fn is_first(was_called: &AtomicBool) -> bool {
    !was_called.swap(true, Ordering::Relaxed)
}

/// Whether `period` has passed since this last returned `true` for `last`. The macros use it.
#[doc(hidden)]
pub fn is_due(last: &AtomicU64, period: std::time::Duration) -> bool {
    let (now, before) = (monotonic_now(), last.load(Ordering::Relaxed));
    let passed =
        before == 0 || now.saturating_sub(before) >= u64::try_from(period.as_nanos()).unwrap_or(u64::MAX);
    passed && last.compare_exchange(before, now, Ordering::Relaxed, Ordering::Relaxed).is_ok()
}

/// Logs a message at a severity that is known only at run time: `log!(logger, severity, "…", …)`.
#[macro_export]
macro_rules! log {
    ($logger:expr, $severity:expr, $($text:tt)+) => {
        match $severity {
            $crate::Severity::Unset | $crate::Severity::Debug => $crate::debug!($logger, $($text)+),
            $crate::Severity::Info => $crate::info!($logger, $($text)+),
            $crate::Severity::Warn => $crate::warn!($logger, $($text)+),
            $crate::Severity::Error => $crate::error!($logger, $($text)+),
            $crate::Severity::Fatal => $crate::fatal!($logger, $($text)+),
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! log_at {
    ($logger:expr, $severity:ident, $level:ident, { $($field:tt)* }, $($text:tt)+) => {{
        let logger: &$crate::Logger = &$logger;
        if logger.is_enabled($crate::Severity::$severity) {
            $crate::__tracing::event!(
                target: $crate::__TARGET, $crate::__tracing::Level::$level,
                logger = logger.name(), context = logger.context(), $($field)* $($text)+
            );
        }
    }};
}

/// Defines the three macros of a severity: log always, log once, and log at most once per period.
macro_rules! severity_macros {
    ($dollar:tt $name:ident, $once:ident, $throttle:ident, $severity:ident, $level:ident, { $($field:tt)* }) => {
        /// Logs a message at this severity: `(logger, "format", values…)`.
        #[macro_export]
        macro_rules! $name {
            ($dollar logger:expr, $dollar($dollar text:tt)+) => {
                $crate::log_at!($dollar logger, $severity, $level, { $($field)* }, $dollar($dollar text)+)
            };
        }

        /// Logs a message at this severity, but only the first time that this call is reached.
        #[macro_export]
        macro_rules! $once {
            ($dollar logger:expr, $dollar($dollar text:tt)+) => {{
                static LOGGED: ::std::sync::atomic::AtomicBool = ::std::sync::atomic::AtomicBool::new(false);
                let logger: &$crate::Logger = &$dollar logger;
                if logger.is_enabled($crate::Severity::$severity) && $crate::__is_first(&LOGGED) {
                    $crate::$name!(*logger, $dollar($dollar text)+);
                }
            }};
        }

        /// Logs a message at this severity, but at most once per period:
        /// `(logger, Duration::from_secs(1), "format", values…)`.
        #[macro_export]
        macro_rules! $throttle {
            ($dollar logger:expr, $dollar period:expr, $dollar($dollar text:tt)+) => {{
                static LAST: ::std::sync::atomic::AtomicU64 = ::std::sync::atomic::AtomicU64::new(0);
                let logger: &$crate::Logger = &$dollar logger;
                if logger.is_enabled($crate::Severity::$severity) && $crate::__is_due(&LAST, $dollar period) {
                    $crate::$name!(*logger, $dollar($dollar text)+);
                }
            }};
        }
    };
}

severity_macros!($ debug, debug_once, debug_throttle, Debug, DEBUG, {});
severity_macros!($ info, info_once, info_throttle, Info, INFO, {});
severity_macros!($ warn, warn_once, warn_throttle, Warn, WARN, {});
severity_macros!($ error, error_once, error_throttle, Error, ERROR, {});
severity_macros!($ fatal, fatal_once, fatal_throttle, Fatal, ERROR, { fatal = 1u64, });

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn once_and_throttle_limit_how_often_a_line_is_logged() {
        let (first, last) = (AtomicBool::new(false), AtomicU64::new(0));
        assert_eq!((is_first(&first), is_first(&first)), (true, false));
        let long = std::time::Duration::from_secs(1000);
        assert_eq!((is_due(&last, long), is_due(&last, long)), (true, false));
        assert!(is_due(&last, std::time::Duration::ZERO));
    }
}
