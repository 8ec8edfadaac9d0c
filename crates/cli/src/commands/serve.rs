use crate::args::ServeArgs;
use crate::server;

pub(crate) fn run(arguments: &ServeArgs) -> anyhow::Result<u8> {
    let path = arguments.database.path()?;
    server::serve(arguments.listen, path)
}
