//! What ties a worker to its coordinator: a worker must not outlive it, not even one that hangs inside a library and will
//! never look at its stream again.
//!
//! On Linux the kernel sees to it, without a thread in the worker, whose mere existence would change what is measured (the
//! C library's allocator locks only where there is more than one), and without any wake-up. It kills a worker when the
//! *thread* ends that started it: so workers belong to one, which [`ProcessPool`](crate::process::ProcessPool) enforces by
//! being neither sent nor shared between threads. Elsewhere a thread of the worker sleeps until the stream is hung up.

use std::io;
use std::os::unix::net::UnixStream;
use std::process::Command;

/// Has the process that the command starts killed when the calling thread ends, from before its program begins. Where the
/// system cannot, the program itself must [see to it](tie_to).
#[cfg(target_os = "linux")]
pub(crate) fn tie(command: &mut Command) {
    use nix::errno::Errno;
    use nix::sys::{prctl, signal::Signal};
    use nix::unistd::{getpid, getppid};
    use std::os::unix::process::CommandExt;
    let coordinator = getpid();
    let tie = move || {
        prctl::set_pdeathsig(Signal::SIGKILL)?;
        // One that had ended by then would never be heard of.
        if getppid() == coordinator { Ok(()) } else { Err(Errno::ESRCH.into()) }
    };
    // SAFETY: between fork and exec it makes two system calls, allocates nothing and takes no lock.
    unsafe { command.pre_exec(tie) };
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn tie(_: &mut Command) {}

/// The worker's part: ties this process to whoever has the other end of the stream.
#[cfg(target_os = "linux")]
pub(crate) fn tie_to(_: &UnixStream) -> io::Result<()> {
    // Again: a program with capabilities of its own loses it when it is executed. A coordinator that ended before is found
    // missing by the first read, before any library is called.
    Ok(nix::sys::prctl::set_pdeathsig(nix::sys::signal::Signal::SIGKILL)?)
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn tie_to(stream: &UnixStream) -> io::Result<()> {
    use nix::sys::signal::{Signal, kill};
    let stream = stream.try_clone()?;
    let watching = std::thread::Builder::new().name("tether".into()).spawn(move || {
        if wait_until_hung_up(&stream).is_ok() {
            // No destructor and no handler: the library that hangs may hold any lock.
            kill(nix::unistd::Pid::this(), Signal::SIGKILL).ok();
        }
    })?;
    drop(watching);
    Ok(())
}

/// Sleeps until nobody has the stream's other end any more, whatever is said on it until then.
#[cfg(any(test, not(target_os = "linux")))]
fn wait_until_hung_up(stream: &UnixStream) -> io::Result<()> {
    use nix::errno::Errno;
    use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
    use std::os::fd::AsFd;
    loop {
        // No event is asked for: of a hang-up one is told all the same.
        let mut watched = [PollFd::new(stream.as_fd(), PollFlags::empty())];
        match poll(&mut watched, PollTimeout::NONE) {
            Ok(0) | Err(Errno::EINTR) => {}
            Ok(_) => return Ok(()),
            Err(error) => return Err(error.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::sync::mpsc;
    use std::time::Duration;

    #[test]
    fn what_is_said_is_no_hang_up() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let (tell, told) = mpsc::channel();
        let watching = std::thread::spawn(move || tell.send(wait_until_hung_up(&theirs).is_ok()).unwrap());
        (&ours).write_all(b"a request").unwrap();
        assert!(told.recv_timeout(Duration::from_millis(100)).is_err(), "it was woken by a message");
        drop(ours);
        assert!(told.recv().unwrap());
        watching.join().unwrap();
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_a_thread_started_ends_with_it() {
        let mut child = std::thread::spawn(|| {
            let mut command = Command::new("/bin/sh");
            command.args(["-c", "exec sleep 1000"]);
            tie(&mut command);
            command.spawn().unwrap()
        })
        .join()
        .unwrap();
        use std::os::unix::process::ExitStatusExt;
        assert_eq!(child.wait().unwrap().signal(), Some(9));
    }
}
