//! Which host may pass what: the names of certificates, as access control of Zenoh.
//!
//! The session of a bridge checks itself what comes from each connection. So a rule holds whatever a host sends, and needs no router
//! that obeys it.

use std::collections::BTreeSet;

use saltus_relay::Pattern;

/// The names in the network that a host may use, for the hosts that rules name, and for all.
///
/// **Invariant:** it is only used if a rule names a host. Then everything else is denied.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Access(Vec<Allowed>);

/// What some hosts may use.
#[derive(Clone, Debug, PartialEq)]
struct Allowed {
    pattern: Pattern,
    /// The common names of their certificates; none for all hosts.
    hosts: BTreeSet<String>,
}

impl Access {
    /// Adds a pattern for the hosts that are named, or for all if none is.
    pub(crate) fn add(&mut self, pattern: Pattern, hosts: &[String]) {
        self.0.push(Allowed { pattern, hosts: hosts.iter().cloned().collect() });
    }

    /// Returns whether any rule names a host.
    pub(crate) fn names_hosts(&self) -> bool {
        self.0.iter().any(|allowed| !allowed.hosts.is_empty())
    }

    /// Returns two patterns of different hosts that a name may match, if there are such. Access control has no order of rules: each of
    /// the hosts could use what only the other one may.
    pub(crate) fn conflict(&self) -> Option<(&Pattern, &Pattern)> {
        let later = |at: usize| self.0[at + 1..].iter();
        let mut pairs = self.0.iter().enumerate().flat_map(|(at, one)| later(at).map(move |two| (one, two)));
        let meet = |(one, two): &(&Allowed, &Allowed)| {
            one.hosts != two.hosts && Name::of(&one.pattern).may_meet(&Name::of(&two.pattern))
        };
        pairs.find(meet).map(|(one, two)| (&one.pattern, &two.pattern))
    }

    /// Returns the part `access_control` of a session's configuration.
    pub(crate) fn to_json(&self, domain: u32) -> String {
        let graph = format!("\"@ros2_lv/{domain}/**\",\"@saltus/{domain}/**\"");
        let nodes = format!("\"@ros2_lv/{domain}/*/*/*/NN/**\",\"@saltus/{domain}/**\"");
        let told = format!("\"@saltus/{domain}/*/type/*\",\"@saltus/{domain}/*/clock\"");
        let mut rules = vec![
            rule("graph", "\"declare_liveliness_subscriber\",\"liveliness_query\"", &graph),
            rule("nodes", "\"liveliness_token\"", &nodes),
            rule("told", "\"query\",\"reply\",\"declare_queryable\"", &told),
        ];
        let mut subjects = vec!["{\"id\":\"all\"}".to_owned()];
        let mut ids = ["graph", "nodes", "told"].map(|id| format!("\"{id}\"")).to_vec();
        let of = |host: Option<&String>| {
            let is_meant = |allowed: &&Allowed| {
                host.map_or(allowed.hosts.is_empty(), |host| allowed.hosts.contains(host))
            };
            keys(domain, self.0.iter().filter(is_meant).map(|allowed| &allowed.pattern))
        };
        if self.0.iter().any(|allowed| allowed.hosts.is_empty()) {
            rules.push(rule("open", ALL, &of(None)));
            ids.push("\"open\"".to_owned());
        }
        let mut policies = vec![format!("{{\"rules\":[{}],\"subjects\":[\"all\"]}}", ids.join(","))];
        let hosts: BTreeSet<&String> = self.0.iter().flat_map(|allowed| &allowed.hosts).collect();
        for (number, host) in hosts.into_iter().enumerate() {
            rules.push(rule(&format!("host {number}"), ALL, &of(Some(host))));
            let host = host.escape_default();
            subjects.push(format!("{{\"id\":\"host {number}\",\"cert_common_names\":[\"{host}\"]}}"));
            policies.push(format!("{{\"rules\":[\"host {number}\"],\"subjects\":[\"host {number}\"]}}"));
        }
        let [rules, subjects, policies] = [rules, subjects, policies].map(|parts| parts.join(","));
        format!(
            "{{\"enabled\":true,\"default_permission\":\"deny\",\"rules\":[{rules}],\"subjects\":[{subjects}],\
             \"policies\":[{policies}]}}"
        )
    }
}

/// The messages of data and calls, and the tokens of their endpoints.
const ALL: &str = "\"put\",\"delete\",\"declare_subscriber\",\"query\",\"reply\",\"declare_queryable\",\"liveliness_token\",\
                   \"liveliness_query\",\"declare_liveliness_subscriber\"";

fn rule(id: &str, messages: &str, keys: &str) -> String {
    format!(
        "{{\"id\":\"{id}\",\"permission\":\"allow\",\"flows\":[\"ingress\",\"egress\"],\"messages\":[{messages}],\
         \"key_exprs\":[{keys}]}}"
    )
}

/// What access control checks of a pattern.
struct Name {
    /// A name, or a namespace of which all names are meant, without the first `/`.
    text: String,
    is_namespace: bool,
}

