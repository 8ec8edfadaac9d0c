//! A stream in memory. Whoever drives the connection delivers the bytes that the stream's owner reads, and takes the
//! bytes that the owner writes.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// One end of the stream. Clones share the buffers.
#[derive(Clone, Default)]
pub(crate) struct Wire(Arc<Mutex<Buffers>>);

#[derive(Default)]
struct Buffers {
    incoming: Vec<u8>,
    /// Number of bytes of `incoming` that the owner has read.
    read: usize,
    outgoing: Vec<u8>,
    /// Task that waits for bytes.
    reader: Option<Waker>,
    is_closed: bool,
}

impl Wire {
    fn lock(&self) -> MutexGuard<'_, Buffers> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives bytes to the owner, and wakes the task that waits for them.
    pub(crate) fn deliver(&self, bytes: &[u8]) {
        let mut buffers = self.lock();
        buffers.incoming.extend_from_slice(bytes);
        let reader = if bytes.is_empty() { None } else { buffers.reader.take() };
        drop(buffers);
        if let Some(reader) = reader {
            reader.wake();
        }
    }

    /// Replaces `out` with the bytes that the owner has written since the last call.
    pub(crate) fn take(&self, out: &mut Vec<u8>) {
        out.clear();
        std::mem::swap(&mut self.lock().outgoing, out);
    }

    /// Closes the stream. The owner reads the end of the stream, and cannot write.
    pub(crate) fn close(&self) {
        let mut buffers = self.lock();
        buffers.is_closed = true;
        let reader = buffers.reader.take();
        drop(buffers);
        if let Some(reader) = reader {
            reader.wake();
        }
    }
}

impl AsyncRead for Wire {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, out: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let mut buffers = self.lock();
        let there = &buffers.incoming[buffers.read..];
        if !there.is_empty() {
            let length = there.len().min(out.remaining());
            out.put_slice(&there[..length]);
            buffers.read += length;
            if buffers.read == buffers.incoming.len() {
                buffers.incoming.clear();
                buffers.read = 0;
            }
        } else if !buffers.is_closed {
            buffers.reader = Some(context.waker().clone());
            return Poll::Pending;
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Wire {
    fn poll_write(self: Pin<&mut Self>, _context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let mut buffers = self.lock();
        if buffers.is_closed {
            return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()));
        }
        buffers.outgoing.extend_from_slice(bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
