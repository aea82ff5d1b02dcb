//! Copies: which memory the pointers are, which way the bytes go, and whether the host waits.

use std::ffi::{c_int, c_void};

use icffi_sys::{cudaError as E, cudaMemcpyKind as Kind, cudaStream_t};

use crate::call::{Outcome, exported};
use crate::config::Policy;
use crate::mem::{Place, Region};
use crate::report::ReportKind;
use crate::sched::{self, CAPTURED, Copy, Source, StreamKey, Work};
use crate::state::{self, Lock, Sim};

/// A synchronous copy from ordinary host memory up to this size returns when the bytes are
/// staged: CUDA says that the transfer itself may not be over then.
const STAGED: usize = 1 << 20;

/// Longest row of a pitched copy.
const MAX_PITCH: usize = i32::MAX as usize;

/// The arguments of all copies.
#[derive(Debug, Clone, Copy)]
struct Args {
    function: &'static str,
    target: usize,
    target_pitch: usize,
    source: usize,
    source_pitch: usize,
    width: usize,
    height: usize,
    kind: Kind,
}

impl Args {
    fn linear(
        function: &'static str,
        target: *mut c_void,
        source: *const c_void,
        bytes: usize,
        kind: Kind,
    ) -> Args {
        Args {
            function,
            target: target as usize,
            target_pitch: bytes,
            source: source as usize,
            source_pitch: bytes,
            width: bytes,
            height: 1,
            kind,
        }
    }

    fn is_empty(&self) -> bool {
        self.width == 0 || self.height == 0
    }
}

/// Bytes from the first to the last that rows touch.
pub(super) fn extent(pitch: usize, width: usize, height: usize) -> Outcome<usize> {
    if height > 1 && (width > pitch || pitch > MAX_PITCH) {
        return Err(E::cudaErrorInvalidValue);
    }
    pitch
        .checked_mul(height - 1)
        .and_then(|rows| rows.checked_add(width))
        .ok_or(E::cudaErrorInvalidValue)
}

/// What a pointer must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Device,
    Any,
}

impl Sim {
    /// What a pointer of a copy or fill is. Anything wrong is the error that CUDA gives at the
    /// call; freed memory and bytes beyond the end are reported as well.
    pub(super) fn operand(
        &mut self,
        stream: StreamKey,
        function: &'static str,
        address: usize,
        bytes: usize,
    ) -> Outcome<Region> {
        if address == 0 {
            return Err(E::cudaErrorInvalidValue);
        }
        let captured = self.capture_of(stream).is_some();
        self.region(address, bytes, captured).map_err(|misuse| {
            let range = address..address.saturating_add(bytes);
            self.report(misuse.kind, function, None, range, misuse.detail);
            E::cudaErrorInvalidValue
        })
    }

    fn end(
        &mut self,
        stream: StreamKey,
        function: &'static str,
        address: usize,
        bytes: usize,
        end: End,
    ) -> Outcome<Region> {
        let region = self.operand(stream, function, address, bytes)?;
        let fits = match end {
            End::Any => true,
            // Pinned memory can be addressed by the device too.
            End::Device => region.place != Place::Pageable,
        };
        if fits {
            Ok(region)
        } else {
            Err(E::cudaErrorInvalidValue)
        }
    }

    /// The operation of a copy, checked; with it both its ends.
    fn plan(&mut self, stream: StreamKey, args: Args) -> Outcome<(Copy, Region, Region)> {
        let (to, from) = match args.kind {
            // With one address space CUDA holds a copy to the device ends of its kind only.
            Kind::cudaMemcpyHostToHost => (End::Any, End::Any),
            Kind::cudaMemcpyHostToDevice => (End::Device, End::Any),
            Kind::cudaMemcpyDeviceToHost => (End::Any, End::Device),
            Kind::cudaMemcpyDeviceToDevice => (End::Device, End::Device),
            Kind::cudaMemcpyDefault => (End::Any, End::Any),
            _ => return Err(E::cudaErrorInvalidMemcpyDirection),
        };
        let Args {
            function,
            width,
            height,
            target_pitch,
            source_pitch,
            ..
        } = args;
        let target = extent(target_pitch, width, height)?;
        let source = extent(source_pitch, width, height)?;
        let target = self.end(stream, function, args.target, target, to)?;
        let source = self.end(stream, function, args.source, source, from)?;
        let copy = Copy {
            source: Source::Memory(source),
            source_pitch,
            target,
            target_pitch,
            width,
            height,
        };
        Ok((copy, target, source))
    }
}

fn on_host(region: &Region) -> bool {
    !matches!(region.place, Place::Device(_))
}

/// A copy in a stream. Ordinary host memory is read, or written, when the stream gets there:
/// CUDA only says that it *might* be done by the time of the return.
fn copy_async(sim: &mut Lock, args: Args, stream: cudaStream_t) -> Outcome {
    let key = sim.work_stream(stream)?;
    if args.is_empty() {
        return Ok(());
    }
    let (copy, target, source) = sim.plan(key, args)?;
    let op = sim.enqueue(key, args.function, Work::Copy(copy));
    if op != CAPTURED && on_host(&target) && on_host(&source) {
        // Documented as synchronous.
        sched::wait_for(sim, &[op]);
        let device = sim.sched.streams.get(&key).map_or(0, |s| s.device);
        return sched::synchronized(sim, device);
    }
    Ok(())
}