impl Name {
    /// A pattern with a `*` becomes the namespace before it. The rules of the bridge say which of its names pass.
    fn of(pattern: &Pattern) -> Self {
        let text = pattern.absolute().to_string();
        let (text, is_namespace) = match text.split_once('*') {
            Some((before, _)) => (before.rsplit_once('/').map_or("", |(namespace, _)| namespace), true),
            None => (text.as_str(), false),
        };
        Self { text: text.trim_start_matches('/').to_owned(), is_namespace }
    }

    /// Returns whether one of the two contains the other one. The key of a name contains those of all names below it.
    fn may_meet(&self, other: &Self) -> bool {
        let contains = |outer: &str, inner: &str| {
            outer.is_empty()
                || inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        contains(&self.text, &other.text) || contains(&other.text, &self.text)
    }
}

/// Returns the keys of the messages and tokens of patterns.
fn keys<'a>(domain: u32, patterns: impl Iterator<Item = &'a Pattern>) -> String {
    let of_pattern = |pattern: &Pattern| {
        let Name { text: name, is_namespace: is_open } = Name::of(pattern);
        let data = if name.is_empty() { format!("{domain}/**") } else { format!("{domain}/{name}/**") };
        let token = match (is_open, name.replace('/', "%")) {
            (true, mangled) if mangled.is_empty() => "%$*".to_owned(),
            (true, mangled) => format!("%{mangled}%$*"),
            (false, mangled) => format!("%{mangled}"),
        };
        let token = format!("@ros2_lv/{domain}/*/*/*/*/*/*/*/{token}/**");
        format!("\"{data}\",\"{data}/@adv/**\",\"{token}\"")
    };
    patterns.map(of_pattern).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use zenoh::{Config, key_expr::KeyExpr};

    use super::*;

    fn access() -> Access {
        let mut access = Access::default();
        access.add(Pattern::parse("/cmd_vel").unwrap(), &["base".into()]);
        access.add(Pattern::parse("/camera/*").unwrap(), &[]);
        access
    }

    #[test]
    fn zenoh_reads_what_is_written() {
        let mut config = Config::default();
        config.insert_json5("access_control", &access().to_json(7)).unwrap();
        assert!(access().names_hosts());
    }

    #[test]
    fn rules_of_different_hosts_must_not_meet() {
        let conflicts = |rules: &[(&str, &[&str])]| {
            let mut access = Access::default();
            for (pattern, hosts) in rules {
                let hosts: Vec<String> = hosts.iter().map(|host| (*host).to_owned()).collect();
                access.add(Pattern::parse(pattern).unwrap(), &hosts);
            }
            access.conflict().is_some()
        };
        for rules in [
            [("/cmd_vel", &["base"][..]), ("*", &[])],
            [("/cmd_vel", &["base"]), ("battery_*", &[])],
            [("/cmd_vel", &["base"]), ("/cmd_vel", &[])],
            [("/fleet/*", &["base"]), ("/fleet/goal", &["robot1"])],
            [("/fleet", &[]), ("/fleet/goal", &["robot1"])],
            [("/cmd_vel", &["base"]), ("/cmd_vel", &["base", "robot1"])],
        ] {
            assert!(conflicts(&rules), "{rules:?}");
        }
        for rules in [
            [("/cmd_vel", &["base"][..]), ("/battery", &[])],
            [("/cmd_vel", &["base"]), ("/cmd_vel2", &["robot1"])],
            [("/fleet/*", &["base", "robot1"]), ("/fleet/goal", &["base", "robot1"])],
            [("/robot1/*", &["robot1"]), ("/robot2/*", &["robot2"])],
            [("/battery", &[]), ("*", &[])],
        ] {
            assert!(!conflicts(&rules), "{rules:?}");
        }
    }

    #[test]
    fn keys_match_the_messages_and_tokens_of_their_names_only() {
        let matches = |pattern: &str, key: &str| {
            let keys = keys(0, [Pattern::parse(pattern).unwrap()].iter());
            let key = KeyExpr::new(key.to_owned()).unwrap();
            keys.split(',').any(|one| KeyExpr::new(one.trim_matches('"').to_owned()).unwrap().includes(&key))
        };
        let token = |name| {
            format!(
                "@ros2_lv/0/ab12/0/7/MP/%/%/talker/{name}/std_msgs::msg::dds_::String_/RIHS01_00/::,10:,:,:,,"
            )
        };
        for (pattern, name, mangled) in [
            ("/cmd_vel", "cmd_vel", "%cmd_vel"),
            ("/camera/*", "camera/left/image", "%camera%left%image"),
            ("*", "camera/left/image", "%camera%left%image"),
        ] {
            assert!(
                matches(pattern, &format!("0/{name}/std_msgs::msg::dds_::String_/RIHS01_00")),
                "{pattern}"
            );
            assert!(matches(pattern, &format!("0/{name}/T/H/@adv/pub/ab12/7/_")), "{pattern}");
            assert!(matches(pattern, &token(mangled)), "{pattern}");
        }
        assert!(!matches("/cmd_vel", "0/cmd_vel2/T/H") && !matches("/camera/*", "0/cmd_vel/T/H"));
        assert!(!matches("/cmd_vel", "1/cmd_vel/T/H") && !matches("/camera/*", &token("%cmd_vel")));
    }
}
