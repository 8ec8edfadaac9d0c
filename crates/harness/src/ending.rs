//! Describes how a process ended.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

/// Returns the likely cause of a signal that ended a process, and what to do. `None` if the cause is unknown.
pub(crate) fn cause(signal: i32) -> Option<&'static str> {
    Some(match signal {
        libc::SIGILL => {
            "illegal instruction: the library executed a trap, or an instruction that this processor lacks; \
             rebuild it for this processor"
        }
        libc::SIGSEGV => "invalid memory access, or the stack is too small: try `ulimit -s unlimited`",
        libc::SIGBUS => "invalid memory access, or a file that changed while it was loaded",
        libc::SIGFPE => "arithmetic error, such as a division by zero",
        libc::SIGABRT => "abort, because a check failed or the stack is too small: try `ulimit -s unlimited`",
        libc::SIGSYS => "a system call that a sandbox forbids",
        libc::SIGKILL => "sent by another process or by the kernel, for example because memory ran out",
        _ => return None,
    })
}

/// Describes how a process ended too early: the signal with its likely cause, or the exit code.
pub fn ending(status: ExitStatus) -> String {
    match status.signal().and_then(cause) {
        Some(cause) => format!("{status}: {cause}"),
        None if status.success() => format!("{status} (a library called `exit`)"),
        None => status.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_are_explained() {
        let signal = |signal: i32| ending(ExitStatus::from_raw(signal));
        assert!(signal(libc::SIGILL).contains("SIGILL") && signal(libc::SIGILL).contains("illegal instruction"));
        assert!(signal(libc::SIGSEGV).contains("signal: 11") && signal(libc::SIGSEGV).contains("ulimit -s"));
        assert!(signal(libc::SIGABRT).contains("ulimit -s"), "an overflow of the main thread's stack ends in SIGABRT");
        assert_eq!(ending(ExitStatus::from_raw(1 << 8)), "exit status: 1");
        assert_eq!(ending(ExitStatus::from_raw(0)), "exit status: 0 (a library called `exit`)");
        assert!([libc::SIGILL, libc::SIGSEGV, libc::SIGUSR1].into_iter().all(|number| !signal(number).contains('\n')));
    }
}
