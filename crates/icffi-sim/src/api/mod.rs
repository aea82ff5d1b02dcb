//! The exported C functions, one family a file.

mod capture;
mod copy;
mod device;
mod error;
mod error_text;
mod event;
mod fill;
mod graph;
mod graph_query;
mod host;
mod hostfn;
mod memory;
mod peer;
mod pools;
mod properties;
mod stream;
mod unsupported;
