//! TLS (SSL_CTX_new(3), SSL_new(3)) over in-memory streams (BIO_s_mem(3)).

use crate::{OPENSSL_INIT_SETTINGS, X509};
use core::ffi::{c_char, c_int, c_long, c_uint, c_void};
use pqlab_openssl_headers::{EVP_PKEY, OSSL_LIB_CTX, opaque};

opaque! {
    /// State that connections share. See SSL_CTX_new(3).
    SSL_CTX;
    /// One side of a connection. See SSL_new(3).
    SSL;
    /// Role of a context (client or server). See TLS_method(3).
    SSL_METHOD;
    /// Session that a client uses to resume a connection. See SSL_SESSION_free(3).
    SSL_SESSION;
    /// A stream of bytes. See BIO_new(3).
    BIO;
    /// A kind of stream. See BIO_new(3).
    BIO_METHOD;
    /// Trusted certificates. See X509_STORE_new(3).
    X509_STORE;
    /// Conditions for verifying a chain. See X509_VERIFY_PARAM_new(3).
    X509_VERIFY_PARAM;
}

/// Callback that overrides verification. See SSL_CTX_set_verify(3). pqlab passes only null.
pub type SSL_verify_cb = Option<unsafe extern "C" fn(c_int, *mut c_void) -> c_int>;

/// Version number of TLS 1.3. See SSL_CTX_set_min_proto_version(3).
pub const TLS1_3_VERSION: c_long = 0x0304;
/// Allows omitting the key exchange if a pre-shared key is used. See SSL_CTX_set_options(3).
pub const SSL_OP_ALLOW_NO_DHE_KEX: u64 = 1 << 10;
/// Makes a server omit the key exchange if the client allows it. See SSL_CTX_set_options(3).
pub const SSL_OP_PREFER_NO_DHE_KEX: u64 = 1 << 35;
/// Requests and verifies the peer's certificate. See SSL_CTX_set_verify(3).
pub const SSL_VERIFY_PEER: c_int = 1;
/// Rejects clients without a certificate. See SSL_CTX_set_verify(3).
pub const SSL_VERIFY_FAIL_IF_NO_PEER_CERT: c_int = 2;
/// Disables the session cache. See SSL_CTX_set_session_cache_mode(3).
pub const SSL_SESS_CACHE_OFF: c_long = 0;
/// The call needs more input. See SSL_get_error(3).
pub const SSL_ERROR_WANT_READ: c_int = 2;
/// Both sides have shut down. See SSL_set_shutdown(3).
pub const SSL_SENT_AND_RECEIVED_SHUTDOWN: c_int = 3;

/// Command for SSL_CTX_ctrl(3). See SSL_CTX_set_mode(3).
pub const SSL_CTRL_MODE: c_int = 33;
/// Sends only the certificates that were set, without adding certificates from the store. See SSL_CTX_set_mode(3).
pub const SSL_MODE_NO_AUTO_CHAIN: c_long = 8;
/// Command for SSL_CTX_ctrl(3). See SSL_CTX_set_session_cache_mode(3).
pub const SSL_CTRL_SET_SESS_CACHE_MODE: c_int = 44;
/// Command for SSL_CTX_ctrl(3). See SSL_set_tlsext_host_name(3).
pub const SSL_CTRL_SET_TLSEXT_HOSTNAME: c_int = 55;
/// Command for SSL_CTX_ctrl(3): SSL_CTX_add0_chain_cert(3), or SSL_CTX_add1_chain_cert(3) if the number is 1.
pub const SSL_CTRL_CHAIN_CERT: c_int = 89;
/// Command for SSL_CTX_ctrl(3). See SSL_CTX_set1_groups_list(3).
pub const SSL_CTRL_SET_GROUPS_LIST: c_int = 92;
/// Command for SSL_CTX_ctrl(3). See SSL_CTX_set1_sigalgs_list(3).
pub const SSL_CTRL_SET_SIGALGS_LIST: c_int = 98;
/// Command for SSL_CTX_ctrl(3). See SSL_CTX_set_min_proto_version(3).
pub const SSL_CTRL_SET_MIN_PROTO_VERSION: c_int = 123;
/// Command for SSL_CTX_ctrl(3). See SSL_get0_peer_signature_name(3).
pub const SSL_CTRL_GET_PEER_SIGNATURE_NAME: c_int = 141;

