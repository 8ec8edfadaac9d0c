//! One side of a connection that uses OpenSSL.

use super::{Session, Shared, check, library};
use crate::credentials::SERVER_NAME_C;
use crate::{Authentication, Endpoint, Error, Group, Result};
use pqlab_openssl_sys as sys;
use std::ffi::{c_char, c_int};
use std::ptr::{self, NonNull};

pub(super) struct Connection {
    ssl: NonNull<sys::SSL>,
    /// Memory stream of received records, owned by `ssl`.
    incoming: NonNull<sys::BIO>,
    /// Memory stream of outgoing records, owned by `ssl`.
    outgoing: NonNull<sys::BIO>,
    /// Whether this side is a client that has not yet sent its first flight.
    speaks_first: bool,
}

// SAFETY: OpenSSL does not bind a connection to a thread. The type is not `Sync`, so two threads
// cannot use a connection at the same time.
unsafe impl Send for Connection {}

impl Connection {
    pub(super) fn new(shared: &Shared, is_client: bool, session: Option<&Session>) -> Result<Connection> {
        // SAFETY: the context is valid, and the new connection holds a reference to it. The connection also takes
        // ownership of the streams.
        let connection = unsafe {
            let ssl = NonNull::new(sys::SSL_new(shared.0.as_ptr())).ok_or_else(|| library("SSL_new"))?;
            let [incoming, outgoing] = [sys::BIO_new(sys::BIO_s_mem()), sys::BIO_new(sys::BIO_s_mem())];
            let (Some(incoming), Some(outgoing)) = (NonNull::new(incoming), NonNull::new(outgoing)) else {
                // Freeing null is a no-op.
                sys::BIO_free(incoming);
                sys::BIO_free(outgoing);
                sys::SSL_free(ssl.as_ptr());
                return Err(library("BIO_new"));
            };
            sys::SSL_set_bio(ssl.as_ptr(), incoming.as_ptr(), outgoing.as_ptr());
            Connection { ssl, incoming, outgoing, speaks_first: is_client }
        };
        let ssl = connection.ssl.as_ptr();
        if !is_client {
            // SAFETY: the connection is valid.
            unsafe { sys::SSL_set_accept_state(ssl) };
            return Ok(connection);
        }
        let name = SERVER_NAME_C;
        // SAFETY: the connection is valid. The name is a C string, which OpenSSL copies. OpenSSL
        // takes its own reference to the session.
        unsafe {
            sys::SSL_set_connect_state(ssl);
            check("SSL_set1_dnsname", sys::SSL_set1_dnsname(ssl, name.as_ptr()))?;
            let named = sys::SSL_ctrl(ssl, sys::SSL_CTRL_SET_TLSEXT_HOSTNAME, 0, name.as_ptr().cast_mut().cast());
            check("SSL_set_tlsext_host_name", named)?;
            if let Some(session) = session {
                check("SSL_set_session", sys::SSL_set_session(ssl, session.0.as_ptr()))?;
            }
        }
        Ok(connection)
    }

    /// Sets the number of tickets that a server sends on this connection.
    pub(super) fn give_out(&self, tickets: usize) -> Result<()> {
        // SAFETY: the connection is valid.
        check("SSL_set_num_tickets", unsafe { sys::SSL_set_num_tickets(self.ssl.as_ptr(), tickets) })
    }

    /// Returns the session, for resuming it in later connections.
    pub(super) fn session(&self) -> Result<Session> {
        // SAFETY: the connection is valid, and this code owns the returned reference.
        let session = Session::new("SSL_get1_session", unsafe { sys::SSL_get1_session(self.ssl.as_ptr()) })?;
        // SAFETY: the session is valid.
        check("SSL_SESSION_is_resumable", unsafe { sys::SSL_SESSION_is_resumable(session.0.as_ptr()) })?;
        Ok(session)
    }

    /// Continues the handshake as far as the received records allow.
    fn drive(&mut self) -> Result<()> {
        // SAFETY: the connection is valid.
        let returned = unsafe { sys::SSL_do_handshake(self.ssl.as_ptr()) };
        if returned == 1 { Ok(()) } else { self.waits("SSL_do_handshake", returned) }
    }

