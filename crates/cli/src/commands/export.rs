use crate::DONE;
use crate::args::ExportArgs;
use crate::output::{self, BadInput};
use pqlab_lab::report::{Exporter, exporters};
use std::io::{self, Write};

pub(crate) fn run(arguments: &ExportArgs) -> anyhow::Result<u8> {
    let exporter = find(&arguments.format)?;
    let store = arguments.database.open_read_only()?;
    let run = store.load_run(&store.resolve(&arguments.run)?)?;
    match &arguments.out {
        Some(path) => output::write_file(path, |file| Ok(exporter.export(&run, file)?))?,
        None => {
            let mut out = io::BufWriter::new(io::stdout().lock());
            exporter.export(&run, &mut out)?;
            out.flush()?;
        }
    }
    Ok(DONE)
}

/// The exporter of that name.
pub(crate) fn find(format: &str) -> Result<Box<dyn Exporter>, BadInput> {
    let all = exporters();
    let names: Vec<&str> = all.iter().map(|exporter| exporter.name()).collect();
    let unknown = BadInput(format!("no export format is called {format:?}: there are {}", names.join(", ")));
    all.into_iter().find(|exporter| exporter.name() == format).ok_or(unknown)
}
