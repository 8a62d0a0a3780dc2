//! A browser without a screen, driven over the DevTools protocol. Everything here panics if something goes wrong: that fails the test.

#![expect(clippy::unwrap_used, clippy::missing_panics_doc, reason = "a test fails by panicking")]

use std::{
    io::{BufRead, BufReader},
    net::TcpStream,
    process::{Child, Command, Stdio},
    sync::mpsc::{self, Receiver},
    thread,
    time::{Duration, Instant},
};

use data_encoding::BASE64;
use image::RgbImage;
use serde_json::{Value, json};
use tungstenite::{Message, WebSocket, stream::MaybeTlsStream};

const LONG: Duration = Duration::from_secs(30);

/// A page in a browser. The browser ends with it.
#[derive(Debug)]
pub struct Browser {
    process: Child,
    /// Ends when all processes of the browser have closed this pipe.
    errors: Receiver<()>,
    socket: WebSocket<MaybeTlsStream<TcpStream>>,
    session: String,
    next: u64,
    _profile: tempfile::TempDir,
}

impl Browser {
    /// Opens the page of `saltus view`.
    pub fn open(url: &str) -> Self {
        let profile = tempfile::tempdir().unwrap();
        // Without a sandbox, because tests in containers run as root.
        let mut process = Command::new("chromium")
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--no-first-run",
            ])
            .args(["--remote-debugging-port=0", "--window-size=1200,800", "--force-device-scale-factor=1"])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg("about:blank")
            // It leaves files in the folder for temporary files.
            .env("TMPDIR", profile.path())
            .stderr(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .expect("the tests of the page need chromium: apt-get install chromium");
        let mut lines = BufReader::new(process.stderr.take().unwrap()).lines().map_while(Result::ok);
        let address = lines.find_map(|line| Some(line.split_once("listening on ")?.1.to_owned()));
        let (ended, errors) = mpsc::channel();
        // A pipe that nobody reads would stop the browser.
        thread::spawn(move || {
            lines.for_each(drop);
            drop(ended);
        });
        let (socket, _) = tungstenite::connect(address.expect("chromium tells where it listens")).unwrap();
        if let MaybeTlsStream::Plain(stream) = socket.get_ref() {
            stream.set_read_timeout(Some(LONG)).unwrap();
        }
        let mut browser =
            Self { process, errors, socket, session: String::new(), next: 0, _profile: profile };
        let target = browser.call("Target.createTarget", json!({"url": url}))["targetId"].clone();
        let attached = browser.call("Target.attachToTarget", json!({"targetId": target, "flatten": true}));
        browser.session = attached["sessionId"].as_str().unwrap().into();
        browser.call("Page.enable", json!({}));
        // While the page is loaded, its context may be replaced.
        let deadline = Instant::now() + LONG;
        let loaded = json!({"expression": "window.saltus !== undefined", "returnByValue": true});
        while browser.answer("Runtime.evaluate", &loaded)["result"]["result"]["value"] != true {
            assert!(Instant::now() < deadline, "the page is not loaded in {LONG:?}");
        }
        browser
    }

    /// Calls a method, and returns its result.
    fn call(&mut self, method: &str, parameters: Value) -> Value {
        let mut answer = self.answer(method, &parameters);
        assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
        answer["result"].take()
    }

    /// Calls a method, and returns its answer: a result or an error.
    fn answer(&mut self, method: &str, parameters: &Value) -> Value {
        self.next += 1;
        let mut request = json!({"id": self.next, "method": method, "params": parameters});
        if !self.session.is_empty() {
            request["sessionId"] = self.session.clone().into();
        }
        self.socket.send(Message::text(request.to_string())).unwrap();
        loop {
            let Message::Text(text) = self.socket.read().unwrap() else { continue };
            let answer: Value = serde_json::from_str(&text).unwrap();
            if answer["id"] == self.next {
                return answer;
            }
        }
    }

    /// Evaluates an expression in the page.
    pub fn evaluate(&mut self, expression: &str) -> Value {
        let parameters = json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let result = self.call("Runtime.evaluate", parameters);
        assert!(result["exceptionDetails"].is_null(), "{expression}: {}", result["exceptionDetails"]);
        result["result"]["value"].clone()
    }

    /// Waits until an expression is true.
    pub fn wait(&mut self, expression: &str) {
        let deadline = Instant::now() + LONG;
        let promise = format!(
            "new Promise(done => {{ const look = () => ({expression}) ? done(true) : setTimeout(look, 20); look(); setTimeout(() => done(false), 5000); }})"
        );
        while self.evaluate(&promise) != true {
            assert!(
                Instant::now() < deadline,
                "not true in {LONG:?}: {expression}; {}",
                self.evaluate("document.body.innerText")
            );
        }
    }

    /// Returns where a point of the fixed frame is in the page, in pixels.
    pub fn pixel(&mut self, x: f64, y: f64) -> (f64, f64) {
        let place = self.evaluate(&format!(
            "(() => {{ const box = document.getElementById('scene').getBoundingClientRect(), [x, y] = saltus.toScreen({x}, {y}); return [box.left + x, box.top + y]; }})()"
        ));
        (place[0].as_f64().unwrap(), place[1].as_f64().unwrap())
    }

    /// Presses the mouse at a point, moves it to another one, and lets it go.
    pub fn drag(&mut self, from: (f64, f64), to: (f64, f64)) {
        let mut mouse = |kind: &str, (x, y): (f64, f64)| {
            self.call(
                "Input.dispatchMouseEvent",
                json!({"type": kind, "x": x, "y": y, "button": "left", "buttons": 1, "clickCount": 1}),
            );
        };
        mouse("mousePressed", from);
        mouse("mouseMoved", to);
        mouse("mouseReleased", to);
    }

    /// Turns the wheel of the mouse at a point, until all that is drawn is `factor` times as large.
    pub fn zoom(&mut self, (x, y): (f64, f64), factor: f64) {
        let turn = -500.0 * factor.ln();
        let wheel = json!({"type": "mouseWheel", "x": x, "y": y, "deltaX": 0, "deltaY": turn});
        self.call("Input.dispatchMouseEvent", wheel);
    }

    /// Presses a key, or lets it go.
    pub fn key(&mut self, key: &str, is_down: bool) {
        let kind = if is_down { "rawKeyDown" } else { "keyUp" };
        self.call("Input.dispatchKeyEvent", json!({"type": kind, "key": key, "code": key}));
    }

    /// Returns what the page looks like.
    pub fn screenshot(&mut self) -> RgbImage {
        // The page draws in the next frame.
        self.evaluate(
            "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))",
        );
        let shot = self.call("Page.captureScreenshot", json!({"format": "png"}));
        let bytes = BASE64.decode(shot["data"].as_str().unwrap().as_bytes()).unwrap();
        image::load_from_memory(&bytes).unwrap().into_rgb8()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let close = json!({"id": self.next + 1, "method": "Browser.close"}).to_string();
        let _ = self.socket.send(Message::text(close));
        // All of its processes write into the profile, until they end. A browser that hangs is killed.
        let _ = self.errors.recv_timeout(Duration::from_secs(10));
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
