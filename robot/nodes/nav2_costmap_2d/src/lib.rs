//! What it costs a robot to be anywhere: a node with a costmap, as ROS 2's package of this name has.
//!
//! | module | content |
//! |---|---|
//! | `settings` | what the parameters say |
//! | `cloud` | the points of scans and clouds |
//! | `context` | what a layer is made from, and what it is |
//! | `sources` | what sensors see becomes observations |
//! | `live` | layers whose parameters change while the node runs |
//! | `plugins` | the layers by name |
//! | `shared` | the costmap, its frames and its times, which servers use |
//! | `publish` | the topics with the costs |
//! | `updater` | the updates of a costmap |
//! | `services` | the services that return and clear costs |
//! | `remote` | the costs and the footprint that the node of a costmap publishes |
//! | `node` | the lifecycle node of a costmap |
//! | `component` | the component with a costmap alone |

mod cloud;
mod component;
mod context;
mod live;
mod node;
mod plugins;
mod publish;
mod remote;
mod services;
mod settings;
mod shared;
mod sources;
#[cfg(test)]
mod tests;
mod updater;

pub use component::Costmap2D;
pub use context::{LayerContext, MadeLayer};
pub use node::CostmapNode;
pub use plugins::LayerTypes;
pub use remote::{RemoteCostmap, RemoteTopics};
pub use shared::{Costmap, CostmapGuard};

saltus::component!("nav2_costmap_2d::Costmap2DROS", Costmap2D);
