//! Requests: cases, visits and answers.

use crate::Failure;
use crate::message::{number, receive, send};
use crate::set::{Prepared, Set, nothing};
use std::collections::BTreeMap;
use std::env;
use std::io;
use std::panic;
use std::process::ExitCode;
use std::time::Instant;

/// Version of the protocol.
const VERSION: &str = "1";
/// Maximum number of input sets of a case.
const MOST_SETS: u64 = 4096;
/// Maximum number of operations in a visit.
const MOST_OPERATIONS: u64 = 1 << 32;

/// Operation of an algorithm.
pub(crate) struct Operation {
    pub(crate) name: &'static str,
    /// Minimum number of inputs. Cases use this number.
    pub(crate) least: usize,
    /// Maximum number of inputs in a `call`.
    pub(crate) most: usize,
    pub(crate) prepare: fn(&[&[u8]]) -> Prepared,
    /// Reason why the operation cannot be timed, or `None` if it can.
    pub(crate) untimed: Option<&'static str>,
}

impl Operation {
    pub(crate) const fn new(
        name: &'static str,
        least: usize,
        most: usize,
        prepare: fn(&[&[u8]]) -> Prepared,
    ) -> Operation {
        Operation { name, least, most, prepare, untimed: None }
    }
}

static NULL: Operation = Operation::new("null", 0, 0, nothing);

/// Algorithm that a worker offers.
pub struct Offer {
    pub(crate) algorithm: &'static str,
    /// The offer in the answer to `list`.
    pub(crate) text: String,
    pub(crate) operations: Vec<Operation>,
}

