//! Command lines quoted for a shell.

use pqlab_record::{Case, CoinSource, Parameter, ProtocolKind, RunHeader};
use shlex::Quoter;

/// Returns the command that measures a case again with the settings of its run, quoted for a shell.
pub fn command(header: &RunHeader, case: &Case) -> String {
    let protocol = &header.protocol;
    let mut words = vec!["pqlab".to_owned(), "run".to_owned(), case.workload.clone()];
    let mut flag = |name: &str, value: String| words.extend([format!("--{name}"), value]);
    flag("filter", case.id());
    if case.coins() == Some(CoinSource::Exact) {
        flag("coins", CoinSource::Exact.name().to_owned());
    }
    for parameter in &case.parameters {
        match parameter {
            Parameter::Number(name, value) => {
                let options = [
                    (Parameter::LENGTH, "lengths"),
                    (Parameter::KEYS, "keys"),
                    (Parameter::THREADS, "threads"),
                    (Parameter::TASKS, "tasks"),
                    (Parameter::WORKERS, "workers"),
                ];
                if let Some((_, option)) = options.iter().find(|(parameter, _)| parameter == name) {
                    flag(option, value.to_string());
                }
            }
            Parameter::Word(name, value) if name == Parameter::STATE => flag("state", value.clone()),
            Parameter::Word(name, _) | Parameter::Flag(name)
                if [Parameter::DETERMINISTIC, Parameter::PREHASH, Parameter::MESSAGES].contains(&name.as_str()) =>
            {
                flag("variant", name.clone());
            }
            Parameter::Word(..) | Parameter::Flag(_) => {}
        }
    }
    match protocol.kind {
        ProtocolKind::Reference => flag("protocol", "reference".to_owned()),
        ProtocolKind::Adaptive => {
            flag("precision", protocol.precision_pct.to_string());
            flag("max-time", protocol.max_time_s.to_string());
            flag("processes", protocol.processes.to_string());
        }
        ProtocolKind::Fixed => {
            if let Some(iterations) = protocol.iterations {
                flag("iterations", iterations.to_string());
            }
            flag("warmup", protocol.warmup.to_string());
            flag("trim", protocol.trim_pct.to_string());
            flag("processes", protocol.processes.to_string());
        }
    }
    if let Some(batch) = protocol.batch {
        flag("batch", batch.to_string());
    }
    flag("seed", header.seed.to_string());
    shell_line(&words)
}

/// Joins words into a line, quoted so that a shell splits the line into the same words. Keeps NUL bytes, although no
/// command line can contain them.
pub fn shell_line(words: &[String]) -> String {
    Quoter::new().allow_nul(true).join(words.iter().map(String::as_str)).expect("only NUL bytes are rejected")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    #[test]
    fn commands_select_exactly_the_case() {
        let mut run = fixtures::run();
        let wanted = "pqlab run kem --filter kem/ML-KEM-768/encapsulate@liboqs --precision 1 --max-time 1.5 --processes 8 \
                      --seed 1";
        assert_eq!(command(&run.header, &run.records[0].case), wanted);
        let wanted = "pqlab run signature --filter 'signature/ML-DSA-65/verify[encoded,len=1024,deterministic,regime=disk]@\
                      libcrux:avx2' --lengths 1024 --variant deterministic --precision 1 --max-time 1.5 --processes 8 --seed 1";
        assert_eq!(command(&run.header, &run.records[4].case), wanted);
        run.records[0].case.algorithm = "it's; rm -rf".to_owned();
        let words = shlex::split(&command(&run.header, &run.records[0].case)).unwrap();
        assert_eq!(words[3..5], ["--filter", "kem/it's; rm -rf/encapsulate@liboqs"]);
    }
}
