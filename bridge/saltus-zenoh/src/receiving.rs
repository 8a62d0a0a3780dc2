//! What is received for local subscriptions.

use std::{
    collections::{BTreeMap, HashMap},
    fmt,
    sync::{Arc, Mutex, Weak},
    time::{Duration, Instant},
};

use saltus_host::EndpointInfo;
use saltus_relay::{Output, Replica, ShowError, Source};
use saltus_rmw::EntityKind;
use saltus_types::{Gid, History, QoS, Reliability, TypeHash, lock};
use zenoh::{
    Wait,
    key_expr::KeyExpr,
    pubsub::Subscriber,
    query::{ConsolidationMode, QueryTarget, Reply, ReplyKeyExpr},
    sample::{Locality, Sample, SampleKind},
};
use zenoh_ext::{AdvancedSubscriber, AdvancedSubscriberBuilderExt, HistoryConfig, RecoveryConfig};

use crate::{
    buffers::{BACKENDS, buffer_key, has_buffers},
    early::Early,
    link::{Announced, Link, Task, keeps, message, other, read_attachment},
    route::{Progress, Route, Stage},
    table::Table,
};

/// The longest time that a route waits for the kept messages of its publisher. Its new messages wait as long.
const KEPT_WITHIN: Duration = Duration::from_secs(2);
/// The longest time until the bridge of a publisher sends its messages. After that, the replica is opened anyway.
const SENDS_WITHIN: Duration = Duration::from_secs(1);

/// The subscriptions of a session: one for each key, for all publishers and all local subscriptions.
#[derive(Debug)]
pub(crate) struct Inputs {
    link: Arc<Link>,
    table: Arc<Mutex<Table>>,
    /// By key, and whether it asks for what publishers keep.
    open: Mutex<HashMap<(KeyExpr<'static>, bool), Weak<Input>>>,
}

/// The subscription to one key.
struct Input {
    key: KeyExpr<'static>,
    routes: Arc<Routes>,
    _subscription: Receiving,
    /// The subscriptions to other keys of the same messages.
    _others: Vec<Subscriber<()>>,
    /// The subscription to the key of buffers, if a local subscription has announced that it is there.
    buffers: Mutex<Option<Subscriber<()>>>,
}

/// A subscription of zenoh that is there until it is dropped.
enum Receiving {
    Volatile {
        _subscriber: Subscriber<()>,
    },
    /// Asks for the messages that publishers have kept, also of those that come back.
    Keeping {
        _subscriber: AdvancedSubscriber<()>,
    },
}

/// Where the messages of a key go, by the gid of their publisher.
struct Routes {
    link: Arc<Link>,
    /// The hash in the key.
    type_hash: TypeHash,
    state: Mutex<RouteState>,
    table: Arc<Mutex<Table>>,
}

#[derive(Default)]
struct RouteState {
    routes: HashMap<Gid, Route>,
    /// The number of routes that there have been.
    count: u64,
    early: Early,
}

/// A local subscription that is announced, with the subscription of its key.
pub(crate) struct AnnouncedSubscription {
    _announced: Announced,
    _input: Arc<Input>,
}

impl fmt::Debug for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Input").finish_non_exhaustive()
    }
}

impl Inputs {
    pub(crate) fn new(link: Arc<Link>, table: Arc<Mutex<Table>>) -> Self {
        Self { link, table, open: Mutex::default() }
    }

    /// Announces a local subscription. Its messages are received before, so that no publisher sends in vain.
    pub(crate) fn announce(&self, replica: &Replica) -> Result<AnnouncedSubscription, ShowError> {
        let input = self.open(&replica.end)?;
        let backends = if has_buffers(replica) {
            self.read_buffers(&input)?;
            Some(BACKENDS)
        } else {
            None
        };
        let announced = self.link.announce_with(EntityKind::Subscription, replica, backends)?;
        Ok(AnnouncedSubscription { _announced: announced, _input: input })
    }

