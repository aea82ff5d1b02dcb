//! Host functions of streams.

use std::ffi::{c_uint, c_void};

use icffi_sys::{cudaError as E, cudaHostFn_t, cudaStream_t, cudaStreamCallback_t};

use crate::call::exported;
use crate::sched::{HostFn, Work};

exported! {
    Context fn cudaLaunchHostFunc(
        stream: cudaStream_t, function: cudaHostFn_t, data: *mut c_void
    ) |sim| {
        let key = sim.work_stream(stream)?;
        let call = function.ok_or(E::cudaErrorInvalidValue)?;
        let host = HostFn::Plain { call, data: data as usize };
        sim.enqueue(key, "cudaLaunchHostFunc", Work::Host(host));
        Ok(())
    }

    Context fn cudaStreamAddCallback(
        stream: cudaStream_t, callback: cudaStreamCallback_t, data: *mut c_void, flags: c_uint
    ) |sim| {
        let key = sim.work_stream(stream)?;
        let call = callback.ok_or(E::cudaErrorInvalidValue)?;
        if flags != 0 {
            return Err(E::cudaErrorInvalidValue);
        }
        sim.not_in_capture(key)?;
        let host = HostFn::Callback { call, stream: stream as usize, data: data as usize };
        sim.enqueue(key, "cudaStreamAddCallback", Work::Host(host));
        Ok(())
    }
}
