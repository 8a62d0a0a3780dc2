//! The component with recoveries, under the name that it had in 2022. Today it is in the package `nav2_behaviors`.

pub use nav2_behaviors::RecoveryServer;

saltus::component!("recovery_server::RecoveryServer", RecoveryServer);