    /// Receives what is sent on the key of buffers, too.
    fn read_buffers(&self, input: &Input) -> Result<(), ShowError> {
        let mut buffers = lock(&input.buffers);
        if buffers.is_none() {
            *buffers = Some(self.subscribe_new(buffer_key(&input.key)?, &input.routes)?);
        }
        Ok(())
    }

    /// Receives what is sent on a key from now on.
    fn subscribe_new(
        &self,
        key: KeyExpr<'static>,
        routes: &Arc<Routes>,
    ) -> Result<Subscriber<()>, ShowError> {
        let routes = routes.clone();
        let builder = self.link.session.declare_subscriber(key).allowed_origin(Locality::Remote);
        builder.callback(move |sample| routes.receive(&sample)).wait().map_err(other)
    }

    /// Returns the subscription to the key of an endpoint.
    fn open(&self, end: &EndpointInfo) -> Result<Arc<Input>, ShowError> {
        let mut open = lock(&self.open);
        let mut keys = self.link.keys_with(end, end.type_hash)?;
        let key = (keys.remove(0), keeps(&end.qos));
        if let Some(input) = open.get(&key).and_then(Weak::upgrade) {
            return Ok(input);
        }
        let (link, table) = (self.link.clone(), self.table.clone());
        let routes = Arc::new(Routes { link, type_hash: end.type_hash, state: Mutex::default(), table });
        let subscription = self.subscribe(&key.0, &end.qos, &routes)?;
        let others =
            keys.into_iter().map(|key| self.subscribe_new(key, &routes)).collect::<Result<_, _>>()?;
        let (name, buffers) = (key.0.clone(), Mutex::default());
        let input =
            Arc::new(Input { key: name, routes, _subscription: subscription, _others: others, buffers });
        open.retain(|_, input| input.strong_count() > 0);
        open.insert(key, Arc::downgrade(&input));
        Ok(input)
    }

    fn subscribe(
        &self,
        key: &KeyExpr<'static>,
        qos: &QoS,
        routes: &Arc<Routes>,
    ) -> Result<Receiving, ShowError> {
        if !keeps(qos) {
            return Ok(Receiving::Volatile { _subscriber: self.subscribe_new(key.clone(), routes)? });
        }
        let routes = routes.clone();
        let builder = self.link.session.declare_subscriber(key.clone()).allowed_origin(Locality::Remote);
        let builder = builder.callback(move |sample| routes.receive(&sample));
        let history = HistoryConfig::default().detect_late_publishers();
        let history = history.max_samples(qos.history.depth().into());
        let builder = builder.history(history).query_timeout(KEPT_WITHIN).subscriber_detection();
        let subscriber = match qos.reliability {
            Reliability::Reliable => builder.recovery(RecoveryConfig::default().heartbeat()).wait(),
            _ => builder.wait(),
        };
        Ok(Receiving::Keeping { _subscriber: subscriber.map_err(other)? })
    }

    /// Passes the messages of a publisher to an output, while the result is kept.
    fn route(
        &self,
        publisher: &EndpointInfo,
        history: History,
        output: &Arc<Output>,
    ) -> Result<Arc<Input>, ShowError> {
        let input = self.open(publisher)?;
        let gid = publisher.gid;
        let question = keeps(output.qos()).then(|| self.question(publisher, history)).transpose()?;
        let number = input.routes.add(gid, output.clone(), question);
        let routes = input.routes.clone();
        let begin = move || Routes::sends(&routes, gid, Some(number), None);
        if lock(&self.table).will_send(gid) {
            // It fails only when the bridge ends.
            let _ = self.link.tasks.send(Task::RunAfter(SENDS_WITHIN, Box::new(begin)));
            // The mark may have come meanwhile.
            let kept = lock(&self.table).kept_by(gid);
            if let Some(kept) = kept {
                Routes::sends(&input.routes, gid, Some(number), Some(kept));
            }
        } else {
            begin();
        }
        Ok(input)
    }

