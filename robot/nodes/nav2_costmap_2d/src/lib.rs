//! A node with a costmap, as ROS 2's package of this name has: the costs for a robot to be in each cell of a grid.
//!
//! | module | content |
//! |---|---|
//! | `settings` | the values of the parameters |
//! | `cloud` | the points of scans and clouds |
//! | `context` | the things that a layer is created with, and a layer that was created |
//! | `sources` | the observations of sensors |
//! | `live` | layers whose parameters change while the node runs |
//! | `plugins` | the layers by name |
//! | `costmap` | the costmap, its frames and its times, for servers |
//! | `publish` | the topics with the costs |
//! | `updater` | the updates of a costmap |
//! | `services` | the services that return and clear costs |
//! | `remote` | the costs and the footprint that the node of a costmap publishes |
//! | `node` | the lifecycle node of a costmap |
//! | `server` | servers that have a costmap of their own |
//! | `component` | the component with a costmap alone |

mod cloud;
mod component;
mod context;
mod costmap;
mod live;
mod node;
mod plugins;
mod publish;
mod remote;
mod server;
mod services;
mod settings;
mod sources;
#[cfg(test)]
mod tests;
mod updater;

pub use component::Costmap2D;
pub use context::{CreatedLayer, LayerContext};
pub use costmap::{Costmap, CostmapGuard};
pub use node::CostmapNode;
pub use plugins::LayerTypes;
pub use remote::{RemoteCostmap, RemoteTopics};
pub use server::{CostmapOwner, WithCostmap};

saltus::component!("nav2_costmap_2d::Costmap2DROS", Costmap2D);
