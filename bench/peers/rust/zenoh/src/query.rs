//! Requests and responses: a querier requests the replies of all queryables. There is one, which is complete.

use std::{
    sync::{Mutex, PoisonError, mpsc::channel},
    time::Duration,
};

use saltus_bench_pingpong::{Arguments, Echoes, PingTransport, Reply, Role, ping};
use zenoh::{
    Session, Wait,
    query::{ConsolidationMode, Querier, QueryTarget},
};

use crate::{Error, Provider, config, filled, keys, provider};

struct Ping {
    querier: Querier<'static>,
    provider: Provider,
    _session: Session,
}

impl PingTransport for Ping {
    fn round_trip(&mut self, data: &[u8], whole: bool, timeout: Duration) -> Result<Option<Reply>, String> {
        let payload = filled(&self.provider, data).map_err(|e| e.to_string())?;
        let replies = self.querier.get().payload(payload).wait().map_err(|e| e.to_string())?;
        let Ok(Some(reply)) = replies.recv_timeout(timeout) else { return Ok(None) };
        let sample = reply.result().map_err(|e| format!("{e:?}"))?;
        Ok(Some(Reply::of(&sample.payload().to_bytes(), whole)))
    }

    fn send(&mut self, data: &[u8]) -> Result<(), String> {
        let payload = filled(&self.provider, data).map_err(|e| e.to_string())?;
        self.querier.get().payload(payload).wait().map(drop).map_err(|e| e.to_string())
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Error> {
    let session = zenoh::open(config(arguments)?).wait()?;
    match arguments.role {
        Role::Ping => run_ping(arguments, session),
        Role::Pong => run_pong(arguments, &session),
    }
}

fn run_ping(arguments: &Arguments, session: Session) -> Result<(), Error> {
    let querier = session
        .declare_querier(keys(arguments).0)
        .target(QueryTarget::AllComplete)
        .consolidation(ConsolidationMode::None)
        .express(true)
        .wait()?;
    for _ in 0..1000 {
        if querier.matching_status().wait()?.matching() {
            let provider = provider(arguments)?;
            return Ok(ping(arguments, "1.10.2", &mut Ping { querier, provider, _session: session })?);
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    Err("the other process was not found in time".into())
}

/// Answers in the callback. A separate thread for answers would have to be woken for each query.
fn run_pong(arguments: &Arguments, session: &Session) -> Result<(), Error> {
    let (over, ended) = channel();
    let echoes = Mutex::new(Echoes::new(arguments));
    let provider = provider(arguments)?;
    let key = keys(arguments).1;
    let reply_key = key.clone();
    let _queryable = session
        .declare_queryable(key)
        .complete(true)
        .callback(move |query| {
            let Some(payload) = query.payload() else { return };
            let data = payload.to_bytes();
            let mut echoes = echoes.lock().unwrap_or_else(PoisonError::into_inner);
            if !echoes.note(&data) {
                let _ = over.send(echoes.report());
                return;
            }
            let replied = filled(&provider, &data)
                .and_then(|payload| query.reply(reply_key.clone(), payload).express(true).wait());
            if let Err(error) = replied {
                eprintln!("{error}");
            }
        })
        .wait()?;
    ended.recv()?;
    Ok(())
}
