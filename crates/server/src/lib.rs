//! Serves the report pages of a store. Access over HTTP is read-only. The server limits the number and duration of
//! connections, the size of requests, and concurrent work, so that clients cannot exhaust it. The [`site`](mod@site)
//! module writes the same pages as files of a static site.

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

/// Maximum number of concurrent connections. Further connections wait.
const CONNECTIONS: usize = 512;
/// Maximum time for a client to send a request head, and maximum idle time between requests.
const HEAD: Duration = Duration::from_secs(15);
/// Age at which a connection stops accepting requests.
const CONNECTION: Duration = Duration::from_secs(120);
/// Time that a connection of age [`CONNECTION`] has to finish its last response, before the server closes it.
const GRACE: Duration = Duration::from_secs(60);
/// Maximum length of a request head in bytes.
const HEAD_BYTES: usize = 16 * 1024;
/// Maximum time to wait for unfinished pages on shutdown.
const END: Duration = Duration::from_secs(1);
/// Delay after a failed accept, for example if file descriptors have run out.
const PAUSE: Duration = Duration::from_millis(50);

/// Error from starting a server.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The database cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The server cannot listen on the address.
    #[error("cannot listen on {address}: {error}")]
    Address {
        /// The address.
        address: SocketAddr,
        /// Error from the operating system.
        error: io::Error,
    },
    /// No thread can be started.
    #[error("cannot start a thread: {0}")]
    Threads(io::Error),
}

/// A running server with its own threads. Dropping it stops the server.
pub struct Server {
    runtime: Option<Runtime>,
    address: SocketAddr,
}

impl Server {
    /// Starts a server for an existing database. Port 0 selects a free port. The server accepts only requests for an IP
    /// address, `localhost` or one of `names`. `names` contains host names of this machine, or of a proxy in front of
    /// this machine.
    ///
    /// # Errors
    /// [`ServerError`] with the reason.
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

    /// Returns the address that the server listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the URL for browsers.
    pub fn url(&self) -> String {
        format!("http://{}/", self.address)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The shutdown closes the listener before it returns, and may abandon unfinished pages.
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
            // Answer clients that close their sending side after the request.
            .half_close(true)
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD)
            .max_buf_size(HEAD_BYTES)
            .serve_connection(TokioIo::new(stream), service)
    );
    // Ignore connection errors, because each affects only one client.
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
            "Unknown host name. Use an IP address, localhost, or a name passed with --allow-host.",
        )
    } else if head || request.method() == Method::GET {
        pages.answer(request.uri().path()).await
    } else {
        Answer::text(StatusCode::METHOD_NOT_ALLOWED, "Only GET and HEAD are supported.")
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

/// Headers of every response, in addition to the content security policy.
const SAFE: [(&str, &str); 7] = [
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("x-frame-options", "DENY"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("permissions-policy", "camera=(), geolocation=(), microphone=()"),
    ("cache-control", "no-store"),
];
