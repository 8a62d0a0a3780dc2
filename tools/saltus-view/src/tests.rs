//! Tests of the parts of the server that need no connection.

use std::sync::Arc;

use tungstenite::Message;

use crate::{
    access::{Access, Refusal},
    command::{PageCommand, Target},
    mailbox::{Mailbox, MailboxSlot},
    request::{HeadStatus, Request, read},
};

fn request(host: &str, origin: Option<&str>, token: Option<&str>) -> Request {
    Request {
        path: "/".into(),
        token: token.map(Into::into),
        host: Some(host.into()),
        origin: origin.map(Into::into),
        key: None,
    }
}

#[test]
fn only_the_page_of_this_server_may_connect() {
    let access = Access { address: ([127, 0, 0, 1], 8765).into(), token: None };
    let check = |host, origin| access.check(&request(host, origin, None));
    assert_eq!(check("127.0.0.1:8765", None), Ok(()));
    assert_eq!(check("localhost:8765", Some("http://localhost:8765")), Ok(()));
    assert_eq!(check("localhost:8765", Some("http://evil.example")), Err(Refusal::Origin));
    assert_eq!(check("localhost:8765", Some("http://127.0.0.1:8765")), Err(Refusal::Origin));
    assert_eq!(check("localhost:8765", Some("https://localhost:8765")), Err(Refusal::Origin));
    assert_eq!(check("localhost:8765", Some("null")), Err(Refusal::Origin));
    // A name that an attacker has made to point to this machine.
    for host in ["evil.example:8765", "localhost:80", "localhost", "192.168.1.7:8765", "", "[::1]"] {
        assert_eq!(check(host, None), Err(Refusal::Host), "{host}");
    }
    let without = Request { host: None, ..request("", None, None) };
    assert_eq!(access.check(&without), Err(Refusal::Host));
}

#[test]
fn a_server_for_others_needs_a_token() {
    let access = Access { address: ([0, 0, 0, 0], 8765).into(), token: Some("secret".into()) };
    let check = |host, token| access.check(&request(host, None, token));
    assert_eq!(check("192.168.1.7:8765", Some("secret")), Ok(()));
    for token in [None, Some(""), Some("secre"), Some("secrets"), Some("Secret")] {
        assert_eq!(check("192.168.1.7:8765", token), Err(Refusal::Token), "{token:?}");
    }
    assert_eq!(check("robot.local:8765", Some("secret")), Err(Refusal::Host));
}

#[test]
fn the_head_of_a_request_is_read() {
    let text = "GET /socket?x=1&token=abc HTTP/1.1\r\nHost: localhost:1\r\nOrigin: http://localhost:1\r\nUpgrade: WebSocket\r\n\
                Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: k\r\n\r\nrest";
    let HeadStatus::Complete(request, length) = read(text.as_bytes()) else { panic!() };
    assert_eq!(
        (&*request.path, request.token.as_deref(), request.key.as_deref()),
        ("/socket", Some("abc"), Some("k"))
    );
    assert_eq!(&text[length..], "rest");
    assert_eq!(read(&text.as_bytes()[..30]), HeadStatus::Partial);
    assert_eq!(read(b"POST / HTTP/1.1\r\n\r\n"), HeadStatus::Invalid);
    assert_eq!(read(b"\0\x01\x02 nonsense\r\n\r\n"), HeadStatus::Invalid);
    let HeadStatus::Complete(old, _) =
        read(b"GET / HTTP/1.1\r\nUpgrade: websocket\r\nSec-WebSocket-Key: k\r\n\r\n")
    else {
        panic!()
    };
    assert_eq!(old.key, None);
}

#[test]
fn the_newest_message_of_a_slot_waits_and_all_slots_take_turns() {
    let mailbox = Arc::new(Mailbox::new().unwrap());
    let put = |slot, text: &str| mailbox.put(slot, Message::text(text));
    let take = || mailbox.take().map(|message| message.into_text().unwrap().to_string());
    put(MailboxSlot::Data(1), "old");
    put(MailboxSlot::Data(1), "new");
    put(MailboxSlot::Data(2), "two");
    put(MailboxSlot::Frames, "frames");
    put(MailboxSlot::Channel(2), "description of two");
    assert_eq!(take().as_deref(), Some("description of two"));
    assert_eq!(take().as_deref(), Some("frames"));
    assert_eq!(take().as_deref(), Some("new"));
    // A topic that always has a new message does not block the others.
    put(MailboxSlot::Data(1), "newer");
    assert_eq!(take().as_deref(), Some("two"));
    assert_eq!(take().as_deref(), Some("newer"));
    assert_eq!((take(), mailbox.replaced()), (None, 1));
    put(MailboxSlot::Data(1), "gone");
    mailbox.remove(&MailboxSlot::Data(1));
    assert_eq!(take(), None);
}

#[test]
fn several_messages_of_a_slot_wait_if_they_are_not_too_long() {
    let mailbox = Mailbox::new().unwrap();
    let append = |text: &str| mailbox.append(MailboxSlot::Data(1), Message::text(text), 3);
    let lengths = || std::iter::from_fn(|| mailbox.take()).map(|message| message.len()).collect::<Vec<_>>();
    ["a", "bb", "ccc", "dddd"].into_iter().for_each(append);
    assert_eq!((lengths(), mailbox.replaced()), (vec![2, 3, 4], 1));
    let long = "a".repeat(600 << 10);
    ["a", &long, "bb", &long].into_iter().for_each(append);
    assert_eq!((lengths(), mailbox.replaced()), (vec![2, 600 << 10], 3));
    append(&"a".repeat(2 << 20));
    assert_eq!((lengths(), mailbox.replaced()), (vec![2 << 20], 3));
}

#[test]
fn commands_are_read_and_checked() {
    let goal = PageCommand::parse(
        r#"{"op": "goal", "topic": "/goal_pose", "frame": "map", "x": 1, "y": -2.5, "yaw": 0.5}"#,
    );
    let target = Target { topic: "/goal_pose".into(), frame: "map".into(), x: 1.0, y: -2.5, yaw: 0.5 };
    assert_eq!(goal, Ok(PageCommand::Goal(target)));
    assert!(
        PageCommand::parse(r#"{"op": "subscribe", "topic": "/scan"}"#)
            .is_ok_and(|command| !command.is_control())
    );
    for text in [
        "",
        "[]",
        "{}",
        r#"{"op": "format"}"#,
        r#"{"op": "subscribe"}"#,
        r#"{"op": "subscribe", "topic": ""}"#,
        r#"{"op": "subscribe", "topic": 7}"#,
        r#"{"op": "goal", "topic": "/g", "frame": "map", "x": 1e9, "y": 0, "yaw": 0}"#,
        r#"{"op": "drive", "topic": "/cmd_vel", "forward": null, "left": 0, "turn": 0}"#,
    ] {
        assert!(PageCommand::parse(text).is_err(), "{text}");
    }
    let long = format!(r#"{{"op": "subscribe", "topic": "/{}"}}"#, "a".repeat(2000));
    assert!(PageCommand::parse(&long).is_err());
    let deep = format!(r#"{{"op": {}}}"#, "[".repeat(100_000));
    assert!(PageCommand::parse(&deep).is_err());
}
