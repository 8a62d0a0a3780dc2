//! A browser without a window, controlled over the DevTools protocol. Each function panics if it fails, so that the test fails.

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

/// The time after which a test fails.
const LONG: Duration = Duration::from_secs(30);

/// A page in a browser. The browser is closed when this is dropped.
#[derive(Debug)]
pub struct Browser {
    process: Child,
    /// Disconnected when all processes of the browser have closed their standard error.
    errors: Receiver<()>,
    socket: WebSocket<MaybeTlsStream<TcpStream>>,
    /// The id of the session with the page; empty until the page is open.
    session: String,
    /// The id of the last request.
    last_id: u64,
    _profile: tempfile::TempDir,
}

impl Browser {
    /// Opens the page of `saltus view` in a new browser.
    pub fn open(url: &str) -> Self {
        let profile = tempfile::tempdir().unwrap();
        // The sandbox does not work for root, and tests in containers run as root.
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
            // Chromium leaves files in the folder for temporary files.
            .env("TMPDIR", profile.path())
            .stderr(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .expect("the tests of the page need chromium: apt-get install chromium");
        let mut lines = BufReader::new(process.stderr.take().unwrap()).lines().map_while(Result::ok);
        let address = lines.find_map(|line| Some(line.split_once("listening on ")?.1.to_owned()));
        let (ended, errors) = mpsc::channel();
        // If nobody read the pipe, the browser would block when it is full.
        thread::spawn(move || {
            lines.for_each(drop);
            drop(ended);
        });
        let (socket, _) = tungstenite::connect(address.expect("chromium tells where it listens")).unwrap();
        if let MaybeTlsStream::Plain(stream) = socket.get_ref() {
            stream.set_read_timeout(Some(LONG)).unwrap();
        }
        let mut browser =
            Self { process, errors, socket, session: String::new(), last_id: 0, _profile: profile };
        let target = browser.call("Target.createTarget", json!({"url": url}))["targetId"].clone();
        let attached = browser.call("Target.attachToTarget", json!({"targetId": target, "flatten": true}));
        browser.session = attached["sessionId"].as_str().unwrap().into();
        browser.call("Page.enable", json!({}));
        // The JavaScript context may be replaced while the page loads, so errors are ignored until then.
        let deadline = Instant::now() + LONG;
        let loaded = json!({"expression": "window.saltus !== undefined", "returnByValue": true});
        while browser.answer("Runtime.evaluate", &loaded)["result"]["result"]["value"] != true {
            assert!(Instant::now() < deadline, "the page is not loaded in {LONG:?}");
        }
        browser
    }

    /// Calls a method of the protocol, and returns its result.
    fn call(&mut self, method: &str, parameters: Value) -> Value {
        let mut answer = self.answer(method, &parameters);
        assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
        answer["result"].take()
    }

    /// Calls a method of the protocol, and returns its answer: a result or an error.
    fn answer(&mut self, method: &str, parameters: &Value) -> Value {
        self.last_id += 1;
        let mut request = json!({"id": self.last_id, "method": method, "params": parameters});
        if !self.session.is_empty() {
            request["sessionId"] = self.session.clone().into();
        }
        self.socket.send(Message::text(request.to_string())).unwrap();
        loop {
            let Message::Text(text) = self.socket.read().unwrap() else { continue };
            let answer: Value = serde_json::from_str(&text).unwrap();
            if answer["id"] == self.last_id {
                return answer;
            }
        }
    }

    /// Evaluates a JavaScript expression in the page. Awaits a promise.
    pub fn evaluate(&mut self, expression: &str) -> Value {
        let parameters = json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let result = self.call("Runtime.evaluate", parameters);
        assert!(result["exceptionDetails"].is_null(), "{expression}: {}", result["exceptionDetails"]);
        result["result"]["value"].clone()
    }

    /// Waits until a JavaScript expression is true.
    pub fn wait(&mut self, expression: &str) {
        let deadline = Instant::now() + LONG;
        let promise = format!(
            "new Promise(done => {{ const check = () => ({expression}) ? done(true) : setTimeout(check, 20); check(); setTimeout(() => done(false), 5000); }})"
        );
        while self.evaluate(&promise) != true {
            assert!(
                Instant::now() < deadline,
                "not true in {LONG:?}: {expression}; {}",
                self.evaluate("document.body.innerText")
            );
        }
    }

    /// Returns the position in the page of a point of the fixed frame, in pixels. The coordinates of the point are in metres.
    pub fn pixel(&mut self, x: f64, y: f64) -> (f64, f64) {
        let position = self.evaluate(&format!(
            "(() => {{ const box = document.getElementById('scene').getBoundingClientRect(), [x, y] = saltus.toScreen({x}, {y}); return [box.left + x, box.top + y]; }})()"
        ));
        (position[0].as_f64().unwrap(), position[1].as_f64().unwrap())
    }

    /// Drags the mouse from one point to another, with the left button. The points are in pixels of the page.
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

    /// Turns the mouse wheel at a point so that the drawing becomes `factor` times as large.
    pub fn zoom(&mut self, (x, y): (f64, f64), factor: f64) {
        let turn = -500.0 * factor.ln();
        let wheel = json!({"type": "mouseWheel", "x": x, "y": y, "deltaX": 0, "deltaY": turn});
        self.call("Input.dispatchMouseEvent", wheel);
    }

    /// Presses or releases a key.
    pub fn key(&mut self, key: &str, is_down: bool) {
        let kind = if is_down { "rawKeyDown" } else { "keyUp" };
        self.call("Input.dispatchKeyEvent", json!({"type": kind, "key": key, "code": key}));
    }

    /// Returns a screenshot of the page.
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
        let close = json!({"id": self.last_id + 1, "method": "Browser.close"}).to_string();
        let _ = self.socket.send(Message::text(close));
        // The processes of the browser write into the profile until they end. A browser that hangs is killed.
        let _ = self.errors.recv_timeout(Duration::from_secs(10));
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
