//! Domains of tests. Processes of other domains do not disturb a test.

use std::{
    fs,
    path::PathBuf,
    sync::atomic::{AtomicU32, Ordering},
};

use saltus::{Context, context::ContextOptions};

/// A folder of shared memory for one test. It is removed when this value is dropped.
pub struct OwnDomain(PathBuf);

impl OwnDomain {
    /// Creates the folder.
    #[allow(clippy::new_without_default, reason = "it creates a folder")]
    pub fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder = PathBuf::from(format!("/dev/shm/@name@-test-{}-{number}", std::process::id()));
        fs::create_dir(&folder).expect("a folder in /dev/shm");
        Self(folder)
    }

    /// Joins the domain.
    pub fn context(&self) -> Context {
        ContextOptions::default().folder(&self.0).create().expect("a context")
    }
}

impl Drop for OwnDomain {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
