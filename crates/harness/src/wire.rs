//! What coordinator and worker say to each other: frames of a length (4 bytes, little-endian) and a message in
//! postcard's encoding, over a socket pair of their own, so that nothing that a library prints can be mistaken for it.

use crate::build_id::BuildId;
use crate::gate::AdditionsPerCycle;
use crate::residue::Residues;
use crate::trial::Demands;
use pqlab_record::{Case, Chunk, CounterChoice, CpuTime, Disturbance};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io::{self, Read, Write};

/// The longest frame that is accepted, in bytes: a visit's samples fit many times over.
const LONGEST_FRAME: u32 = 64 << 20;

/// What a coordinator says first. The worker answers with a [`Greeting`], and goes on only where both are of one build.
#[derive(Debug, Serialize, Deserialize)]
pub struct Hello {
    /// The coordinator's build.
    pub build: BuildId,
    /// What the process is wanted for.
    pub task: Task,
}

/// What a worker process is for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Task {
    /// Measuring: [`Request`]s follow.
    Measure,
    /// One errand, in whatever words coordinator and worker agree on: see [`errand`](crate::errand).
    Errand(String),
}

/// A worker's answer to a [`Hello`].
#[derive(Debug, Serialize, Deserialize)]
pub struct Greeting {
    /// The worker's build.
    pub build: BuildId,
}

/// What the coordinator asks of a worker.
#[derive(Debug, Serialize, Deserialize)]
pub enum Request {
    /// The first request.
    Begin(Begin),
    /// Check known answers, ready the case, and say how long an operation takes.
    Prepare(Case),
    /// Measure a case that was prepared before.
    Visit(VisitRequest),
    /// Ready a case without a call more than its inputs need, and measure its first call.
    FirstCall {
        /// The case.
        case: Case,
        /// What to measure: one sample, without warm-up.
        visit: VisitRequest,
    },
    /// Forget a case and what it holds.
    Release {
        /// Its id.
        case: String,
    },
}

/// What a worker must know before its first case.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Begin {
    /// The run's seed.
    pub seed: u64,
    /// Which of the run's processes this is.
    pub process: u32,
    /// The counter to use.
    pub counter: CounterChoice,
    /// Its rate as the coordinator measured it, where it has one.
    pub ticks_per_second: Option<f64>,
    /// The cores to stay on; empty for any.
    pub cpus: Vec<u32>,
    /// The processors that a trial with several threads may use; empty for those on which the worker is.
    pub granted: Vec<u32>,
    /// Address space that the worker may use, in bytes.
    pub memory_limit: u64,
}

/// What to measure in one visit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VisitRequest {
    /// The case's id.
    pub case: String,
    /// Operations in a sample.
    pub batch: u64,
    /// Operations to run first and not to count.
    pub warmup: u64,
    /// Most samples to take.
    pub samples: u64,
    /// Fewest samples to take where they are short, whatever the time; 0 for no such number.
    pub least: u64,
    /// Time after which no further sample is begun, in ns; the first is always taken.
    pub budget_ns: u64,
    /// Whether the visit is put off, without a sample, where somebody uses the core's other hardware thread at its beginning.
    pub may_put_off: bool,
    /// Independent additions a cycle of cores that are not shared, as far as any worker has found.
    pub additions_per_cycle: AdditionsPerCycle,
}

/// What a worker answers.
#[derive(Debug, Serialize, Deserialize)]
pub enum Response {
    /// To [`Request::Begin`].
    Begun,
    /// To [`Request::Prepare`].
    Prepared(Prepared),
    /// To [`Request::Visit`] and [`Request::FirstCall`].
    Visited(Visited),
    /// To [`Request::Release`].
    Released,
    /// The case in hand cannot go on, and why; the worker can.
    Fault {
        /// One line for the user.
        reason: String,
    },
}

/// How a case presents itself before it is measured.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Prepared {
    /// Rough time of one operation in ns.
    pub ns_per_operation: f64,
    /// Time of the very first call of the operation in this process, in ns: with what the library sets up in it. `None` where the
    /// preparation calls nothing.
    pub first_call_ns: Option<f64>,
    /// Operations in a sample, where the case allows one number of them alone.
    pub batch: Option<u64>,
    /// What else it asks for.
    pub demands: Demands,
}

impl Visited {
    /// A visit that was put off: the core was narrower than alone by so many percent.
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

/// The outcome of a visit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Visited {
    /// The counter's reading for each sample.
    pub ticks: Vec<u64>,
    /// Wall time of each sample in ns; empty where it follows from the ticks.
    pub wall_ns: Vec<u64>,
    /// Wall time of the whole visit in ns.
    pub visit_ns: u64,
    /// What disturbed it.
    pub disturbances: Vec<Disturbance>,
    /// Estimated core clock, in Hz: the mean over the time of its samples.
    pub clock_hz: f64,
    /// The samples between two probes of the core.
    pub chunks: Vec<Chunk>,
    /// CPU time of the thread that did the work; `None` where it left it to threads of its own.
    pub cpu_time: Option<CpuTime>,
    /// The processor at the end of the visit; `None` where the system does not tell.
    pub processor: Option<u32>,
    /// By how much the worker's resident memory grew in this visit, in bytes; negative where it shrank.
    pub growth: i64,
    /// What the workload noted.
    pub extra: Vec<(String, Vec<f64>)>,
    /// Independent additions a cycle of cores that are not shared, as far as this worker knows.
    pub additions_per_cycle: AdditionsPerCycle,
    /// What the operation left behind in its thread after more than half of the samples; `None` where there is no reading it.
    pub residues: Option<Residues>,
}

/// Writes one message as a frame.
///
/// # Errors
/// What the stream reports.
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
/// What the stream reports, `UnexpectedEof` inside a frame, `InvalidData` for a frame that is too long or no message.
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
        .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, format!("not a message: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_come_back_and_broken_ones_are_refused() {
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
