//! Connections that can be cut from inside, in the middle of an answer.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

/// A handle on one connection.
#[derive(Clone, Debug)]
pub(super) struct Severance(CancellationToken);

impl Severance {
    pub(super) fn cut(&self) {
        self.0.cancel();
    }
}

/// A listener whose connections can be cut one by one, or all together.
pub(super) struct SeverableListener {
    pub(super) tcp: TcpListener,
    pub(super) all: CancellationToken,
}

impl Listener for SeverableListener {
    type Io = Severable;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Severable, SocketAddr) {
        let (stream, address) = Listener::accept(&mut self.tcp).await;
        // Small answers must not wait for each other; a refusal to be quick does not matter.
        let _ = stream.set_nodelay(true);
        let token = self.all.child_token();
        let cut = Box::pin(token.clone().cancelled_owned());
        (Severable { stream, token, cut }, address)
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.tcp.local_addr()
    }
}

impl Connected<IncomingStream<'_, SeverableListener>> for Severance {
    fn connect_info(stream: IncomingStream<'_, SeverableListener>) -> Self {
        Self(stream.io().token.clone())
    }
}

pub(super) struct Severable {
    stream: TcpStream,
    token: CancellationToken,
    cut: Pin<Box<WaitForCancellationFutureOwned>>,
}

impl Severable {
    fn whole(&self) -> io::Result<()> {
        if self.token.is_cancelled() { Err(io::ErrorKind::ConnectionReset.into()) } else { Ok(()) }
    }
}

impl AsyncRead for Severable {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.cut.as_mut().poll(cx).is_ready() {
            return Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()));
        }
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl AsyncWrite for Severable {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.whole()?;
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.whole()?;
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
