//! Sessions: clients that come, are silent, are reset, return and end.

use super::*;

#[test]
fn a_silent_client_leaves_the_graph_and_returns_with_its_objects() {
    let mut bench = Bench::new(AgentConfig::default());
    let mut client = connected_client(&mut bench, 1);
    let objects = bench.host.objects.clone();
    assert_eq!(objects.len(), 3);
    bench.wait(10 * SECOND + SECOND);
    assert!(bench.host.objects.is_empty());
    assert_eq!(bench.host.departures, [(key(1), Departure::Silent)]);
    let questions = bench.sent().iter().filter(|message| message[4] == 2).count();
    assert_eq!(questions, 3);
    let reads = bench.host.reads.len();
    client.write(StreamId::BEST_EFFORT, writer(), b"text").unwrap();
    let events = bench.run(&mut client, 1);
    assert_eq!(bench.host.objects, objects);
    assert_eq!(bench.host.reads.len(), reads + 1);
    assert!(events[0].starts_with("Data"), "{events:?}");
}

#[test]
fn a_client_that_logs_in_after_silence_has_its_lease_again() {
    let mut bench = Bench::new(AgentConfig::default());
    let mut client = connected_client(&mut bench, 1);
    bench.wait(11 * SECOND);
    assert_eq!(bench.host.departures, [(key(1), Departure::Silent)]);
    client.connect_again();
    let mut login = Vec::new();
    client.poll(bench.now, |message| login.push(message.to_vec()), |_| {});
    bench.exchange(1, &login[0]);
    assert_eq!(bench.host.objects.len(), 3);
    bench.wait(9 * SECOND);
    assert_eq!(bench.host.departures.len(), 1, "its lease is 10 s");
}

#[test]
fn a_login_that_was_overtaken_by_the_next_one_does_not_reset_the_streams() {
    let mut bench = Bench::new(AgentConfig::default());
    let mut client = connected_client(&mut bench, 1);
    let login = |client: &mut Client, now| {
        client.connect_again();
        let mut login = Vec::new();
        client.poll(now, |message| login.push(message.to_vec()), |_| {});
        login.swap_remove(0)
    };
    let overtaken = login(&mut client, bench.now);
    // The client connects, and at once again.
    for answer in bench.exchange(1, &overtaken) {
        client.handle(bench.now, 0, &answer, |_| {});
    }
    client.connect_again();
    bench.run(&mut client, 1);
    client.write(StreamId::RELIABLE, writer(), b"once").unwrap();
    let events = bench.run(&mut client, 1);
    assert!(events.iter().any(|event| event.starts_with("Data")), "{events:?}");
    // The streams of the present session go on, at its address: the next message arrives.
    bench.exchange(2, &overtaken);
    client.write(StreamId::RELIABLE, writer(), b"and then").unwrap();
    let events = bench.run(&mut client, 1);
    assert!(events.iter().any(|event| event.starts_with("Data")), "{events:?}");
    // Much later, the same number is that of another program.
    bench.wait(3 * SECOND);
    bench.exchange(1, &overtaken);
    client.write(StreamId::RELIABLE, writer(), b"lost").unwrap();
    let events = bench.run(&mut client, 1);
    assert!(!events.iter().any(|event| event.starts_with("Data")), "{events:?}");
}