/// A copy on the legacy default stream, for which the host waits where CUDA says so.
fn copy_sync(sim: &mut Lock, args: Args) -> Outcome {
    let key = sim.sched.legacy(state::current_device());
    if args.is_empty() {
        return Ok(());
    }
    sim.may_work(key)?;
    let (mut copy, target, source) = sim.plan(key, args)?;
    if !on_host(&target) && !on_host(&source) {
        // From device to device the host does not wait.
        sim.enqueue(key, args.function, Work::Copy(copy));
        return Ok(());
    }
    let bytes = args.width.saturating_mul(args.height);
    let staged = source.place == Place::Pageable
        && !on_host(&target)
        && bytes <= STAGED
        && sim.config.policy != Policy::Eager;
    if staged {
        sched::wait_stream(sim, key)?;
        let mut rows = Vec::with_capacity(bytes);
        for row in 0..args.height {
            let start = (args.source + row * args.source_pitch) as *const u8;
            // SAFETY: the rows of the source are readable: that is the contract of a copy.
            rows.extend_from_slice(unsafe { std::slice::from_raw_parts(start, args.width) });
        }
        copy.source = Source::Staged(rows);
        copy.source_pitch = args.width;
        sim.enqueue(key, args.function, Work::Copy(copy));
        return Ok(());
    }
    let op = sim.enqueue(key, args.function, Work::Copy(copy));
    sched::wait_for(sim, &[op]);
    sched::synchronized(sim, state::current_device())
}

/// Checks that both ends of a peer copy are memory of the devices named.
fn peer(
    sim: &mut Lock,
    key: StreamKey,
    args: Args,
    target_device: c_int,
    source_device: c_int,
) -> Outcome<(Copy, usize, usize)> {
    let (to, from) = (sim.ordinal(target_device)?, sim.ordinal(source_device)?);
    let (copy, target, source) = sim.plan(key, args)?;
    for (region, device) in [(target, to), (source, from)] {
        let Place::Device(id) = region.place else {
            continue;
        };
        if sim
            .memory
            .get(id)
            .is_none_or(|alloc| alloc.device != device)
        {
            let range = region.address..region.address + region.bytes;
            let detail = format!("this is no memory of device {device}, which was named");
            sim.report(ReportKind::WrongDevice, args.function, None, range, detail);
            return Err(E::cudaErrorInvalidValue);
        }
    }
    Ok((copy, to, from))
}

/// Waits for both devices: the copy is ordered with all their work.
fn copy_peer_sync(sim: &mut Lock, args: Args, to: c_int, from: c_int) -> Outcome {
    if args.is_empty() {
        sim.ordinal(to)?;
        return sim.ordinal(from).map(|_| ());
    }
    let key = sim.sched.legacy(state::current_device());
    sim.may_work(key)?;
    let (copy, to, from) = peer(sim, key, args, to, from)?;
    sched::wait_device(sim, to)?;
    sched::wait_device(sim, from)?;
    let op = sim.enqueue(key, args.function, Work::Copy(copy));
    sched::wait_for(sim, &[op]);
    sched::synchronized(sim, state::current_device())
}

exported! {
    Context fn cudaMemcpy(
        target: *mut c_void, source: *const c_void, bytes: usize, kind: Kind
    ) |sim| {
        copy_sync(sim, Args::linear("cudaMemcpy", target, source, bytes, kind))
    }

    Context fn cudaMemcpyAsync(
        target: *mut c_void, source: *const c_void, bytes: usize, kind: Kind,
        stream: cudaStream_t
    ) |sim| {
        copy_async(sim, Args::linear("cudaMemcpyAsync", target, source, bytes, kind), stream)
    }

    Context fn cudaMemcpy2D(
        target: *mut c_void, target_pitch: usize, source: *const c_void, source_pitch: usize,
        width: usize, height: usize, kind: Kind
    ) |sim| {
        let (target, source) = (target as usize, source as usize);
        let function = "cudaMemcpy2D";
        check_pitches(target_pitch, source_pitch, width, height)?;
        copy_sync(sim, Args {
            function, target, target_pitch, source, source_pitch, width, height, kind
        })
    }

    Context fn cudaMemcpy2DAsync(
        target: *mut c_void, target_pitch: usize, source: *const c_void, source_pitch: usize,
        width: usize, height: usize, kind: Kind, stream: cudaStream_t
    ) |sim| {
        let (target, source) = (target as usize, source as usize);
        let function = "cudaMemcpy2DAsync";
        check_pitches(target_pitch, source_pitch, width, height)?;
        copy_async(sim, Args {
            function, target, target_pitch, source, source_pitch, width, height, kind
        }, stream)
    }

    Context fn cudaMemcpyPeer(
        target: *mut c_void, target_device: c_int, source: *const c_void, source_device: c_int,
        bytes: usize
    ) |sim| {
        let kind = Kind::cudaMemcpyDeviceToDevice;
        let args = Args::linear("cudaMemcpyPeer", target, source, bytes, kind);
        copy_peer_sync(sim, args, target_device, source_device)
    }

    Context fn cudaMemcpyPeerAsync(
        target: *mut c_void, target_device: c_int, source: *const c_void, source_device: c_int,
        bytes: usize, stream: cudaStream_t
    ) |sim| {
        let key = sim.work_stream(stream)?;
        let kind = Kind::cudaMemcpyDeviceToDevice;
        let args = Args::linear("cudaMemcpyPeerAsync", target, source, bytes, kind);
        if args.is_empty() {
            return Ok(());
        }
        let (copy, _, _) = peer(sim, key, args, target_device, source_device)?;
        sim.enqueue(key, args.function, Work::Copy(copy));
        Ok(())
    }
}

/// Rows must fit into their pitch, even where there is only one. The two codes are those that
/// a device was seen to give.
fn check_pitches(target: usize, source: usize, width: usize, height: usize) -> Outcome {
    if height == 0 {
        return Ok(());
    }
    if width > target {
        return Err(E::cudaErrorInvalidPitchValue);
    }
    if width > source {
        return Err(E::cudaErrorInvalidValue);
    }
    Ok(())
}