    /// Notes that the bridge of a publisher sends its messages now. Those up to the number were kept before.
    pub(crate) fn note_sending(&self, gid: Gid, kept: i64) {
        let inputs: Vec<Arc<Input>> = lock(&self.open).values().filter_map(Weak::upgrade).collect();
        inputs.iter().for_each(|input| Routes::sends(&input.routes, gid, None, Some(kept)));
    }

    /// Returns the question for what a publisher has kept.
    fn question(&self, publisher: &EndpointInfo, history: History) -> Result<Arc<str>, ShowError> {
        let key = self.link.key(publisher)?;
        let session = lock(&self.table).session_of(publisher.gid).unwrap_or("*".into());
        Ok(format!("{key}/@adv/pub/{session}/**?_max={}", history.depth()).into())
    }
}

/// A question for what a publisher has kept. Zenoh drops it when no more replies can come.
struct Question {
    routes: Arc<Routes>,
    gid: Gid,
    /// The number of the route.
    number: u64,
}

impl Question {
    fn receive(&self, reply: &Reply) {
        let Ok(sample) = reply.result() else { return };
        let Some(attachment) = read_attachment(sample.attachment()) else { return };
        let mut state = lock(&self.routes.state);
        // Some programs announce a publisher, and send another gid. If there is one publisher, it is meant.
        let is_meant = attachment.gid == self.gid
            || state.routes.len() == 1 && lock(&self.routes.table).hash_of(attachment.gid).is_none();
        if is_meant
            && let Some(route) = state.routes.get_mut(&self.gid).filter(|route| route.number == self.number)
            && let Progress::Waiting { kept, .. } = &mut route.state
        {
            kept.insert(attachment.sequence, message(sample.payload(), &attachment));
        }
    }
}

impl Drop for Question {
    fn drop(&mut self) {
        self.routes.open(self.gid, self.number);
    }
}

impl Routes {
    /// Adds the route of a publisher, which waits until its messages are sent. Returns its number.
    fn add(&self, gid: Gid, output: Arc<Output>, question: Option<Arc<str>>) -> u64 {
        let mut state = lock(&self.state);
        state.count += 1;
        let number = state.count;
        let (kept, new) = (BTreeMap::new(), BTreeMap::new());
        let waiting = Progress::Waiting { stage: Stage::Sending, kept, new };
        let counts = lock(&self.table).counts_of(gid).unwrap_or_default();
        let mut route = Route { number, output, counts, queue: None, question, state: waiting };
        for (attachment, message) in state.early.take(gid) {
            route.receive(&attachment, message);
        }
        state.routes.insert(gid, route);
        number
    }

    /// Notes that the messages of a publisher are sent. Asks for what was kept, or opens the output. `number` is that of the route,
    /// or `None` for any. `kept` is the number of the last message that was kept before, if the publisher's bridge has said so.
    fn sends(self: &Arc<Self>, gid: Gid, number: Option<u64>, kept: Option<i64>) {
        let (number, question) = {
            let mut state = lock(&self.state);
            let route = state.routes.get_mut(&gid);
            let route = route.filter(|route| number.is_none_or(|number| route.number == number));
            let Some(route) = route else { return };
            let Progress::Waiting { stage, .. } = &mut route.state else { return };
            match stage {
                Stage::Sending => *stage = Stage::Kept(kept),
                // It has come late, but before the answers: they contain what was sent meanwhile, too.
                Stage::Kept(None) => {
                    *stage = Stage::Kept(kept);
                    return;
                }
                Stage::Kept(Some(_)) | Stage::Opening(_) => return,
            }
            (route.number, route.question.clone())
        };
        // The lock is not held: the answer may come at once, on this thread.
        match question {
            Some(question) => self.ask(&question, gid, number),
            None => self.open(gid, number),
        }
    }

