//! `saltus topic`

pub(crate) mod delay;
pub(crate) mod echo;
mod info;
pub(crate) mod latency;
mod list;
mod publish;
mod rate;

use clap::Subcommand;

use saltus_verb::error::Error;

/// `saltus topic …`
#[derive(Debug, clap::Args)]
pub(crate) struct TopicArguments {
    /// Also print hidden topics in `list` and `find`
    #[arg(long, hide = true)]
    include_hidden_topics: bool,
    #[command(subcommand)]
    verb: Topic,
}

#[derive(Debug, Subcommand)]
enum Topic {
    /// Print the names of all topics
    #[command(after_help = "Example:\n  saltus topic list -t")]
    List(list::List),
    /// Print the type of a topic, and how many publishers and subscriptions it has
    #[command(after_help = "Example:\n  saltus topic info /chatter --verbose")]
    Info(info::Info),
    /// Print the type of a topic
    #[command(after_help = "Example:\n  saltus topic type /chatter")]
    Type(info::Type),
    /// Print the topics of a type
    #[command(after_help = "Example:\n  saltus topic find std_msgs/msg/String")]
    Find(info::Find),
    /// Print the messages of a topic
    #[command(after_help = "Example:\n  saltus topic echo /chatter --field data --once")]
    Echo(echo::Echo),
    /// Publish messages to a topic
    #[command(
        after_help = "In the values, `now` for a time and `auto` for a header are replaced by the time of sending.\n\n\
                      Examples:\n  \
                      saltus topic pub -r 10 /chatter std_msgs/msg/String \"{data: hi}\"\n  \
                      saltus topic pub /goal geometry_msgs/msg/PoseStamped \"{header: auto}\""
    )]
    Pub(publish::Publish),
    /// Print how many messages arrive per second
    #[command(after_help = "Example:\n  saltus topic hz /chatter")]
    Hz(rate::Hz),
    /// Print the age of header stamps when messages arrive
    #[command(after_help = "Example:\n  saltus topic delay /image")]
    Delay(delay::Delay),
    /// Print how long messages take from publisher to subscription, and how long callbacks take, without subscribing
    #[command(after_help = "Example:\n  saltus topic latency /image")]
    Latency(latency::Latency),
    /// Print how many bytes of messages arrive per second
    #[command(after_help = "Example:\n  saltus topic bw /image")]
    Bw(rate::Bw),
}

impl TopicArguments {
    pub(crate) fn run(self) -> Result<(), Error> {
        match self.verb {
            Topic::List(list) => list.run(self.include_hidden_topics),
            Topic::Info(info) => info.run(),
            Topic::Type(ty) => ty.run(),
            Topic::Find(find) => find.run(self.include_hidden_topics),
            Topic::Echo(echo) => echo.run(),
            Topic::Pub(publish) => publish.run(),
            Topic::Hz(hz) => hz.run(),
            Topic::Bw(bw) => bw.run(),
            Topic::Delay(delay) => delay.run(),
            Topic::Latency(latency) => latency.run(),
        }
    }
}
