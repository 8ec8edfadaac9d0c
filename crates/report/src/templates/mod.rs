//! The page: one file that holds all it needs. HTML is made by the template engine, which escapes; the script and the
//! stylesheet are our own, and the page's policy allows these two and nothing else.

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
