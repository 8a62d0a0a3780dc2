//! Hosts with keys: who is refused, and what a host may pass.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::{fs, path::Path, process::Stdio};

use common::{BridgeProcess, Received, Spun, wait};
use saltus::{
    QoS,
    msgs::std_msgs::msg::UInt64,
    time::Time,
    types::{Gid, NodeName, TypeHash},
};
use saltus_e2e::ShmFolder;
use saltus_rmw::{Attachment, EndpointToken, EntityKind, Token, data_key, gid_of};
use saltus_zenoh::make_keys;
use zenoh::Wait;

fn text(path: &Path) -> String {
    path.display().to_string()
}

/// A base station that asks for keys, with rules.
struct Base {
    shm: ShmFolder,
    bridge: BridgeProcess,
    keys: tempfile::TempDir,
}

impl Base {
    fn new(rules: &str) -> Self {
        let (shm, keys) = (ShmFolder::new(), tempfile::tempdir().unwrap());
        make_keys(keys.path(), &["base".into(), "robot1".into(), "robot2".into()], 10).unwrap();
        let rules_file = keys.path().join("rules.yaml");
        fs::write(&rules_file, rules).unwrap();
        let (own, rules_file) = (text(&keys.path().join("base")), text(&rules_file));
        let words = ["--keys", &own, "--router", "--listen", "tls/127.0.0.1:0", "--rules", &rules_file];
        let bridge = BridgeProcess::start(&shm, &words);
        Self { shm, bridge, keys }
    }

    /// Starts the bridge of a robot with its keys.
    fn robot(&self, name: &str) -> (ShmFolder, BridgeProcess) {
        let shm = ShmFolder::new();
        let keys = text(&self.keys.path().join(name));
        let bridge = BridgeProcess::start(&shm, &["--keys", &keys, "--connect", &self.bridge.address]);
        (shm, bridge)
    }
}

#[test]
fn a_host_passes_only_what_rules_let_it_pass_whatever_it_sends() {
    let base = Base::new("{default: deny, rules: [{allow: /cmd_vel, hosts: robot1}, {allow: /battery/*}]}");
    let here = Spun::new(&base.shm, "here");
    let commands = Received::new(&here, "/cmd_vel", QoS::keep_last(100));
    let batteries = Received::new(&here, "/battery/state", QoS::keep_last(100));
    let (first, _bridge) = base.robot("robot1");
    let first = Spun::new(&first, "robot1");
    let publisher = first.node.publisher::<UInt64>("/cmd_vel").create().unwrap();
    let hash = here.context.graph().endpoints.iter().find(|end| end.topic == "/cmd_vel").unwrap().type_hash;
    // The second robot obeys no rules: it is no bridge.
    let second = Intruder::new(&base, "robot2", hash);
    let [commanding, battery] = ["/cmd_vel", "/battery/state"].map(|topic| second.announce(topic));
    wait("the battery", || batteries.subscription.status().matched == 1);
    wait("the one that commands", || commands.subscription.status().matched == 1);
    for data in 0..20_u8 {
        second.publish(&commanding, 100 + data);
        second.publish(&battery, data);
        publisher.publish(&UInt64 { data: data.into() }).unwrap();
    }
    batteries.wait_for(&(0..20).collect::<Vec<_>>());
    commands.wait_for(&(0..20).collect::<Vec<_>>());
    assert_eq!(commands.subscription.status().matched, 1);
}

/// A session of zenoh with the keys of a host, which announces and sends what it likes.
struct Intruder {
    session: zenoh::Session,
    hash: TypeHash,
}

/// A publisher of it.
struct Announced {
    key: String,
    gid: Gid,
    _token: zenoh::liveliness::LivelinessToken,
}

impl Intruder {
    fn new(base: &Base, name: &str, hash: TypeHash) -> Self {
        let folder = text(&base.keys.path().join(name));
        let mut config = zenoh::Config::default();
        for (key, value) in [
            ("mode", "\"peer\"".to_owned()),
            ("scouting/multicast/enabled", "false".to_owned()),
            ("connect/endpoints", format!("[\"{}\"]", base.bridge.address)),
            ("transport/link/tls/root_ca_certificate", format!("\"{folder}/identity_ca.cert.pem\"")),
            ("transport/link/tls/connect_certificate", format!("\"{folder}/cert.pem\"")),
            ("transport/link/tls/connect_private_key", format!("\"{folder}/key.pem\"")),
            ("transport/link/tls/enable_mtls", "true".to_owned()),
            ("transport/link/tls/verify_name_on_connect", "false".to_owned()),
        ] {
            config.insert_json5(key, &value).unwrap();
        }
        Self { session: zenoh::open(config).wait().unwrap(), hash }
    }

