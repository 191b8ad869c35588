//! Somebody who is told about tasks, and remembers what was told.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use serde_json::Value;
use tokio::net::TcpListener;

/// One notification.
#[derive(Clone, Debug)]
pub struct Told {
    pub headers: HeaderMap,
    pub body: Value,
}

impl Told {
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }
}

/// Takes notifications; the first few are refused as if it were out of order.
pub struct Receiver {
    pub address: SocketAddr,
    told: Arc<Mutex<Vec<Told>>>,
    serving: tokio::task::JoinHandle<()>,
}

type Memory = (Arc<Mutex<Vec<Told>>>, Arc<Mutex<u32>>);

impl Receiver {
    pub async fn at(address: SocketAddr, refused: u32) -> Self {
        let listener = TcpListener::bind(address).await.unwrap();
        let address = listener.local_addr().unwrap();
        let told: Arc<Mutex<Vec<Told>>> = Arc::default();
        let memory: Memory = (told.clone(), Arc::new(Mutex::new(refused)));
        let router =
            Router::new().route("/hook", post(hear)).route("/v1/traces", post(hear)).with_state(memory);
        let serving = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { address, told, serving }
    }

    pub async fn open() -> Self {
        Self::at("127.0.0.1:0".parse().unwrap(), 0).await
    }

    pub fn url(&self) -> String {
        format!("http://{}/hook", self.address)
    }

    pub fn told(&self) -> Vec<Told> {
        self.told.lock().unwrap().clone()
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn hear(State((told, refused)): State<Memory>, headers: HeaderMap, body: String) -> StatusCode {
    let mut left = refused.lock().unwrap();
    if *left > 0 {
        *left -= 1;
        return StatusCode::SERVICE_UNAVAILABLE;
    }
    told.lock().unwrap().push(Told { headers, body: serde_json::from_str(&body).unwrap() });
    StatusCode::OK
}
