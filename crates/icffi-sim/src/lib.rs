#![doc = include_str!("../README.md")]

mod api;
mod call;
mod config;
mod device;
mod event;
mod fault;
mod graph;
mod kernel;
mod launch;
mod mem;
mod report;
mod rng;
mod sched;
mod session;
mod state;
mod table;

pub use config::Policy;
pub use fault::Fault;
pub use report::{Report, ReportKind};
pub use session::{Live, Session, SessionBuilder, generation, seed};
