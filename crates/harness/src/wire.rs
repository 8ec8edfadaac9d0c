//! Messages between coordinator and worker: frames of a length (4 bytes, little-endian) and a message in postcard's
//! encoding. They have their own socket pair, so that a library's output cannot be mistaken for them.

use crate::build_id::BuildId;
use crate::gate::AdditionsPerCycle;
use crate::residue::Residues;
use crate::trial::Demands;
use pqlab_record::{Case, Chunk, CounterChoice, CpuTime, Disturbance};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io::{self, Read, Write};

/// Maximum accepted length of a frame, in bytes: many times what the samples of a visit take.
const LONGEST_FRAME: u32 = 64 << 20;

/// First message of a coordinator. The worker answers with a [`Greeting`], and continues only if both are of one build.
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
    /// Measuring: [`Request`]s follow.
    Measure,
    /// One errand, in words that coordinator and worker agree on: see [`errand`](crate::errand).
    Errand(String),
}

/// Answer of a worker to a [`Hello`].
#[derive(Debug, Serialize, Deserialize)]
pub struct Greeting {
    /// Build of the worker.
    pub build: BuildId,
}

/// Request from the coordinator to a worker.
#[derive(Debug, Serialize, Deserialize)]
pub enum Request {
    /// The first request.
    Begin(Begin),
    /// Checks known answers, prepares the case, and estimates the time of an operation.
    Prepare(Case),
    /// Measures a prepared case.
    Visit(VisitRequest),
    /// Prepares a case with no more calls than its inputs need, and measures its first call.
    FirstCall {
        /// The case.
        case: Case,
        /// The visit: one sample, without warm-up.
        visit: VisitRequest,
    },
    /// Drops a case and everything it holds.
    Release {
        /// Id of the case.
        case: String,
    },
}

/// What a worker must know before its first case.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Begin {
    /// Seed of the run.
    pub seed: u64,
    /// Number of this process within the run.
    pub process: u32,
    /// Counter to use.
    pub counter: CounterChoice,
    /// Rate of the counter as measured by the coordinator, if it is constant.
    pub ticks_per_second: Option<f64>,
    /// Cores to pin to; empty for any.
    pub cpus: Vec<u32>,
    /// Processors that a multi-threaded trial may use; empty for those of the worker.
    pub granted: Vec<u32>,
    /// Address space that the worker may use, in bytes.
    pub memory_limit: u64,
}

/// Extent of one visit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VisitRequest {
    /// Id of the case.
    pub case: String,
    /// Operations per sample.
    pub batch: u64,
    /// Operations to run first without counting them.
    pub warmup: u64,
    /// Maximum number of samples.
    pub samples: u64,
    /// Minimum number of samples of a short operation, whatever the time; 0 for none.
    pub least: u64,
    /// Time after which no further sample starts, in ns. The first is always taken.
    pub budget_ns: u64,
    /// Whether to postpone the visit, without a sample, if the core's other hardware thread is in use when it begins.
    pub may_put_off: bool,
    /// Throughput baselines that any worker has found, in independent additions per cycle.
    pub additions_per_cycle: AdditionsPerCycle,
}

/// Answer of a worker.
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
    /// The current case cannot continue, but the worker can.
    Fault {
        /// Reason, in one line for the user.
        reason: String,
    },
}

/// Facts about a case before it is measured.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Prepared {
    /// Rough time of one operation in ns.
    pub ns_per_operation: f64,
    /// Time of the operation's very first call in this process in ns, including the library's one-time setup. `None` if
    /// the preparation makes no call.
    pub first_call_ns: Option<f64>,
    /// Operations per sample, if the case allows only one number.
    pub batch: Option<u64>,
    /// Other requirements of the trial.
    pub demands: Demands,
}

impl Visited {
    /// Creates the result of a postponed visit: the core's throughput was `pct` percent below the baseline.
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
        }
    }
}

/// Outcome of a visit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Visited {
    /// Counter reading of each sample.
    pub ticks: Vec<u64>,
    /// Wall time of each sample in ns; empty if it follows from the ticks.
    pub wall_ns: Vec<u64>,
    /// Wall time of the whole visit in ns.
    pub visit_ns: u64,
    /// Disturbances of the visit.
    pub disturbances: Vec<Disturbance>,
    /// Estimated core clock in Hz: the mean over the time of its samples.
    pub clock_hz: f64,
    /// Samples between two probes of the core.
    pub chunks: Vec<Chunk>,
    /// CPU time of the thread that did the work; `None` if the trial used its own threads.
    pub cpu_time: Option<CpuTime>,
    /// Processor at the end of the visit; `None` if the system cannot tell.
    pub processor: Option<u32>,
    /// Growth of the worker's resident memory in this visit, in bytes; negative if it shrank.
    pub growth: i64,
    /// Values recorded by the workload.
    pub extra: Vec<(String, Vec<f64>)>,
    /// Throughput baselines known to this worker, in independent additions per cycle.
    pub additions_per_cycle: AdditionsPerCycle,
    /// State that the operation left behind in its thread after more than half of the samples; `None` if it cannot be
    /// read.
    pub residues: Option<Residues>,
}

/// Writes one message as a frame.
///
/// # Errors
/// The stream's errors.
pub fn send(stream: &mut impl Write, message: &impl Serialize) -> io::Result<()> {
    let body = postcard::to_stdvec(message).map_err(io::Error::other)?;
    let length = u32::try_from(body.len()).ok().filter(|&length| length <= LONGEST_FRAME);
    let length = length.ok_or_else(|| io::Error::other(format!("a message of {} bytes is too long", body.len())))?;
    stream.write_all(&length.to_le_bytes())?;
    stream.write_all(&body)?;
    stream.flush()
}

/// Reads one frame; `None` at the end of the stream.
///
/// # Errors
/// The stream's errors, `UnexpectedEof` inside a frame, `InvalidData` for a frame that is too long or not a message.
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
        return Err(io::Error::new(io::ErrorKind::InvalidData, format!("a frame of {length} bytes is too long")));
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