#[test]
fn a_client_that_answers_stays() {
    let mut bench = Bench::new(AgentConfig::default());
    let config = ClientConfig {
        hard_liveliness_ms: Some(500),
        ping_after: 1000 * SECOND,
        ..ClientConfig::new(key(1))
    };
    let mut client = Client::new(config);
    create_objects(&mut client, StreamId::RELIABLE);
    bench.run(&mut client, 1);
    for _ in 0..100 {
        bench.wait(SECOND / 10);
        for question in bench.sent() {
            client.handle(bench.now, 0, &question, |_| {});
        }
        bench.run(&mut client, 1);
    }
    assert_eq!(bench.host.objects.len(), 3);
    // The answer of the widespread client, which has no header of the submessage.
    bench.wait(SECOND / 2);
    bench.exchange(1, &[0x81, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(bench.agent.client(key(1)).unwrap().counters.malformed, 0);
    bench.wait(SECOND / 2 + 1);
    assert_eq!(bench.host.objects.len(), 3);
}

#[test]
fn a_client_begins_a_new_session_after_the_agent_was_restarted() {
    let mut bench = Bench::new(AgentConfig::default());
    let mut client = connected_client(&mut bench, 1);
    let objects = bench.host.objects.clone();
    bench = Bench::new(AgentConfig::default());
    client.write(StreamId::RELIABLE, writer(), b"text").unwrap();
    let events = bench.run(&mut client, 1);
    assert_eq!(events[0], "Disconnected { unacknowledged: 1 }");
    assert_eq!(events[1], "Connected");
    assert_eq!(bench.host.objects, objects);
}

#[test]
fn a_duplicate_of_the_first_message_does_not_end_the_session() {
    let mut bench = Bench::new(AgentConfig::default());
    let mut client = Client::new(ClientConfig::new(key(1)));
    let mut login = Vec::new();
    client.poll(bench.now, |message| login = message.to_vec(), |_| {});
    let answer = bench.exchange(1, &login).remove(0);
    client.handle(bench.now, 0, &answer, |_| {});
    create_objects(&mut client, StreamId::RELIABLE);
    bench.run(&mut client, 1);
    bench.exchange(1, &login);
    client.write(StreamId::RELIABLE, writer(), b"text").unwrap();
    let events = bench.run(&mut client, 1);
    assert_eq!(events.len(), 1, "{events:?}");
    assert!(client.is_acknowledged());
}

#[test]
fn a_device_that_was_reset_keeps_its_objects_and_begins_its_streams_again() {
    let mut bench = Bench::new(AgentConfig::default());
    connected_client(&mut bench, 1);
    let objects = bench.host.objects.clone();
    // The new program on the device counts its connections from the beginning, so the message looks like a duplicate.
    bench.wait(SECOND);
    let config = ClientConfig { session: SessionId(0x81), ..ClientConfig::new(key(1)) };
    let mut client = Client::with_connection(config, 77);
    create_objects(&mut client, StreamId::RELIABLE);
    let events = bench.run(&mut client, 1);
    assert_eq!(events.iter().filter(|event| event.contains("status: OkMatched")).count(), 6, "{events:?}");
    assert_eq!(bench.host.objects, objects);
    assert!(bench.host.departures.is_empty());
}

#[test]
fn another_session_of_a_client_drops_its_objects_unless_the_client_counts_its_connections() {
    let mut bench = Bench::new(AgentConfig::default());
    connected_client(&mut bench, 1);
    let objects = bench.host.objects.clone();
    let config = ClientConfig { session: SessionId(0x92), ..ClientConfig::new(key(1)) };
    let mut client = Client::with_connection(config, 1000);
    assert_eq!(bench.run(&mut client, 1), ["Connected"]);
    assert_eq!(bench.host.objects, objects);
    // The message of another client, which tells no properties.
    let mut login = vec![0x80, 0, 0, 0, 0, 1, 16, 0];
    login.extend_from_slice(b"XRCE\x01\x00\x01\x0f");
    login.extend_from_slice(&key(1).0);
    login.extend_from_slice(&[0x93, 0, 0xFC, 1]);
    bench.exchange(1, &login);
    assert!(bench.host.objects.is_empty());
    assert_eq!(bench.host.departures, [(key(1), Departure::BeganAnotherSession)]);
}

#[test]
fn another_client_at_an_address_replaces_the_first_one() {
    let mut bench = Bench::new(AgentConfig::default());
    connected_client(&mut bench, 1);
    let mut client = Client::new(ClientConfig::new(key(2)));
    bench.run(&mut client, 1);
    assert_eq!(bench.host.departures, [(key(1), Departure::Replaced)]);
    assert!(bench.agent.client(key(1)).is_none());
}

#[test]
fn messages_with_a_key_find_their_client_at_any_address() {
    let mut bench = Bench::new(AgentConfig::default());
    let mut client = Client::new(ClientConfig { session: SessionId(0x01), ..ClientConfig::new(key(1)) });
    create_objects(&mut client, StreamId::RELIABLE);
    bench.run(&mut client, 1);
    client.write(StreamId::RELIABLE, writer(), b"text").unwrap();
    let events = bench.run(&mut client, 2);
    assert_eq!(events.len(), 1, "{events:?}");
    assert_eq!(bench.agent.client(key(1)).unwrap().address, 2);
}

#[test]
fn a_client_that_ends_its_session_is_forgotten() {
    let mut bench = Bench::new(AgentConfig::default());
    let mut client = connected_client(&mut bench, 1);
    client.end();
    bench.run(&mut client, 1);
    assert!(bench.host.objects.is_empty());
    assert_eq!(bench.agent.clients().count(), 0);
    assert_eq!(bench.agent.due(), None);
}

#[test]
fn a_new_client_takes_the_place_of_the_one_that_was_away_longest() {
    let mut bench = Bench::new(AgentConfig { max_clients: 2, ..AgentConfig::default() });
    connected_client(&mut bench, 1);
    bench.wait(SECOND);
    connected_client(&mut bench, 2);
    let mut third = Client::new(ClientConfig::new(key(3)));
    assert_eq!(bench.run(&mut third, 3), ["Refused(Resources)"]);
    assert_eq!(bench.agent.refused(), 1);
    bench.wait(20 * SECOND);
    assert_eq!(bench.run(&mut third, 3), ["Connected"]);
    assert!(bench.agent.client(key(1)).is_none());
    assert!(bench.agent.client(key(2)).is_some());
}

#[test]
fn two_devices_with_one_key_are_told_now_and_then() {
    let mut bench = Bench::new(AgentConfig::default());
    let login = |bench: &mut Bench, address| {
        let mut login = vec![0x80, 0, 0, 0, 0, 1, 16, 0];
        login.extend_from_slice(b"XRCE\x01\x00\x01\x0f");
        login.extend_from_slice(&key(1).0);
        login.extend_from_slice(&[0x81, 0, 0xFC, 1]);
        bench.exchange(address, &login);
        bench.now += SECOND / 10;
    };
    login(&mut bench, 1);
    login(&mut bench, 2);
    assert!(bench.host.shared.is_empty(), "a device may have another address after a reset");
    for _ in 0..5 {
        login(&mut bench, 1);
        login(&mut bench, 2);
    }
    assert_eq!(bench.host.shared, [(key(1), [1, 2])]);
}

#[test]
fn what_a_device_does_not_create_again_after_a_reset_is_gone_soon() {
    let mut bench = Bench::new(AgentConfig::default());
    connected_client(&mut bench, 1);
    let mut client = Client::with_connection(ClientConfig::new(key(1)), 7_000_000);
    let definition = Definition::Participant { name: Some("mcu".into()) };
    client.create(participant(), Entity { parent: Parent::Domain(0), definition });
    bench.run(&mut client, 1);
    assert_eq!(bench.host.objects.len(), 3, "it may create the others in a moment");
    bench.wait(3 * SECOND);
    assert_eq!(bench.host.objects.keys().collect::<Vec<_>>(), [&(key(1), participant())]);
    assert!(bench.host.departures.is_empty());
}
