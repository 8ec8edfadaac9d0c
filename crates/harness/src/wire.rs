//! Messages between coordinator and worker. Each frame is a length (4 bytes, little-endian) followed by a message in
//! postcard's encoding. Frames use a separate socket pair, so that the coordinator cannot mistake a library's output
//! for a message.

use crate::build_id::BuildId;
use crate::gate::AdditionsPerCycle;
use crate::residue::Residues;
use crate::trial::Demands;
use pqlab_record::{Case, Chunk, CounterChoice, CpuTime, Disturbance, Offsets};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io::{self, Read, Write};

/// Maximum accepted length of a frame, in bytes. The samples of a visit take much less.
const LONGEST_FRAME: u32 = 64 << 20;

/// First message from a coordinator. The worker answers with a [`Greeting`], and continues only if the builds are
/// equal.
#[derive(Debug, Serialize, Deserialize)]
pub struct Hello {
    /// Build of the coordinator.
    pub build: BuildId,
    /// Task of the process.
    pub task: Task,
}

/// Task of a worker process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Task {
    /// Measure cases, according to the [`Request`]s that follow.
    Measure,
    /// Run one errand, described by a string that coordinator and worker agree on: see [`errand`](crate::errand).
    Errand(String),
}

/// A worker's answer to a [`Hello`].
#[derive(Debug, Serialize, Deserialize)]
pub struct Greeting {
    /// Build of the worker.
    pub build: BuildId,
}

/// Request from the coordinator to a worker.
#[derive(Debug, Serialize, Deserialize)]
pub enum Request {
    /// Configures the worker. Always the first request.
    Begin(Begin),
    /// Checks known answers, prepares the case, and estimates the time of an operation.
    Prepare(Case),
    /// Measures a prepared case.
    Visit(VisitRequest),
    /// Prepares a case with as few library calls as its inputs need, and measures its first call.
    FirstCall {
        /// The case.
        case: Case,
        /// The visit: one sample, without warm-up.
        visit: VisitRequest,
    },
    /// Frees a case and its memory.
    Release {
        /// Id of the case.
        case: String,
    },
}

/// Settings that a worker needs before its first case.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Begin {
    /// Seed of the run.
    pub seed: u64,
    /// Number of the process whose inputs this process uses: usually its own number within the run.
    pub inputs: u32,
    /// Planned memory layout of this process.
    pub offsets: Offsets,
    /// Counter that the worker uses.
    pub counter: CounterChoice,
    /// Counter rate measured by the coordinator, in ticks per second, if the rate is constant.
    pub ticks_per_second: Option<f64>,
    /// Processors to pin the worker to. Empty to leave it unpinned.
    pub cpus: Vec<u32>,
    /// Processors that a multi-threaded trial may use. If empty, the trial uses the worker's processors.
    pub granted: Vec<u32>,
    /// Address space that the worker may use, in bytes.
    pub memory_limit: u64,
}

/// Size and limits of one visit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VisitRequest {
    /// Id of the case.
    pub case: String,
    /// Operations per sample.
    pub batch: u64,
    /// Number of warm-up operations, which are not counted.
    pub warmup: u64,
    /// Maximum number of samples.
    pub samples: u64,
    /// Minimum number of samples; 0 for no minimum. If samples are short, the worker takes this many even after
    /// `budget_ns`.
    pub least: u64,
    /// Time after which no further sample starts, in ns. The first sample is always taken.
    pub budget_ns: u64,
    /// Expected time of the visit in ns, without checks and probes.
    pub expected_ns: u64,
    /// Whether the worker may postpone the visit if a load is using the core's other hardware thread when the visit
    /// begins. A postponed visit takes no samples.
    pub may_put_off: bool,
    /// Whether only time in which no load shares the core uses up `budget_ns`. A visit may then take three times as
    /// long.
    pub patient: bool,
    /// Throughput baselines that all workers have found so far, in independent additions per cycle of an unshared core.
    pub additions_per_cycle: AdditionsPerCycle,
}

/// A worker's answer to a request.
#[derive(Debug, Serialize, Deserialize)]
pub enum Response {
    /// Answers [`Request::Begin`].
    Begun,
    /// Answers [`Request::Prepare`].
    Prepared(Prepared),
    /// Answers [`Request::Visit`] and [`Request::FirstCall`].
    Visited(Visited),
    /// Answers [`Request::Release`].
    Released,
    /// The current case failed, but the worker can continue.
    Fault {
        /// Reason, as one line of text for the user.
        reason: String,
    },
}

/// Properties of a prepared case.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Prepared {
    /// Rough estimate of the time per operation, in ns.
    pub ns_per_operation: f64,
    /// Time, in ns, of the operation's very first call in this process, including the library's one-time setup. `None`
    /// if the preparation makes no call.
    pub first_call_ns: Option<f64>,
    /// Number of operations per sample, if the case allows only one number.
    pub batch: Option<u64>,
    /// Other requirements of the trial.
    pub demands: Demands,
}

