//! An agent for the tests: `micro-agent TRANSPORT LOCATION`, where the transport is `udp` or `tcp` with a port,
//! `serial` with a device, or `can` with the socket of a bus. It prints a line when it listens.

use std::{env, path::PathBuf, process::ExitCode};

use saltus_agent::{AgentOptions, MicroAgent, TransportOptions};

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    match run(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("micro-agent: {why}");
            ExitCode::FAILURE
        }
    }
}

fn run(words: &[String]) -> Result<(), String> {
    let [kind, location] = words else { return Err("expected a transport and an address or a path".into()) };
    let address = || format!("127.0.0.1:{location}").parse().map_err(|e| format!("{location}: {e}"));
    let transport = match kind.as_str() {
        "udp" => TransportOptions::Udp { address: address()?, discovery_port: None },
        "tcp" => TransportOptions::Tcp { address: address()? },
        "serial" => TransportOptions::Serial { devices: vec![PathBuf::from(location)], baud: 115_200 },
        "can" => TransportOptions::CanSocket { path: PathBuf::from(location) },
        other => return Err(format!("unknown transport `{other}`")),
    };
    let options = AgentOptions { transports: vec![transport.into()], folder: None, ignores_signals: false };
    let agent = MicroAgent::open(options).map_err(|e| e.to_string())?;
    println!("listening");
    agent.run().map_err(|e| e.to_string())
}
