//! The report's pages over a whole store: over HTTP, read-only, with bounds on everything that a client can ask for or hold on to,
//! and as the files of a static [`site`](mod@site).

#![warn(clippy::missing_errors_doc)]

mod hosts;
mod pages;
pub mod site;
mod work;

use hosts::Hosts;
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{self, HeaderName, HeaderValue};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use pages::{Answer, Pages};
use pqlab_lab::store::StoreError;
use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};

/// Connections at once; further ones wait until one of these ends.
const CONNECTIONS: usize = 512;
/// How long a client may take to say what it wants, and may say nothing between two requests.
const HEAD: Duration = Duration::from_secs(15);
/// After so long a connection takes no further request.
const CONNECTION: Duration = Duration::from_secs(120);
/// And so long after that it is cut, whatever the client has not taken yet.
const GRACE: Duration = Duration::from_secs(60);
/// Longest head of a request in bytes.
const HEAD_BYTES: usize = 16 * 1024;
/// How long pages that are being made may keep the end waiting.
const END: Duration = Duration::from_secs(1);
/// Where accepting fails, as for want of file descriptors, the next attempt waits.
const PAUSE: Duration = Duration::from_millis(50);

/// Why nothing is served.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The database cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Nobody can listen at this address.
    #[error("cannot listen on {address}: {error}")]
    Address {
        /// Where.
        address: SocketAddr,
        /// What the system says.
        error: io::Error,
    },
    /// The system gives no thread.
    #[error("no thread can be started: {0}")]
    Threads(io::Error),
}

/// A server at work, on threads of its own, until it is dropped.
pub struct Server {
    runtime: Option<Runtime>,
    address: SocketAddr,
}

impl Server {
    /// Serves a database, which must be there. Port 0 takes one that is free. Browsers are answered that ask for an IP address, for
    /// `localhost` or for one of these names: of the machine, or of a proxy before it.
    ///
    /// # Errors
    /// [`ServerError`] that says why not.
    pub fn start(listen: SocketAddr, database: PathBuf, names: Vec<String>) -> Result<Server, ServerError> {
        let pages = Arc::new(Pages::new(database)?);
        let hosts = Arc::new(Hosts::new(names));
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        let runtime = runtime.map_err(ServerError::Threads)?;
        let bound = runtime.block_on(async {
            let listener = TcpListener::bind(listen).await?;
            Ok((listener.local_addr()?, listener))
        });
        let (address, listener) = bound.map_err(|error| ServerError::Address { address: listen, error })?;
        runtime.spawn(accept(listener, hosts, pages));
        Ok(Server { runtime: Some(runtime), address })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where a browser finds it.
    pub fn url(&self) -> String {
        format!("http://{}/", self.address)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Nobody listens any more when this returns. A page that is being made need not be finished.
        self.runtime.take().into_iter().for_each(|runtime| runtime.shutdown_timeout(END));
    }
}

async fn accept(listener: TcpListener, hosts: Arc<Hosts>, pages: Arc<Pages>) {
    let permits = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        let Ok(permit) = Arc::clone(&permits).acquire_owned().await else { return };
        match listener.accept().await {
            Ok((stream, _)) => {
                let (hosts, pages) = (Arc::clone(&hosts), Arc::clone(&pages));
                tokio::spawn(async move {
                    connection(stream, &hosts, &pages).await;
                    drop(permit);
                });
            }
            Err(_) => sleep(PAUSE).await,
        }
    }
}

async fn connection(stream: TcpStream, hosts: &Hosts, pages: &Pages) {
    let service = service_fn(move |request| async move { Ok::<_, Infallible>(respond(request, hosts, pages).await) });
    let mut connection = pin!(
        hyper::server::conn::http1::Builder::new()
            // A client that has sent its request may close its side and still wants the answer.
            .half_close(true)
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD)
            .max_buf_size(HEAD_BYTES)
            .serve_connection(TokioIo::new(stream), service)
    );
    // What goes wrong on a connection is the client's; the next one is served all the same.
    if timeout(CONNECTION, connection.as_mut()).await.is_err() {
        connection.as_mut().graceful_shutdown();
        timeout(GRACE, connection.as_mut()).await.ok();
    }
}

async fn respond(request: Request<Incoming>, hosts: &Hosts, pages: &Pages) -> Response<Full<Bytes>> {
    let head = request.method() == Method::HEAD;
    let mut answer = if !hosts.are_meant(request.uri().host(), request.headers().get(header::HOST)) {
        Answer::text(
            StatusCode::MISDIRECTED_REQUEST,
            "This server answers to addresses, and to names that whoever serves has given.",
        )
    } else if head || request.method() == Method::GET {
        pages.answer(request.uri().path()).await
    } else {
        Answer::text(StatusCode::METHOD_NOT_ALLOWED, "There is nothing to do here but read.")
    };
    let length = answer.body.len();
    if head {
        answer.body = Bytes::new();
    }
    let mut response = Response::new(Full::new(answer.body));
    *response.status_mut() = answer.status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(answer.kind));
    headers.insert(header::CONTENT_LENGTH, HeaderValue::from(length));
    if answer.status == StatusCode::METHOD_NOT_ALLOWED {
        headers.insert(header::ALLOW, HeaderValue::from_static("GET, HEAD"));
    }
    for (name, value) in SAFE {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    if let Ok(policy) = HeaderValue::from_str(&format!("{}; frame-ancestors 'none'", answer.policy)) {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    response
}

/// What every answer carries beside its policy.
const SAFE: [(&str, &str); 7] = [
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("x-frame-options", "DENY"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("permissions-policy", "camera=(), geolocation=(), microphone=()"),
    ("cache-control", "no-store"),
];
