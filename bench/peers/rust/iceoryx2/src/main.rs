//! iceoryx2: `busy` polls the subscriber, `listener` blocks on its event.

use std::time::{Duration, Instant};

use iceoryx2::{
    port::{listener::Listener, notifier::Notifier, publisher::Publisher, subscriber::Subscriber},
    prelude::*,
    sample::Sample,
};
use saltus_bench_pingpong::{Arguments, Echoes, PingTransport, Reply, Role, ping};

type Error = Box<dyn std::error::Error>;

struct Exchange {
    publisher: Publisher<ipc::Service, [u8], ()>,
    subscriber: Subscriber<ipc::Service, [u8], ()>,
    notifier: Notifier<ipc::Service>,
    listener: Listener<ipc::Service>,
    blocks: bool,
}

impl Exchange {
    fn open(arguments: &Arguments) -> Result<Self, Error> {
        set_log_level(LogLevel::Error);
        let (ping, pong) = (format!("ping_{}", arguments.tag), format!("pong_{}", arguments.tag));
        let (to, from) = if arguments.role == Role::Ping { (ping, pong) } else { (pong, ping) };
        let (to, from) = (ServiceName::new(&to)?, ServiceName::new(&from)?);
        let node = NodeBuilder::new().create::<ipc::Service>()?;
        let topic =
            |name: &ServiceName| node.service_builder(name).publish_subscribe::<[u8]>().open_or_create();
        let event = |name: &ServiceName| node.service_builder(name).event().open_or_create();
        let (topic_to, topic_from, event_to, event_from) =
            (topic(&to)?, topic(&from)?, event(&to)?, event(&from)?);
        let exchange = Self {
            publisher: topic_to.publisher_builder().initial_max_slice_len(arguments.size).create()?,
            subscriber: topic_from.subscriber_builder().create()?,
            notifier: event_to.notifier_builder().create()?,
            listener: event_from.listener_builder().create()?,
            blocks: arguments.mode == "listener",
        };
        let complete = || {
            topic_to.dynamic_config().number_of_subscribers() > 0
                && topic_from.dynamic_config().number_of_publishers() > 0
                && event_to.dynamic_config().number_of_listeners() > 0
                && event_from.dynamic_config().number_of_notifiers() > 0
        };
        let deadline = Instant::now() + Duration::from_secs(10);
        while !complete() {
            if Instant::now() > deadline {
                return Err("the other process was not found in time".into());
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        // Ports connect lazily. This wait gives the other process time to find the ports of this process.
        std::thread::sleep(Duration::from_millis(100));
        Ok(exchange)
    }

    fn send(&self, data: &[u8]) -> Result<(), Error> {
        self.publisher.loan_slice_uninit(data.len())?.write_from_slice(data).send()?;
        if self.blocks {
            self.notifier.notify()?;
        }
        Ok(())
    }

    fn receive(&self, timeout: Duration) -> Result<Option<Sample<ipc::Service, [u8], ()>>, Error> {
        let deadline = Instant::now() + timeout;
        loop {
            for _ in 0..1024 {
                if let Some(sample) = self.subscriber.receive()? {
                    return Ok(Some(sample));
                }
                if self.blocks {
                    self.listener.timed_wait(|_| {}, timeout)?;
                }
            }
            if Instant::now() >= deadline {
                return Ok(None);
            }
        }
    }
}

impl PingTransport for Exchange {
    fn round_trip(&mut self, data: &[u8], whole: bool, timeout: Duration) -> Result<Option<Reply>, String> {
        Exchange::send(self, data).map_err(|e| e.to_string())?;
        let sample = self.receive(timeout).map_err(|e| e.to_string())?;
        Ok(sample.map(|sample| Reply::of(sample.payload(), whole)))
    }

    fn send(&mut self, data: &[u8]) -> Result<(), String> {
        Exchange::send(self, data).map_err(|e| e.to_string())
    }
}

fn main() -> Result<(), Error> {
    let arguments = Arguments::parse(&std::env::args().skip(1).collect::<Vec<_>>())?;
    arguments.pin()?;
    let mut exchange = Exchange::open(&arguments)?;
    if arguments.role == Role::Ping {
        return Ok(ping(&arguments, "0.10.0", &mut exchange)?);
    }
    let mut echoes = Echoes::new(&arguments);
    while let Some(sample) = exchange.receive(Duration::from_secs(10))? {
        if !echoes.note(sample.payload()) {
            break;
        }
        exchange.send(sample.payload())?;
    }
    echoes.report();
    Ok(())
}