/// Answers requests until `goodbye` or the end of the input. Prints the library's version if the only argument is
/// `--version`. `library` is the name of the library's crate, and `generator` describes the source of random numbers.
pub fn main(library: &'static str, generator: &'static str, offers: &[Offer]) -> ExitCode {
    // `build.sh` sets both variables.
    let library = option_env!("PQLAB_LIBRARY").unwrap_or(library);
    let compiler = option_env!("PQLAB_COMPILER").unwrap_or("rustc of unknown version");
    if env::args().skip(1).eq(["--version"]) {
        println!("{library}");
        return ExitCode::SUCCESS;
    }
    // pqlab reports the last line of standard error.
    panic::set_hook(Box::new(|panic| eprintln!("pqlab worker in Rust: {}", one_line(&panic.to_string()))));
    let mut worker =
        Worker { greeting: [VERSION, "rust", compiler, library, generator], offers, cases: BTreeMap::new() };
    match worker.serve(&mut io::stdin().lock(), &mut io::stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("pqlab worker in Rust: {error}");
            ExitCode::FAILURE
        }
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A prepared case.
struct Case {
    /// The input sets, at least one.
    sets: Vec<Box<dyn Set>>,
    /// Index of the first set in the latest visit, and the number of sets that the visit used.
    used: (usize, usize),
}

struct Worker<'a> {
    greeting: [&'static str; 5],
    offers: &'a [Offer],
    cases: BTreeMap<u64, Case>,
}

type Outputs = Result<Vec<Vec<u8>>, Failure>;

fn wrong_fields() -> Failure {
    Failure::Error("wrong number of fields, or invalid number".to_owned())
}

impl Worker<'_> {
    fn serve(&mut self, input: &mut impl io::Read, output: &mut impl io::Write) -> io::Result<()> {
        while let Some(fields) = receive(input)? {
            let (verb, fields): (&[u8], Vec<&[u8]>) = (&fields[0], fields[1..].iter().map(Vec::as_slice).collect());
            let answer = self.answer(verb, &fields);
            let is_last = verb == b"goodbye" && answer.is_ok();
            let message = match answer {
                Ok(outputs) => [vec![b"ok".to_vec()], outputs].concat(),
                Err(Failure::Unsupported(reason)) => vec![b"unsupported".to_vec(), reason.into()],
                Err(Failure::Error(reason)) => vec![b"error".to_vec(), one_line(&reason).into()],
            };
            send(output, &message)?;
            // After the answer, because pqlab compares the reported time with the time until the answer.
            self.cases.values_mut().flat_map(|case| &mut case.sets).for_each(|set| set.drop_replaced());
            if is_last {
                break;
            }
        }
        Ok(())
    }

    fn answer(&mut self, verb: &[u8], fields: &[&[u8]]) -> Outputs {
        match (verb, fields) {
            (b"hello", [version]) if number(version).is_some_and(|version| version >= 1) => {
                Ok(self.greeting.map(|text| text.as_bytes().to_vec()).to_vec())
            }
            (b"list", []) => Ok(self.offers.iter().map(|offer| offer.text.clone().into()).collect()),
            (b"call", [operation, algorithm, inputs @ ..]) => self.call(operation, algorithm, inputs),
            (b"prepare", [handle, operation, algorithm, count, inputs @ ..]) => {
                self.prepare(handle, operation, algorithm, count, inputs)
            }
            (b"visit", [handle, first, n]) => self.visit(handle, first, n),
            (b"answers", [handle]) => self.answers(handle),
            (b"release", [handle]) => {
                let handle = self.known(handle)?;
                self.cases.remove(&handle);
                Ok(Vec::new())
            }
            (b"goodbye", []) => Ok(Vec::new()),
            (b"hello" | b"list" | b"call" | b"prepare" | b"visit" | b"answers" | b"release" | b"goodbye", _) => {
                Err(wrong_fields())
            }
            _ => Err(Failure::Unsupported("unknown request")),
        }
    }

    fn find(&self, operation: &[u8], algorithm: &[u8]) -> Result<&Operation, Failure> {
        let offers = self.offers.iter().filter(|offer| offer.algorithm.as_bytes() == algorithm);
        let mut operations = offers.flat_map(|offer| &offer.operations);
        let found = operations.find(|known| known.name.as_bytes() == operation);
        found.ok_or(Failure::Unsupported("not offered"))
    }

    fn call(&self, operation: &[u8], algorithm: &[u8], inputs: &[&[u8]]) -> Outputs {
        let operation = self.find(operation, algorithm)?;
        if !(operation.least..=operation.most).contains(&inputs.len()) {
            return Err(wrong_fields());
        }
        let mut set = (operation.prepare)(inputs)?;
        set.run()?;
        set.outputs()
    }

    fn prepare(
        &mut self,
        handle: &[u8],
        operation: &[u8],
        algorithm: &[u8],
        count: &[u8],
        inputs: &[&[u8]],
    ) -> Outputs {
        let is_null = (operation, algorithm) == (b"null", b"null");
        let operation = if is_null { &NULL } else { self.find(operation, algorithm)? };
        if let Some(reason) = operation.untimed {
            return Err(Failure::Unsupported(reason));
        }
        let handle = number(handle).ok_or_else(wrong_fields)?;
        if self.cases.contains_key(&handle) {
            return Err(Failure::Error("the handle is already in use".to_owned()));
        }
        let count = number(count).filter(|count| (1..=MOST_SETS).contains(count)).ok_or_else(wrong_fields)? as usize;
        if inputs.len() != count * operation.least {
            return Err(wrong_fields());
        }
        let inputs = |set: usize| &inputs[set * operation.least..][..operation.least];
        let sets = (0..count).map(|set| (operation.prepare)(inputs(set))).collect::<Result<Vec<_>, _>>()?;
        self.cases.insert(handle, Case { sets, used: (0, 0) });
        Ok(Vec::new())
    }

    fn known(&self, handle: &[u8]) -> Result<u64, Failure> {
        let handle = number(handle).ok_or_else(wrong_fields)?;
        let unknown = || Failure::Error("unknown handle".to_owned());
        self.cases.contains_key(&handle).then_some(handle).ok_or_else(unknown)
    }

    fn case(&mut self, handle: &[u8]) -> Result<&mut Case, Failure> {
        let handle = self.known(handle)?;
        self.cases.get_mut(&handle).ok_or_else(wrong_fields)
    }

    fn visit(&mut self, handle: &[u8], first: &[u8], n: &[u8]) -> Outputs {
        let case = self.case(handle)?;
        let first = number(first).ok_or_else(wrong_fields)?;
        let n = number(n).filter(|n| (1..=MOST_OPERATIONS).contains(n)).ok_or_else(wrong_fields)?;
        let first = (first % case.sets.len() as u64) as usize;
        // A failed visit has no answers.
        case.used = (0, 0);
        let ns = time(&mut case.sets, first, n)?;
        case.used = (first, n.min(case.sets.len() as u64) as usize);
        Ok(vec![ns.to_string().into()])
    }

    fn answers(&mut self, handle: &[u8]) -> Outputs {
        let Case { sets, used: (first, count) } = self.case(handle)?;
        let mut fields = Vec::new();
        for index in (*first..*first + *count).map(|index| index % sets.len()) {
            fields.push(index.to_string().into());
            fields.extend(sets[index].outputs()?);
        }
        Ok(fields)
    }
}

/// Performs `n` operations on the sets in turn. Returns the time in nanoseconds.
fn time(sets: &mut [Box<dyn Set>], first: usize, n: u64) -> Result<u128, Failure> {
    let mut at = first;
    let started = Instant::now();
    for _ in 0..n {
        sets[at].run()?;
        at += 1;
        if at == sets.len() {
            at = 0;
        }
    }
    Ok(started.elapsed().as_nanos())
}
