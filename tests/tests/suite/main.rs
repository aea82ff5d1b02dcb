//! The whole stack, unchanged on the simulator and on a GPU: every function of the tables, at
//! several lengths and with several element types, on random data, compared bit for bit.

/// Makes a test of each function: its body runs for every element type and every length.
macro_rules! table {
    ($(fn $name:ident<$t:ident>($stream:ident, $len:ident) $body:block)*) => {$(
        #[test]
        fn $name() {
            fn body<$t: icffi_tests::Element>(
                $stream: &icffi::stream::Stream,
                $len: usize,
            ) -> icffi::Result<()> $body
            let _turn = icffi_tests::together();
            let stream = icffi::stream::Stream::new().unwrap();
            table!(@each stream, body; u8, f32, f64, icffi_tests::Particle, icffi::pod::Float4, ());
        }
    )*};
    (@each $stream:ident, $body:ident; $($t:ty),*) => {$(
        for len in icffi_tests::LENGTHS {
            if let Err(error) = $body::<$t>(&$stream, len) {
                panic!("{len} elements of {}: {error}", std::any::type_name::<$t>());
            }
        }
    )*};
}

mod abi;
mod alloc;
mod callbacks;
mod codes;
mod device;
mod device_copy;
mod errors;
mod event;
mod fill;
mod free;
mod from_host;
mod from_pinned;
mod graph_pairs;
mod graph_rules;
mod graphs;
mod host_buffer;
mod order;
mod parts;
mod raw_captures;
mod scenarios;
mod staging;
mod stream;
mod thread_safety;
mod to_host;
mod to_pinned;
mod transfer;
mod views;