unsafe extern "C" {
    /// See OPENSSL_init_ssl(3).
    pub fn OPENSSL_init_ssl(options: u64, settings: *const OPENSSL_INIT_SETTINGS) -> c_int;
    /// See TLS_method(3).
    pub fn TLS_client_method() -> *const SSL_METHOD;
    /// See TLS_method(3).
    pub fn TLS_server_method() -> *const SSL_METHOD;

    /// See SSL_CTX_new(3).
    pub fn SSL_CTX_new(method: *const SSL_METHOD) -> *mut SSL_CTX;
    /// See SSL_CTX_free(3).
    pub fn SSL_CTX_free(ctx: *mut SSL_CTX);
    /// See SSL_CTX_ctrl(3).
    pub fn SSL_CTX_ctrl(ctx: *mut SSL_CTX, command: c_int, number: c_long, pointer: *mut c_void) -> c_long;
    /// See SSL_CTX_set_options(3).
    pub fn SSL_CTX_set_options(ctx: *mut SSL_CTX, options: u64) -> u64;
    /// See SSL_CTX_set_cipher_list(3).
    pub fn SSL_CTX_set_ciphersuites(ctx: *mut SSL_CTX, names: *const c_char) -> c_int;
    /// See SSL_CTX_set_verify(3).
    pub fn SSL_CTX_set_verify(ctx: *mut SSL_CTX, mode: c_int, callback: SSL_verify_cb);
    /// See SSL_CTX_set_session_id_context(3).
    pub fn SSL_CTX_set_session_id_context(ctx: *mut SSL_CTX, context: *const u8, length: c_uint) -> c_int;
    /// See SSL_CTX_set_num_tickets(3).
    pub fn SSL_CTX_set_num_tickets(ctx: *mut SSL_CTX, tickets: usize) -> c_int;
    /// Takes its own reference to the certificate. See SSL_CTX_use_certificate(3).
    pub fn SSL_CTX_use_certificate(ctx: *mut SSL_CTX, certificate: *mut X509) -> c_int;
    /// Takes its own reference to the key. See SSL_CTX_use_certificate(3).
    pub fn SSL_CTX_use_PrivateKey(ctx: *mut SSL_CTX, key: *mut EVP_PKEY) -> c_int;
    /// Returns the certificate store, which the context still owns. See SSL_CTX_set_cert_store(3).
    pub fn SSL_CTX_get_cert_store(ctx: *const SSL_CTX) -> *mut X509_STORE;
    /// Returns the verification parameters, which the context still owns. See SSL_CTX_get0_param(3).
    pub fn SSL_CTX_get0_param(ctx: *mut SSL_CTX) -> *mut X509_VERIFY_PARAM;
    /// Takes its own reference to the certificate. See X509_STORE_add_cert(3).
    pub fn X509_STORE_add_cert(store: *mut X509_STORE, certificate: *mut X509) -> c_int;
    /// Sets the verification time, in seconds since 1970. See X509_VERIFY_PARAM_set_flags(3).
    pub fn X509_VERIFY_PARAM_set_time(param: *mut X509_VERIFY_PARAM, time: i64);

    /// See SSL_new(3).
    pub fn SSL_new(ctx: *mut SSL_CTX) -> *mut SSL;
    /// Also frees the connection's streams. See SSL_free(3).
    pub fn SSL_free(ssl: *mut SSL);
    /// Takes ownership of both streams. See SSL_set_bio(3).
    pub fn SSL_set_bio(ssl: *mut SSL, read: *mut BIO, write: *mut BIO);
    /// See SSL_CTX_ctrl(3).
    pub fn SSL_ctrl(ssl: *mut SSL, command: c_int, number: c_long, pointer: *mut c_void) -> c_long;
    /// See SSL_set1_host(3).
    pub fn SSL_set1_dnsname(ssl: *mut SSL, name: *const c_char) -> c_int;
    /// See SSL_CTX_set_num_tickets(3).
    pub fn SSL_set_num_tickets(ssl: *mut SSL, tickets: usize) -> c_int;
    /// See SSL_do_handshake(3).
    pub fn SSL_do_handshake(ssl: *mut SSL) -> c_int;
    /// See SSL_set_connect_state(3).
    pub fn SSL_set_connect_state(ssl: *mut SSL);
    /// See SSL_set_connect_state(3).
    pub fn SSL_set_accept_state(ssl: *mut SSL);
    /// See SSL_in_init(3).
    pub fn SSL_is_init_finished(ssl: *const SSL) -> c_int;
    /// See SSL_get_error(3).
    pub fn SSL_get_error(ssl: *const SSL, returned: c_int) -> c_int;
    /// See SSL_read(3).
    pub fn SSL_read(ssl: *mut SSL, out: *mut c_void, length: c_int) -> c_int;
    /// See SSL_write(3).
    pub fn SSL_write(ssl: *mut SSL, data: *const c_void, length: c_int) -> c_int;
    /// Returns null until a group has been negotiated. See SSL_get0_group_name(3).
    pub fn SSL_get0_group_name(ssl: *mut SSL) -> *const c_char;
    /// See SSL_session_reused(3).
    pub fn SSL_session_reused(ssl: *const SSL) -> c_int;
    /// Returns a reference that the caller owns. See SSL_get_session(3).
    pub fn SSL_get1_session(ssl: *mut SSL) -> *mut SSL_SESSION;
    /// Takes its own reference to the session. See SSL_set_session(3).
    pub fn SSL_set_session(ssl: *mut SSL, session: *mut SSL_SESSION) -> c_int;
    /// See SSL_SESSION_is_resumable(3).
    pub fn SSL_SESSION_is_resumable(session: *const SSL_SESSION) -> c_int;
    /// See SSL_SESSION_free(3).
    pub fn SSL_SESSION_free(session: *mut SSL_SESSION);
    /// See SSL_set_shutdown(3).
    pub fn SSL_set_shutdown(ssl: *mut SSL, mode: c_int);

    /// See BIO_new(3).
    pub fn BIO_new(method: *const BIO_METHOD) -> *mut BIO;
    /// See BIO_new(3).
    pub fn BIO_free(bio: *mut BIO) -> c_int;
    /// See BIO_s_mem(3).
    pub fn BIO_s_mem() -> *const BIO_METHOD;
    /// See BIO_read(3).
    pub fn BIO_read(bio: *mut BIO, out: *mut c_void, length: c_int) -> c_int;
    /// See BIO_read(3).
    pub fn BIO_write(bio: *mut BIO, data: *const c_void, length: c_int) -> c_int;
    /// Returns the number of readable bytes. See BIO_ctrl(3).
    pub fn BIO_ctrl_pending(bio: *mut BIO) -> usize;

    /// Parses a PKCS #8 key of any algorithm and advances `*input` past it. See d2i_PrivateKey(3).
    pub fn d2i_AutoPrivateKey_ex(
        key: *mut *mut EVP_PKEY,
        input: *mut *const u8,
        length: c_long,
        libctx: *mut OSSL_LIB_CTX,
        properties: *const c_char,
    ) -> *mut EVP_PKEY;
}
