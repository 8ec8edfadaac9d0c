//! Example of a program that embeds the laboratory. It measures two KEMs and also acts as its own worker.

use pqlab_lab::{
    Filters, LabError, Laboratory, ProtocolOverrides, RunRequest, Suite, WorkerProgram, results, run_if_worker,
};
use std::io::{self, Write};
use std::sync::atomic::AtomicBool;

fn main() -> Result<(), LabError> {
    run_if_worker();
    let laboratory = Laboratory::new(WorkerProgram::this()?);
    let kems = ["kem/ML-KEM-768/encapsulate@rustcrypto", "kem/X25519/encapsulate@rustcrypto"];
    let filters = Filters { ids: kems.map(str::to_owned).to_vec(), ..Filters::default() };
    let briefly = ProtocolOverrides { processes: Some(3), max_time_s: Some(0.3), ..ProtocolOverrides::default() };
    let plan = laboratory.plan(&[Suite::find("kem")?], &filters, &briefly, &mut |_| {})?;
    let stop = AtomicBool::new(false);
    let run = laboratory.measure(plan, &RunRequest::default(), &mut (), &stop)?;
    for result in results(&run).iter().filter(|result| kems.contains(&result.case.id().as_str())) {
        let line = match &result.outcome {
            Ok(found) => format!(
                "{}: {:.0} ns ±{:.1}%",
                result.case.id(),
                found.median_ns.estimate,
                found.median_ns.half_width_pct()
            ),
            Err(reason) => format!("{}: {reason}", result.case.id()),
        };
        writeln!(io::stdout(), "{line}").map_err(|error| LabError::System { attempt: "cannot print".into(), error })?;
    }
    Ok(())
}
