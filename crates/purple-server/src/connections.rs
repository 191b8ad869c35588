//! Connections: taken up to a number, each within its times, and let go when the server stops.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::ConnectInfo;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

use crate::limits::{ACCEPT_AGAIN, CONNECTIONS_MAX, HANDSHAKE_WITHIN, HEADER_BYTES_MAX};

/// Serves everybody who comes until the server is told to stop, and then those who are there.
pub(crate) async fn serve(
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    router: Router,
    headers_within: Duration,
    mut closing: watch::Receiver<bool>,
) {
    let places = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    let mut open = JoinSet::new();
    loop {
        let place = tokio::select! {
            biased;
            () = told(&mut closing) => break,
            Some(_) = open.join_next() => continue,
            place = Arc::clone(&places).acquire_owned() => place,
        };
        // It is never closed.
        let Ok(place) = place else { break };
        let accepted = tokio::select! {
            biased;
            () = told(&mut closing) => break,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, peer)) => {
                let (tls, router, closing) = (tls.clone(), router.clone(), closing.clone());
                open.spawn(async move {
                    // Whoever is cut off finds out by itself.
                    let _ = connection(stream, peer, tls, router, (headers_within, closing)).await;
                    drop(place);
                });
            }
            // No more open files, for the moment.
            Err(_) => tokio::time::sleep(ACCEPT_AGAIN).await,
        }
    }
    drop(listener);
    while open.join_next().await.is_some() {}
}

/// Ends when the server is told to stop.
async fn told(closing: &mut watch::Receiver<bool>) {
    // A server that is gone does not serve either.
    let _ = closing.wait_for(|closing| *closing).await;
}

async fn connection(
    stream: TcpStream,
    peer: SocketAddr,
    tls: Option<TlsAcceptor>,
    router: Router,
    times: (Duration, watch::Receiver<bool>),
) -> io::Result<()> {
    let _ = stream.set_nodelay(true);
    match tls {
        None => talk(stream, peer, router, times).await,
        Some(acceptor) => {
            let secured = tokio::time::timeout(HANDSHAKE_WITHIN, acceptor.accept(stream)).await;
            talk(secured.map_err(|_| io::ErrorKind::TimedOut)??, peer, router, times).await
        }
    }
}

async fn talk(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    peer: SocketAddr,
    router: Router,
    (headers_within, mut closing): (Duration, watch::Receiver<bool>),
) -> io::Result<()> {
    let router = router.layer(axum::Extension(ConnectInfo(peer)));
    let talking = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(headers_within)
        .max_buf_size(HEADER_BYTES_MAX)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
    let mut talking = std::pin::pin!(talking);
    let done = tokio::select! {
        done = talking.as_mut() => return done.map_err(io::Error::other),
        () = told(&mut closing) => {
            // What is being answered is answered; nothing more is taken.
            talking.as_mut().graceful_shutdown();
            talking.await
        }
    };
    done.map_err(io::Error::other)
}
