//! The exported C functions, one family a file.

mod error;
mod error_text;
mod stream;
