//! TLS with OpenSSL's libssl, over in-memory streams.

mod connection;

use crate::credentials::NOW;
use crate::{Authentication, Config, Context, Credentials, Endpoint, Error, Leaf, Result, Resumption};
use connection::Connection;
use pqlab_openssl_sys as sys;
use std::any::Any;
use std::ffi::{CStr, CString, c_int, c_long};
use std::ptr::{self, NonNull};
use std::sync::OnceLock;

const CIPHER_SUITE: &CStr = c"TLS_AES_256_GCM_SHA384";

/// Returns an error for a failed `call` with the messages from OpenSSL's error queue, and empties the queue.
#[cold]
fn library(call: &'static str) -> Error {
    Error::Library { call, detail: sys::take_errors() }
}

/// Returns `Ok` if the return value is positive, which is how OpenSSL reports success.
fn check(call: &'static str, returned: impl Into<c_long>) -> Result<()> {
    if returned.into() > 0 { Ok(()) } else { Err(library(call)) }
}

/// Defines a type that owns a pointer and frees it on drop.
macro_rules! owned {
    ($(#[$doc:meta])* $name:ident, $inner:ident, $free:ident) => {
        $(#[$doc])*
        struct $name(NonNull<sys::$inner>);

        impl $name {
            fn new(call: &'static str, pointer: *mut sys::$inner) -> Result<$name> {
                NonNull::new(pointer).map($name).ok_or_else(|| library(call))
            }
        }

        impl Drop for $name {
            fn drop(&mut self) {
                // SAFETY: this value owns the reference, and nothing uses it afterwards.
                unsafe { sys::$free(self.0.as_ptr()) };
            }
        }
    };
}

owned!(
    /// A certificate.
    Certificate, X509, X509_free
);
owned!(
    /// A private key.
    Key, EVP_PKEY, EVP_PKEY_free
);
owned!(
    /// A session that a client uses to resume connections.
    Session, SSL_SESSION, SSL_SESSION_free
);
owned!(
    /// A context that connections share.
    Shared, SSL_CTX, SSL_CTX_free
);

// SAFETY: OpenSSL locks contexts, and nothing changes them once connections exist.
unsafe impl Send for Shared {}
// SAFETY: OpenSSL locks contexts, and nothing changes them once connections exist.
unsafe impl Sync for Shared {}
// SAFETY: OpenSSL locks sessions and counts references to them.
unsafe impl Send for Session {}
// SAFETY: OpenSSL locks sessions and counts references to them.
unsafe impl Sync for Session {}

impl Certificate {
    fn parse(der: &[u8]) -> Result<Certificate> {
        let mut input = der.as_ptr();
        // SAFETY: the pointer refers to `length` bytes. Null requests a new certificate.
        let certificate = unsafe { sys::d2i_X509(ptr::null_mut(), &raw mut input, length(der)?) };
        Certificate::new("d2i_X509", certificate)
    }
}

impl Key {
    fn parse(der: &[u8]) -> Result<Key> {
        let mut input = der.as_ptr();
        // SAFETY: the pointer refers to `length` bytes. Null requests a new key, the default library context and its
        // default properties.
        let key = unsafe {
            sys::d2i_AutoPrivateKey_ex(ptr::null_mut(), &raw mut input, length(der)?, ptr::null_mut(), ptr::null())
        };
        Key::new("d2i_AutoPrivateKey_ex", key)
    }
}

fn length(bytes: &[u8]) -> Result<c_long> {
    c_long::try_from(bytes.len())
        .map_err(|_| Error::Unsupported("the length does not fit in a C long, which OpenSSL requires"))
}

/// State shared by the connections of a client or of a server.
pub(crate) struct Side {
    shared: Shared,
    is_client: bool,
    session: OnceLock<Session>,
}

impl Side {
    pub(crate) fn client(config: &Config, credentials: &Credentials) -> Result<Side> {
        // SAFETY: `TLS_client_method` takes no arguments.
        let side = Side::new(config, credentials, true, unsafe { sys::TLS_client_method() })?;
        side.verify_peer(sys::SSL_VERIFY_PEER);
        if let Some(leaf) = &credentials.client {
            side.show(credentials, leaf)?;
        }
        Ok(side)
    }

    pub(crate) fn server(config: &Config, credentials: &Credentials) -> Result<Side> {
        // SAFETY: `TLS_server_method` takes no arguments.
        let side = Side::new(config, credentials, false, unsafe { sys::TLS_server_method() })?;
        side.show(credentials, &credentials.server)?;
        if config.client_authentication {
            side.verify_peer(sys::SSL_VERIFY_PEER | sys::SSL_VERIFY_FAIL_IF_NO_PEER_CERT);
        }
        let name = b"pqlab";
        // SAFETY: the pointer refers to `name.len()` bytes, which OpenSSL copies.
        let set =
            unsafe { sys::SSL_CTX_set_session_id_context(side.shared.0.as_ptr(), name.as_ptr(), name.len() as u32) };
        check("SSL_CTX_set_session_id_context", set)?;
        Ok(side)
    }

    fn new(
        config: &Config,
        credentials: &Credentials,
        is_client: bool,
        method: *const sys::SSL_METHOD,
    ) -> Result<Side> {
        const OPTIONS: u64 = sys::OPENSSL_INIT_NO_LOAD_CONFIG;
        // SAFETY: null requests the default settings. Both functions may be called repeatedly.
        check("OPENSSL_init_ssl", unsafe {
            sys::OPENSSL_init_crypto(OPTIONS, ptr::null()).min(sys::OPENSSL_init_ssl(OPTIONS, ptr::null()))
        })?;
        // SAFETY: OpenSSL never frees the method.
        let shared = Shared::new("SSL_CTX_new", unsafe { sys::SSL_CTX_new(method) })?;
        let side = Side { shared, is_client, session: OnceLock::new() };
        let context = side.shared.0.as_ptr();
        side.control("SSL_CTX_set_min_proto_version", sys::SSL_CTRL_SET_MIN_PROTO_VERSION, sys::TLS1_3_VERSION, None)?;
        let groups = c_string(config.group.name())?;
        side.control("SSL_CTX_set1_groups_list", sys::SSL_CTRL_SET_GROUPS_LIST, 0, Some(&groups))?;
        let schemes = c_string(&schemes(config.authentication)?)?;
        side.control("SSL_CTX_set1_sigalgs_list", sys::SSL_CTRL_SET_SIGALGS_LIST, 0, Some(&schemes))?;
        // SAFETY: the context is valid and owns its certificate store and parameters. OpenSSL
        // copies the NUL-terminated strings. The store takes its own reference to the certificate.
        unsafe {
            check("SSL_CTX_set_ciphersuites", sys::SSL_CTX_set_ciphersuites(context, CIPHER_SUITE.as_ptr()))?;
            // This call returns the previous mode, not an error code.
            sys::SSL_CTX_ctrl(context, sys::SSL_CTRL_SET_SESS_CACHE_MODE, sys::SSL_SESS_CACHE_OFF, ptr::null_mut());
            // By default, a side without intermediate certificates also sends the root, which the peer already has.
            sys::SSL_CTX_ctrl(context, sys::SSL_CTRL_MODE, sys::SSL_MODE_NO_AUTO_CHAIN, ptr::null_mut());
            check("SSL_CTX_set_num_tickets", sys::SSL_CTX_set_num_tickets(context, 0))?;
            if config.resumption == Resumption::Alone {
                sys::SSL_CTX_set_options(context, sys::SSL_OP_ALLOW_NO_DHE_KEX | sys::SSL_OP_PREFER_NO_DHE_KEX);
            }
            let root = Certificate::parse(&credentials.root)?;
            let store = sys::SSL_CTX_get_cert_store(context);
            check("X509_STORE_add_cert", sys::X509_STORE_add_cert(store, root.0.as_ptr()))?;
            let parameters = sys::SSL_CTX_get0_param(context);
            sys::X509_VERIFY_PARAM_set_time(parameters, NOW.as_secs().cast_signed());
        }
        Ok(side)
    }

    fn control(&self, call: &'static str, command: c_int, number: c_long, text: Option<&CStr>) -> Result<()> {
        let text = text.map_or(ptr::null(), CStr::as_ptr);
        // SAFETY: the context is valid. These commands take null or a string that they copy.
        check(call, unsafe { sys::SSL_CTX_ctrl(self.shared.0.as_ptr(), command, number, text.cast_mut().cast()) })
    }

    fn verify_peer(&self, mode: c_int) {
        // SAFETY: the context is valid, and there is no callback.
        unsafe { sys::SSL_CTX_set_verify(self.shared.0.as_ptr(), mode, None) };
    }

    /// Loads this side's certificates and key into the context.
    fn show(&self, credentials: &Credentials, leaf: &Leaf) -> Result<()> {
        let context = self.shared.0.as_ptr();
        let (certificate, key) = (Certificate::parse(&leaf.certificate)?, Key::parse(leaf.key())?);
        // SAFETY: the context, the certificate and the key are valid, and the context takes its own references.
        unsafe {
            check("SSL_CTX_use_certificate", sys::SSL_CTX_use_certificate(context, certificate.0.as_ptr()))?;
            check("SSL_CTX_use_PrivateKey", sys::SSL_CTX_use_PrivateKey(context, key.0.as_ptr()))?;
        }
        for der in &credentials.intermediates {
            let certificate = Certificate::parse(der)?;
            // SAFETY: the context and the certificate are valid. With argument 1, the command takes its own reference.
            check("SSL_CTX_add1_chain_cert", unsafe {
                sys::SSL_CTX_ctrl(context, sys::SSL_CTRL_CHAIN_CERT, 1, certificate.0.as_ptr().cast())
            })?;
        }
        Ok(())
    }
}

/// Returns the signature schemes allowed in the handshake and in certificates, separated by colons as OpenSSL expects.
fn schemes(authentication: Authentication) -> Result<String> {
    let scheme = authentication.scheme().ok_or(Error::Unsupported("TLS does not define this signature scheme"))?;
    Ok(match authentication {
        Authentication::Rsa2048 => format!("{scheme}:rsa_pkcs1_sha256"),
        _ => scheme.to_owned(),
    })
}

fn c_string(text: &str) -> Result<CString> {
    CString::new(text).map_err(|_| Error::Wrong(format!("{text:?} contains a NUL byte")))
}

impl Context for Side {
    fn connection(&self) -> Result<Box<dyn Endpoint>> {
        Ok(Box::new(Connection::new(&self.shared, self.is_client, self.session.get())?))
    }

    fn priming(&self, tickets: usize) -> Result<Box<dyn Endpoint>> {
        let connection = Connection::new(&self.shared, self.is_client, None)?;
        if !self.is_client {
            connection.give_out(tickets)?;
        }
        Ok(Box::new(connection))
    }

    fn keep(&self, primed: &dyn Endpoint) -> Result<()> {
        let primed: &dyn Any = primed;
        let connection = primed.downcast_ref::<Connection>();
        let connection =
            connection.ok_or(Error::Unsupported("the connection belongs to a different implementation"))?;
        // Ignore the error, because a session that is already set stays in use.
        self.session.set(connection.session()?).ok();
        Ok(())
    }

    /// Returns `usize::MAX` if there is a session, because any number of connections can resume a session. Otherwise
    /// returns 0.
    fn resumptions(&self) -> usize {
        if self.session.get().is_some() { usize::MAX } else { 0 }
    }
}
