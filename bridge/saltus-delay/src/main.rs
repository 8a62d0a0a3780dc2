//! Carries the packets of one end of a link, with a delay: `saltus-delay DEVICE SOCKET PEER MICROSECONDS`.
//!
//! It creates the TUN device. What the device sends goes to the socket of the other end, after the delay; what comes from there goes
//! into the device at once. It ends when its standard input closes.

use std::{
    env,
    error::Error,
    io::{self, Read, Write},
    os::unix::net::UnixDatagram,
    process::ExitCode,
    sync::{Arc, mpsc},
    thread,
    time::{Duration, Instant},
};

use tun_rs::{DeviceBuilder, SyncDevice};

/// The largest packet.
const MTU: usize = 1500;

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    let [device, socket, peer, delay] = &words[..] else {
        eprintln!("usage: saltus-delay DEVICE SOCKET PEER MICROSECONDS");
        return ExitCode::FAILURE;
    };
    match run(device, socket, peer, delay) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("saltus-delay: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(device: &str, socket: &str, peer: &str, delay: &str) -> Result<(), Box<dyn Error>> {
    let delay = Duration::from_micros(delay.parse()?);
    let device = Arc::new(DeviceBuilder::new().name(device).build_sync()?);
    let socket = Arc::new(UnixDatagram::bind(socket)?);
    let (sender, packets) = mpsc::channel();
    spawn({
        let device = device.clone();
        move || read(&device, delay, &sender)
    })?;
    spawn({
        let (socket, peer) = (socket.clone(), peer.to_owned());
        move || send(&packets, &socket, &peer)
    })?;
    spawn(move || receive(&socket, &device))?;
    println!("ready");
    io::stdout().flush()?;
    // Nothing is read. The end of the input is the end of whoever has started this.
    io::stdin().read_to_end(&mut Vec::new())?;
    Ok(())
}

/// Starts a thread. If it ends, the process does.
fn spawn(work: impl FnOnce() -> io::Result<()> + Send + 'static) -> io::Result<()> {
    thread::Builder::new().spawn(move || {
        if let Err(error) = work() {
            eprintln!("saltus-delay: {error}");
        }
        std::process::exit(1);
    })?;
    Ok(())
}

/// Takes packets from the device, and notes when each is due.
fn read(device: &SyncDevice, delay: Duration, packets: &mpsc::Sender<(Instant, Vec<u8>)>) -> io::Result<()> {
    let mut buffer = [0; MTU];
    loop {
        let length = device.recv(&mut buffer)?;
        let packet = (Instant::now() + delay, buffer[..length].to_vec());
        if packets.send(packet).is_err() {
            return Ok(());
        }
    }
}

/// Sends each packet when it is due. All have the same delay, so they are due in their order.
fn send(packets: &mpsc::Receiver<(Instant, Vec<u8>)>, socket: &UnixDatagram, peer: &str) -> io::Result<()> {
    for (due, packet) in packets {
        // The delay of the link.
        thread::sleep(due.saturating_duration_since(Instant::now()));
        // The other end may not be there yet, or not any more. A network loses such a packet, too.
        let _ = socket.send_to(&packet, peer);
    }
    Ok(())
}

/// Puts packets from the other end into the device.
fn receive(socket: &UnixDatagram, device: &SyncDevice) -> io::Result<()> {
    let mut buffer = [0; MTU];
    loop {
        let length = socket.recv(&mut buffer)?;
        // The device takes nothing while it is down.
        let _ = device.send(&buffer[..length]);
    }
}