    /// Asks a publisher for what it has kept. Its route is opened when the answers have come.
    fn ask(self: &Arc<Self>, selector: &str, gid: Gid, number: u64) {
        let question = Question { routes: self.clone(), gid, number };
        let get = self.link.session.get(selector).target(QueryTarget::All);
        let get = get.allowed_destination(Locality::Remote);
        let get = get.consolidation(ConsolidationMode::None).accept_replies(ReplyKeyExpr::Any);
        let get = get.timeout(KEPT_WITHIN).callback(move |reply| question.receive(&reply));
        if let Err(error) = get.wait() {
            saltus_node::warn!(self.link.logger, "can't ask for the messages that are kept: {error}");
        }
    }

    /// Opens the output of a route.
    fn open(&self, gid: Gid, number: u64) {
        let mut state = lock(&self.state);
        if let Some(route) = state.routes.get_mut(&gid).filter(|route| route.number == number) {
            route.open();
        }
    }

    /// Passes on a message.
    fn receive(&self, sample: &Sample) {
        if sample.kind() != SampleKind::Put {
            return;
        }
        let Some(attachment) = read_attachment(sample.attachment()) else {
            saltus_node::warn_throttle!(
                self.link.logger,
                Duration::from_secs(1),
                "a message on '{}' is dropped: it has no attachment with its number and gid, as rmw_zenoh 0.2.4 and later send it",
                sample.key_expr()
            );
            return;
        };
        let message = message(sample.payload(), &attachment);
        let mut state = lock(&self.state);
        let RouteState { routes, early, .. } = &mut *state;
        if let Some(route) = routes.get_mut(&attachment.gid) {
            route.counts.add(message.len());
            let missing = route.receive(&attachment, message);
            if missing > 0 {
                let loss = lock(&self.table).why_missing(attachment.gid, Instant::now());
                route.output.lock().count_missing(Some((loss, missing)));
            }
            return;
        }
        let announced = lock(&self.table).hash_of(attachment.gid);
        if announced.is_some_and(|hash| hash != self.type_hash) {
            // It comes to the key of its publisher, too.
            return;
        }
        let mut all = routes.values_mut();
        match (all.next(), all.next()) {
            // Some programs announce a publisher, and send another gid. If there is one publisher, it is meant.
            (Some(route), None) if announced.is_none() && early.is_stray(attachment.gid) => {
                route.send(message);
            }
            _ => early.keep(attachment, message),
        }
    }
}

/// What takes the messages of one remote publisher.
pub(crate) struct NetworkSource {
    inputs: Arc<Inputs>,
    output: Arc<Output>,
    /// The subscription of its key, and the gid of the publisher, while messages are wanted.
    input: Option<(Arc<Input>, Gid)>,
}

impl NetworkSource {
    pub(crate) fn new(inputs: &Arc<Inputs>, output: Arc<Output>) -> Self {
        Self { inputs: inputs.clone(), output, input: None }
    }

    fn stop(&mut self) {
        if let Some((input, gid)) = self.input.take() {
            lock(&input.routes.state).routes.remove(&gid);
        }
    }
}

impl Source for NetworkSource {
    fn want(&mut self, publisher: &EndpointInfo, history: Option<History>) -> Result<(), ShowError> {
        match (&self.input, history) {
            (Some((input, gid)), None) => {
                let (input, gid) = (input.clone(), *gid);
                let mut state = lock(&input.routes.state);
                if self.output.lock().close()? {
                    state.routes.remove(&gid);
                    self.input = None;
                }
            }
            (None, Some(history)) => {
                let input = self.inputs.route(publisher, history, &self.output)?;
                self.input = Some((input, publisher.gid));
            }
            _ => {}
        }
        Ok(())
    }

    fn end(self: Box<Self>) {
        // What has arrived is passed on, even if more was waited for.
        if let Some((input, gid)) = &self.input
            && let Some(route) = lock(&input.routes.state).routes.get_mut(gid)
        {
            route.open();
        }
    }
}

impl Drop for NetworkSource {
    fn drop(&mut self) {
        self.stop();
    }
}
