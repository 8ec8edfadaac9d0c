//! The page: one file that holds all it needs. HTML is made by the template engine, which escapes; the script and the
//! stylesheet are our own, and the page's policy allows these two and nothing else.

mod cases;
mod data;
mod legend;
mod machines;
mod page;
mod sections;

pub use page::{Page, page, policy, runs_page};