    /// Returns `Ok` if a call failed only because OpenSSL needs more input.
    fn waits(&self, call: &'static str, returned: c_int) -> Result<()> {
        // SAFETY: the connection is valid, and `returned` is the result of the last call on it.
        match unsafe { sys::SSL_get_error(self.ssl.as_ptr(), returned) } {
            sys::SSL_ERROR_WANT_READ => Ok(()),
            _ => Err(library(call)),
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // SAFETY: this value owns the connection, which is valid and not used afterwards. Without the shutdown flags,
        // OpenSSL would mark the session as not resumable.
        unsafe {
            sys::SSL_set_shutdown(self.ssl.as_ptr(), sys::SSL_SENT_AND_RECEIVED_SHUTDOWN);
            sys::SSL_free(self.ssl.as_ptr());
        }
    }
}

impl Endpoint for Connection {
    fn receive(&mut self, records: &[u8]) -> Result<()> {
        let length = c_int::try_from(records.len()).map_err(|_| TOO_LONG)?;
        if length > 0 {
            // SAFETY: the connection owns the stream. The pointer refers to `length` bytes, which OpenSSL copies.
            check("BIO_write", unsafe { sys::BIO_write(self.incoming.as_ptr(), records.as_ptr().cast(), length) })?;
        }
        if self.is_done() { Ok(()) } else { self.drive() }
    }

    fn send(&mut self, out: &mut Vec<u8>) -> Result<()> {
        if std::mem::take(&mut self.speaks_first) {
            self.drive()?;
        }
        // SAFETY: the connection owns the stream.
        let pending = unsafe { sys::BIO_ctrl_pending(self.outgoing.as_ptr()) };
        if pending == 0 {
            return Ok(());
        }
        let (start, length) = (out.len(), c_int::try_from(pending).map_err(|_| TOO_LONG)?);
        out.resize(start + pending, 0);
        // SAFETY: the connection owns the stream. The pointer refers to `length` writable bytes.
        let read = unsafe { sys::BIO_read(self.outgoing.as_ptr(), out[start..].as_mut_ptr().cast(), length) };
        if read == length { Ok(()) } else { Err(library("BIO_read")) }
    }

    fn is_done(&self) -> bool {
        // SAFETY: the connection is valid.
        unsafe { sys::SSL_is_init_finished(self.ssl.as_ptr()) == 1 }
    }

    fn group(&self) -> Option<Group> {
        // SAFETY: the connection is valid. The name is null or a string that lives as long as the context.
        Group::named(&unsafe { sys::text(sys::SSL_get0_group_name(self.ssl.as_ptr())) }?)
    }

    fn peer_signature(&self) -> Option<Authentication> {
        let mut name: *const c_char = ptr::null();
        // SAFETY: the connection is valid. The command writes a pointer to a string that lives as long as the context.
        let name = unsafe {
            let room = (&raw mut name).cast();
            let known = sys::SSL_ctrl(self.ssl.as_ptr(), sys::SSL_CTRL_GET_PEER_SIGNATURE_NAME, 0, room) == 1;
            if known { sys::text(name) } else { None }
        }?;
        Authentication::ALL.into_iter().find(|algorithm| algorithm.scheme() == Some(&name))
    }

    fn is_resumed(&self) -> bool {
        // SAFETY: the connection is valid.
        unsafe { sys::SSL_session_reused(self.ssl.as_ptr()) == 1 }
    }

    fn write(&mut self, data: &[u8]) -> Result<()> {
        let length = c_int::try_from(data.len()).map_err(|_| TOO_LONG)?;
        // SAFETY: the connection is valid, and the pointer refers to `length` bytes.
        check("SSL_write", unsafe { sys::SSL_write(self.ssl.as_ptr(), data.as_ptr().cast(), length) })
    }

    fn read(&mut self, out: &mut [u8]) -> Result<usize> {
        let length = c_int::try_from(out.len()).map_err(|_| TOO_LONG)?;
        // SAFETY: the connection is valid, and the pointer refers to `length` writable bytes.
        let read = unsafe { sys::SSL_read(self.ssl.as_ptr(), out.as_mut_ptr().cast(), length) };
        match usize::try_from(read) {
            Ok(read) if read > 0 => Ok(read),
            _ => self.waits("SSL_read", read).map(|()| 0),
        }
    }
}

const TOO_LONG: Error = Error::Unsupported("the length does not fit in a C int, which OpenSSL requires");
