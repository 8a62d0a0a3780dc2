//! Which host may pass what: the names of certificates, as access control of Zenoh.
//!
//! The session of a bridge checks itself what comes from each connection. So a rule holds whatever a host sends, and needs no router
//! that obeys it.

use std::collections::BTreeMap;

use saltus_relay::Pattern;

/// The names in the network that a host may use, for the hosts that rules name, and for all.
///
/// **Invariant:** it is only used if a rule names a host. Then everything else is denied.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Access {
    /// For all hosts.
    open: Vec<Pattern>,
    /// By the common name of a certificate.
    of_host: BTreeMap<String, Vec<Pattern>>,
}

impl Access {
    /// Adds a pattern for all hosts, or for those that are named.
    pub(crate) fn add(&mut self, pattern: &Pattern, hosts: &[String]) {
        if hosts.is_empty() {
            self.open.push(pattern.clone());
        }
        for host in hosts {
            self.of_host.entry(host.clone()).or_default().push(pattern.clone());
        }
    }

    /// Returns whether any rule names a host.
    pub(crate) fn names_hosts(&self) -> bool {
        !self.of_host.is_empty()
    }

    /// Returns the part `access_control` of a session's configuration.
    pub(crate) fn to_json(&self, domain: u32) -> String {
        let graph = format!("\"@ros2_lv/{domain}/**\",\"@saltus/{domain}/**\"");
        let nodes = format!("\"@ros2_lv/{domain}/*/*/*/NN/**\",\"@saltus/{domain}/**\"");
        let mut rules = vec![
            rule("graph", "\"declare_liveliness_subscriber\",\"liveliness_query\"", &graph),
            rule("nodes", "\"liveliness_token\"", &nodes),
        ];
        let mut subjects = vec!["{\"id\":\"all\"}".to_owned()];
        let mut ids = vec!["\"graph\"".to_owned(), "\"nodes\"".to_owned()];
        if !self.open.is_empty() {
            rules.push(rule("open", ALL, &keys(domain, &self.open)));
            ids.push("\"open\"".to_owned());
        }
        let mut policies = vec![format!("{{\"rules\":[{}],\"subjects\":[\"all\"]}}", ids.join(","))];
        for (number, (host, patterns)) in self.of_host.iter().enumerate() {
            rules.push(rule(&format!("host {number}"), ALL, &keys(domain, patterns)));
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

/// Returns the keys of the messages and tokens of patterns.
fn keys(domain: u32, patterns: &[Pattern]) -> String {
    let of_pattern = |pattern: &Pattern| {
        let text = pattern.absolute().to_string();
        // A pattern with a `*` becomes that of all names in its namespace: the rules of the bridge say which of them pass.
        let (name, is_open) = match text.split_once('*') {
            Some((before, _)) => (before.rsplit_once('/').map_or("", |(namespace, _)| namespace), true),
            None => (text.as_str(), false),
        };
        let name = name.trim_start_matches('/');
        let data = if name.is_empty() { format!("{domain}/**") } else { format!("{domain}/{name}/**") };
        let token = match (is_open, name.replace('/', "%")) {
            (true, mangled) if mangled.is_empty() => "%$*".to_owned(),
            (true, mangled) => format!("%{mangled}%$*"),
            (false, mangled) => format!("%{mangled}"),
        };
        let token = format!("@ros2_lv/{domain}/*/*/*/*/*/*/*/{token}/**");
        format!("\"{data}\",\"{data}/@adv/**\",\"{token}\"")
    };
    patterns.iter().map(of_pattern).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use zenoh::{Config, key_expr::KeyExpr};

    use super::*;

    fn access() -> Access {
        let mut access = Access::default();
        access.add(&Pattern::parse("/cmd_vel").unwrap(), &["base".into()]);
        access.add(&Pattern::parse("/camera/*").unwrap(), &[]);
        access
    }

    #[test]
    fn zenoh_reads_what_is_written() {
        let mut config = Config::default();
        config.insert_json5("access_control", &access().to_json(7)).unwrap();
        assert!(access().names_hosts());
    }

    #[test]
    fn keys_match_the_messages_and_tokens_of_their_names_only() {
        let matches = |pattern: &str, key: &str| {
            let keys = keys(0, &[Pattern::parse(pattern).unwrap()]);
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
