use crate::args::{FleetArgs, FleetCommand, FleetPageArgs, FleetRunArgs};
use crate::package;
use serde_json::json;

pub(crate) fn run(arguments: &FleetArgs) -> anyhow::Result<u8> {
    match &arguments.command {
        FleetCommand::Run(arguments) => measure(arguments),
        FleetCommand::Page(arguments) => page(arguments),
    }
}

fn measure(arguments: &FleetRunArgs) -> anyhow::Result<u8> {
    let request = json!({
        "what": arguments.suites,
        "address": arguments.address,
        "labels": arguments.label,
        "algorithms": arguments.algorithm,
        "providers": arguments.provider,
        "filters": arguments.filter,
        "max_time": arguments.max_time,
        "seed": arguments.seed,
        "quick": arguments.quick,
        "rigorous": arguments.rigorous,
        "database": arguments.database.db.as_deref().map(package::utf8).transpose()?,
        "out": arguments.out.as_deref().map(package::utf8).transpose()?,
        "prices": arguments.price,
        "json": arguments.output.is_json(),
        "progress": !arguments.no_progress,
    });
    package::become_package("fleet", &request, "fleet run")
}

fn page(arguments: &FleetPageArgs) -> anyhow::Result<u8> {
    let request = json!({
        "runs": arguments.runs,
        "out": package::utf8(&arguments.out)?,
        "database": arguments.database.db.as_deref().map(package::utf8).transpose()?,
        "prices": arguments.price,
    });
    package::become_package("page", &request, "fleet page")
}
