//! Functions that exist so that programs link, and say that they are not simulated.

mod arrays;
mod channel;
mod graph;
mod interop;
mod rest;
