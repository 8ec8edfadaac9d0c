//! The page of a run: a single self-contained file. The template engine writes and escapes HTML. The page's policy
//! allows only the page's own script and stylesheet.

mod cases;
mod data;
mod legend;
mod machines;
mod page;
mod runs;
mod sections;
mod site;

pub use page::{Around, Page, page, policy};
pub use runs::runs_page;
pub use site::{SuiteOnMachine, index_page, latest_page, machine_page};
