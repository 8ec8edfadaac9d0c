//! What a workload hands to the harness: something that can be run again and again, and says whether its answers were
//! right.

use pqlab_record::{Case, Disturbance};
use serde::{Deserialize, Serialize};

/// Why a trial cannot go on. A fault ends its case; the rest of the run is not touched.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The library gave an answer that is not the right one.
    #[error("wrong answer: {0}")]
    WrongAnswer(String),
    /// The library reported a failure.
    #[error("{0}")]
    Library(String),
    /// The provider does not offer what the case asks for.
    #[error("unsupported: {0}")]
    Unsupported(String),
}

/// One case in one process, ready to be timed; or, where several threads are measured together, what one of them does, with
/// keys and buffers that no other thread has.
pub trait Trial: Send {
    /// Readies inputs and clears outputs for up to `batch` operations: fresh inputs, rotating keys, and no output that could
    /// pass for a new one. Not timed.
    ///
    /// # Errors
    /// [`Fault`], which ends the case.
    fn setup(&mut self, batch: usize) -> Result<(), Fault>;

    /// Performs `batch` operations. This call, and nothing else, is timed. What is measured on several threads is called several
    /// times after one [`setup`](Self::setup), for as many operations in all as that was for at most.
    ///
    /// # Errors
    /// [`Fault`], which ends the case.
    fn routine(&mut self, batch: usize, recorder: &mut Recorder) -> Result<(), Fault>;

    /// Whether the answers of the last [`routine`](Self::routine) are right. Not timed.
    ///
    /// # Errors
    /// [`Fault::WrongAnswer`], which voids all samples of the case.
    fn verify(&mut self) -> Result<(), Fault>;

    /// Operations in a sample, where only one number of them makes sense: a set of messages that is signed as a whole, or
    /// one operation whose state the next would not find again. `None` leaves it to the rules.
    fn batch(&self) -> Option<u64> {
        None
    }

    /// Notes what is known of the last [`routine`](Self::routine) beyond its time. Not timed; called after each sample.
    ///
    /// # Errors
    /// As [`routine`](Self::routine).
    fn note(&mut self, _recorder: &mut Recorder) -> Result<(), Fault> {
        Ok(())
    }

    /// The processors on which the trial's own threads work, each named once; none where it has no threads of its own, or does
    /// not place them. The harness probes whether their cores are shared.
    fn processors(&self) -> Vec<u32> {
        Vec::new()
    }

    /// What the last [`routine`](Self::routine) took by the clock of the process that performed it, in ns, where that is not this
    /// one. The sample is then that time, as far as the harness's own clock around the routine bears it out.
    fn own_ns(&mut self) -> Option<u64> {
        None
    }

    /// What each operation of the last [`routine`](Self::routine) took in ns, where [a routine is a wave](Demands::wave).
    fn own_samples(&mut self) -> Vec<u64> {
        Vec::new()
    }

    /// The process that performs the operations, where that is not this one: its CPU time is the trial's.
    fn process(&self) -> Option<u32> {
        None
    }

    /// What the trial needs beyond one thread that is timed call by call.
    fn demands(&self) -> Demands {
        Demands::default()
    }
}

/// What a trial asks of the harness. The default is what most need: one thread, and any number of operations in a sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Demands {
    /// The trial works on threads of its own, on all processors that the run [was granted](crate::affinity::granted). It
    /// places them, and tells the recorder what [disturbed](Recorder::disturbed) them; the harness itself then watches for
    /// stolen time and for other loads on the cores of [its processors](Trial::processors) alone. The time of a sample is wall time: cycles and instructions are counted for one thread only.
    pub several_threads: bool,
    /// A sample takes at least so many ns, unless the user asked for a batch.
    pub shortest_sample_ns: u64,
    /// Operations in a sample are a multiple of this, unless the user asked for a batch; 0 and 1 for any number.
    pub multiple_of: u64,
    /// Another process performs the operations and [times](Trial::own_ns) them.
    pub own_time: bool,
    /// A routine is a wave of so many operations at most, each of which is a sample with a [time of its own](Trial::own_samples): they
    /// may be under way at once, or have something between them that is not theirs. 0 where the routine is timed.
    pub wave: u64,
    /// So many samples are taken as [the protocol](pqlab_record::Protocol::handshakes) says, whatever their spread: operations wait
    /// for a network, and their tails are what is asked for.
    pub counted: bool,
}

/// Turns the cases of a plan into trials; implemented by the registry of workloads.
pub trait TrialSource {
    /// Checks known answers and readies the case.
    ///
    /// # Errors
    /// [`Fault::WrongAnswer`] for a known answer that is not given, [`Fault::Unsupported`] where this build lacks what the case
    /// needs, and what the library reports.
    fn prepare(&self, case: &Case, seed: Seed) -> Result<Box<dyn Trial>, Fault>;

    /// Readies the case with as few calls into the library as can be: for a first call in a fresh process. Known answers
    /// were checked in another process before.
    ///
    /// # Errors
    /// As [`prepare`](Self::prepare), but for known answers.
    fn prepare_first_call(&self, case: &Case, seed: Seed) -> Result<Box<dyn Trial>, Fault> {
        self.prepare(case, seed)
    }
}

/// From what a trial draws its inputs: the same seed gives the same inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seed {
    /// The run's seed.
    pub run: u64,
    /// The worker process, so that processes do not share their inputs.
    pub process: u32,
}

/// Takes what a stopwatch around the call cannot say.
#[derive(Debug, Default)]
pub struct Recorder {
    extra: Vec<(String, Vec<f64>)>,
    disturbances: Vec<Disturbance>,
}

impl Recorder {
    /// Notes a value under a name, such as a size in bytes or a delay in ns.
    pub fn note(&mut self, name: &str, value: f64) {
        match self.extra.iter_mut().find(|(key, _)| key == name) {
            Some((_, values)) => values.push(value),
            None => self.extra.push((name.to_owned(), vec![value])),
        }
    }

    /// Tells what disturbed a thread of the trial's own. Of several disturbances of one kind the first is kept.
    pub fn disturbed(&mut self, disturbances: impl IntoIterator<Item = Disturbance>) {
        for disturbance in disturbances {
            let kind = std::mem::discriminant(&disturbance);
            if !self.disturbances.iter().any(|known| std::mem::discriminant(known) == kind) {
                self.disturbances.push(disturbance);
            }
        }
    }

    /// Takes everything that was noted.
    pub fn take(&mut self) -> Vec<(String, Vec<f64>)> {
        std::mem::take(&mut self.extra)
    }

    /// Takes what was told of disturbances.
    pub fn take_disturbances(&mut self) -> Vec<Disturbance> {
        std::mem::take(&mut self.disturbances)
    }
}