impl Visited {
    /// Returns the result of a visit that was postponed because the core's throughput was `pct` percent below its
    /// baseline.
    pub(crate) fn put_off(pct: f64, visit_ns: u64, additions_per_cycle: AdditionsPerCycle) -> Visited {
        Visited {
            ticks: Vec::new(),
            wall_ns: Vec::new(),
            visit_ns,
            disturbances: vec![Disturbance::SharedCore { pct, kept: false }],
            clock_hz: 0.0,
            chunks: Vec::new(),
            cpu_time: None,
            processor: None,
            growth: 0,
            extra: Vec::new(),
            additions_per_cycle,
            residues: None,
            offsets: None,
        }
    }
}

/// Outcome of a visit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Visited {
    /// Number of ticks for each sample.
    pub ticks: Vec<u64>,
    /// Wall time of each sample in ns. Empty if the ticks already give the time.
    pub wall_ns: Vec<u64>,
    /// Wall time of the whole visit in ns.
    pub visit_ns: u64,
    /// Disturbances during the visit.
    pub disturbances: Vec<Disturbance>,
    /// Estimated core clock rate in Hz, averaged over the time of the samples.
    pub clock_hz: f64,
    /// Groups of samples, each between two probes of the core. Empty if the trial uses several threads.
    pub chunks: Vec<Chunk>,
    /// CPU time of the thread that did the work; `None` if the trial's own threads did the work.
    pub cpu_time: Option<CpuTime>,
    /// Processor at the end of the visit. `None` if the system does not report it.
    pub processor: Option<u32>,
    /// Growth of the worker's resident memory during this visit, in bytes. Negative if the memory shrank.
    pub growth: i64,
    /// Values that the trial recorded, by name.
    pub extra: Vec<(String, Vec<f64>)>,
    /// Throughput baselines that this worker knows, in independent additions per cycle of an unshared core.
    pub additions_per_cycle: AdditionsPerCycle,
    /// Leftover register state that was present after more than half of the samples. `None` if the state cannot be
    /// read.
    pub residues: Option<Residues>,
    /// Memory layout of this process. `None` if the process could not follow the plan, or if another process or several
    /// threads did the work.
    pub offsets: Option<Offsets>,
}

/// Writes one message as a frame.
///
/// # Errors
/// Errors from the stream, and an error if the message is too long.
pub fn send(stream: &mut impl Write, message: &impl Serialize) -> io::Result<()> {
    let body = postcard::to_stdvec(message).map_err(io::Error::other)?;
    let length = u32::try_from(body.len()).ok().filter(|&length| length <= LONGEST_FRAME);
    let too_long = || format!("a message of {} bytes is too long (limit: {LONGEST_FRAME})", body.len());
    let length = length.ok_or_else(|| io::Error::other(too_long()))?;
    stream.write_all(&length.to_le_bytes())?;
    stream.write_all(&body)?;
    stream.flush()
}

/// Reads one frame. `None` at the end of the stream.
///
/// # Errors
/// Errors from the stream, `UnexpectedEof` if the stream ends inside a frame, and `InvalidData` if a frame is too long
/// or is not a valid message.
pub fn receive<M: DeserializeOwned>(stream: &mut impl Read) -> io::Result<Option<M>> {
    let mut length = [0; 4];
    let first = loop {
        match stream.read(&mut length) {
            Ok(0) => return Ok(None),
            Ok(count) => break count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    };
    stream.read_exact(&mut length[first..])?;
    let length = u32::from_le_bytes(length);
    if length > LONGEST_FRAME {
        let text = format!("a frame of {length} bytes is too long (limit: {LONGEST_FRAME})");
        return Err(io::Error::new(io::ErrorKind::InvalidData, text));
    }
    let mut body = vec![0; length as usize];
    stream.read_exact(&mut body)?;
    postcard::from_bytes(&body)
        .map(Some)
        .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, format!("invalid message: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_frames_back_and_rejects_broken_ones() {
        let mut wire = Vec::new();
        send(&mut wire, &Response::Fault { reason: "wrong answer".into() }).unwrap();
        let back: Response = receive(&mut wire.as_slice()).unwrap().unwrap();
        assert!(matches!(back, Response::Fault { reason } if reason == "wrong answer"));

        assert!(receive::<Response>(&mut [].as_slice()).unwrap().is_none());
        for cut in 1..wire.len() {
            assert_eq!(
                receive::<Response>(&mut &wire[..cut]).unwrap_err().kind(),
                io::ErrorKind::UnexpectedEof,
                "cut {cut}"
            );
        }
        let too_long = u32::MAX.to_le_bytes();
        assert_eq!(receive::<Response>(&mut too_long.as_slice()).unwrap_err().kind(), io::ErrorKind::InvalidData);
        let garbage = [1, 0, 0, 0, 0xff];
        assert_eq!(receive::<Response>(&mut garbage.as_slice()).unwrap_err().kind(), io::ErrorKind::InvalidData);
    }
}