    fn announce(&self, topic: &str) -> Announced {
        let type_name = "std_msgs/msg/UInt64".to_owned();
        let key = data_key(0, topic, &type_name, self.hash).unwrap();
        let endpoint = EndpointToken {
            kind: EntityKind::Publisher,
            name: topic.to_owned(),
            type_name,
            type_hash: self.hash,
            qos: QoS::default(),
            backends: None,
        };
        let node = NodeName::new("/", "intruder").unwrap();
        let (session, enclave) = (self.session.zid().to_string(), "/".to_owned());
        let token = Token { domain: 0, session, node_id: 1, id: 2, enclave, node, endpoint: Some(endpoint) };
        let token = token.to_string();
        let declared = self.session.liveliness().declare_token(token.clone()).wait().unwrap();
        Announced { key, gid: gid_of(&token), _token: declared }
    }

    fn publish(&self, announced: &Announced, data: u8) {
        let attachment =
            Attachment { sequence: i64::from(data) + 1, source_time: Time::default(), gid: announced.gid };
        // A header of CDR, and the number.
        let mut payload = vec![0, 1, 0, 0];
        payload.extend(u64::from(data).to_le_bytes());
        let put = self.session.put(&announced.key, payload).attachment(attachment.to_bytes().to_vec());
        put.wait().unwrap();
    }
}

/// Runs a bridge that is refused, until it says `expected`.
fn is_refused(words: &[&str], expected: &str) {
    let shm = ShmFolder::new();
    let mut bridge = BridgeProcess::spawn_with(&shm, words, Stdio::piped());
    assert!(bridge.says(expected), "{words:?} did not say `{expected}`");
}

#[test]
fn a_host_without_a_certificate_with_a_foreign_one_and_with_an_expired_one_is_refused_and_told_why() {
    let base = Base::new("default: allow");
    let address = base.bridge.address.as_str();
    let folder = base.keys.path();
    let here = Spun::new(&base.shm, "here");
    let foreign = tempfile::tempdir().unwrap();
    make_keys(foreign.path(), &["robot1".into()], 10).unwrap();
    make_keys(folder, &["old".into()], -1).unwrap();
    is_refused(&["--connect", address], "it asks for a certificate; name one with --keys");
    let keys = text(&foreign.path().join("robot1"));
    is_refused(&["--keys", &keys, "--connect", address], "an authority that the other one does not know");
    let old = text(&folder.join("old"));
    is_refused(&["--keys", &old, "--connect", address], "and not now; make a new one");
    is_refused(
        &["--connect", &address.replace("tls/", "tcp/")],
        "it may ask for TLS; connect to tls/ with --keys",
    );
    // One that does not look at its own certificate.
    let config = folder.join("session.json5");
    let tls = format!(
        "{{root_ca_certificate: '{old}/identity_ca.cert.pem', connect_certificate: '{old}/cert.pem', \
         connect_private_key: '{old}/key.pem', verify_name_on_connect: false}}"
    );
    let session = format!(
        "{{mode: 'peer', connect: {{endpoints: ['{address}']}}, transport: {{link: {{tls: {tls}}}}}}}"
    );
    fs::write(&config, session).unwrap();
    let shm = ShmFolder::new();
    let words = ["--zenoh-config", &text(&config), "--connect", address];
    let mut ignoring = BridgeProcess::spawn_with(&shm, &words, Stdio::piped());
    let there = Spun::new(&shm, "there");
    let _publisher = there.node.publisher::<UInt64>("/secret").create().unwrap();
    assert!(ignoring.says("does not accept this host"));
    // A robot with keys that comes after it is seen, and it is not.
    let (robot, _bridge) = base.robot("robot1");
    let robot = Spun::new(&robot, "robot");
    let _battery = robot.node.publisher::<UInt64>("/battery").create().unwrap();
    let has = |topic: &str| here.context.graph().endpoints.iter().any(|end| end.topic == topic);
    wait("the robot", || has("/battery"));
    assert!(!has("/secret"));
}
