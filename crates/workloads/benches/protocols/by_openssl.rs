//! Bare loop over libssl. Client and server exchange data through a memory buffer in each direction.

use crate::NOW;
use crate::interleaved::Work;
use pqlab_openssl_sys as sys;
use pqlab_tls::{Authentication, Config, Credentials, Leaf, SERVER_NAME};
use std::ffi::{CStr, CString, c_int, c_long};
use std::ptr;

unsafe extern "C" {
    /// BIO_up_ref(3).
    fn BIO_up_ref(bio: *mut sys::BIO) -> c_int;
}

/// Bare libssl client and server. Connections are freed before the next batch. Contexts exist until the process ends.
pub(crate) struct Bare {
    client: *mut sys::SSL_CTX,
    server: *mut sys::SSL_CTX,
    name: CString,
    performed: Vec<[*mut sys::SSL; 2]>,
}

fn c_string(text: &str) -> CString {
    CString::new(text).expect("the string must not contain NUL")
}

fn length(bytes: &[u8]) -> c_long {
    c_long::try_from(bytes.len()).expect("the length must fit into a C long")
}

/// Creates a context for one side.
///
/// # Safety
/// `method` must come from OpenSSL.
unsafe fn context(method: *const sys::SSL_METHOD, config: &Config) -> *mut sys::SSL_CTX {
    let scheme = match config.authentication {
        Authentication::EcdsaP256 => c"ecdsa_secp256r1_sha256",
        _ => c"mldsa65",
    };
    let group = c_string(config.group.name());
    // SAFETY: the caller passes a method from OpenSSL. All strings end with NUL, and OpenSSL copies
    // them.
    unsafe {
        let context = sys::SSL_CTX_new(method);
        assert!(!context.is_null());
        let set = |command, number, text: Option<&CStr>| {
            let text = text.map_or(ptr::null(), CStr::as_ptr).cast_mut().cast();
            assert_eq!(sys::SSL_CTX_ctrl(context, command, number, text), 1);
        };
        set(sys::SSL_CTRL_SET_MIN_PROTO_VERSION, sys::TLS1_3_VERSION, None);
        set(sys::SSL_CTRL_SET_GROUPS_LIST, 0, Some(&group));
        set(sys::SSL_CTRL_SET_SIGALGS_LIST, 0, Some(scheme));
        assert_eq!(sys::SSL_CTX_set_ciphersuites(context, c"TLS_AES_256_GCM_SHA384".as_ptr()), 1);
        sys::SSL_CTX_ctrl(context, sys::SSL_CTRL_SET_SESS_CACHE_MODE, sys::SSL_SESS_CACHE_OFF, ptr::null_mut());
        assert_eq!(sys::SSL_CTX_set_num_tickets(context, 0), 1);
        context
    }
}

/// Parses a certificate. The certificate is never freed.
fn certificate(der: &[u8]) -> *mut sys::X509 {
    let mut input = der.as_ptr();
    // SAFETY: `input` points to `der.len()` readable bytes.
    let certificate = unsafe { sys::d2i_X509(ptr::null_mut(), &raw mut input, length(der)) };
    assert!(!certificate.is_null());
    certificate
}

impl Bare {
    pub(crate) fn new(config: &Config, credentials: &Credentials) -> Bare {
        // SAFETY: OpenSSL created all objects, and nothing frees them. Each input comes with its
        // length.
        unsafe {
            let client = context(sys::TLS_client_method(), config);
            sys::SSL_CTX_set_verify(client, sys::SSL_VERIFY_PEER, None);
            let store = sys::SSL_CTX_get_cert_store(client);
            assert_eq!(sys::X509_STORE_add_cert(store, certificate(&credentials.root)), 1);
            sys::X509_VERIFY_PARAM_set_time(sys::SSL_CTX_get0_param(client), NOW.cast_signed());

            let server = context(sys::TLS_server_method(), config);
            let Leaf { certificate: der, .. } = &credentials.server;
            assert_eq!(sys::SSL_CTX_use_certificate(server, certificate(der)), 1);
            let (key, mut input) = (credentials.server.key(), credentials.server.key().as_ptr());
            let key =
                sys::d2i_AutoPrivateKey_ex(ptr::null_mut(), &raw mut input, length(key), ptr::null_mut(), ptr::null());
            assert_eq!(sys::SSL_CTX_use_PrivateKey(server, key), 1);
            for der in &credentials.intermediates {
                assert_eq!(sys::SSL_CTX_ctrl(server, sys::SSL_CTRL_CHAIN_CERT, 1, certificate(der).cast()), 1);
            }
            Bare { client, server, name: c_string(SERVER_NAME), performed: Vec::new() }
        }
    }

    fn handshake(&self) -> [*mut sys::SSL; 2] {
        // SAFETY: the contexts are never freed, `name` ends with NUL, and each connection owns one
        // reference to each buffer.
        unsafe {
            let (client, server) = (sys::SSL_new(self.client), sys::SSL_new(self.server));
            let [to_client, to_server] = [(); 2].map(|()| sys::BIO_new(sys::BIO_s_mem()));
            BIO_up_ref(to_client);
            BIO_up_ref(to_server);
            sys::SSL_set_bio(client, to_client, to_server);
            sys::SSL_set_bio(server, to_server, to_client);
            sys::SSL_set_connect_state(client);
            sys::SSL_set_accept_state(server);
            let name = self.name.as_ptr();
            assert_eq!(sys::SSL_set1_dnsname(client, name), 1);
            assert_eq!(sys::SSL_ctrl(client, sys::SSL_CTRL_SET_TLSEXT_HOSTNAME, 0, name.cast_mut().cast()), 1);
            // The four calls send, in order: the ClientHello; the messages from ServerHello to
            // Finished; the client's Finished; nothing.
            assert_eq!(sys::SSL_do_handshake(client), -1);
            assert_eq!(sys::SSL_do_handshake(server), -1);
            assert_eq!(sys::SSL_do_handshake(client), 1);
            assert_eq!(sys::SSL_do_handshake(server), 1);
            [client, server]
        }
    }
}

impl Work for Bare {
    fn ready(&mut self, _batch: usize) {
        for connection in self.performed.drain(..).flatten() {
            // SAFETY: `connection` is valid, and nothing uses it afterwards.
            unsafe {
                sys::SSL_set_shutdown(connection, sys::SSL_SENT_AND_RECEIVED_SHUTDOWN);
                sys::SSL_free(connection);
            }
        }
    }

    fn run(&mut self, batch: usize) {
        for _ in 0..batch {
            let performed = self.handshake();
            self.performed.push(performed);
        }
    }
}
