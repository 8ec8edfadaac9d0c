//! Pages as self-contained HTML files. The template engine writes and escapes the HTML. The content security policy of
//! a page allows only the page's own script and stylesheet.

mod cards;
mod cases;
mod cite;
mod data;
mod figures;
mod legend;
mod machines;
mod page;
mod runs;
mod sections;
mod site;
mod top;

pub use page::{Around, Page, page, policy};
pub use runs::runs_page;
pub use site::{SuiteOnMachine, index_page, latest_page, machine_page};
