//! Stacks to switch between.
//!
//! The switch is a call that saves what a callee must save, exchanges the stack pointer and
//! returns on the other stack. Nothing else of the machine's state differs between fibers.

use std::ffi::c_void;
use std::io;
use std::ptr;

/// Room for the frames of a kernel and, say, a `printf` in it. Only touched pages cost memory.
const STACK: usize = 128 * 1024;

/// A stack with a guard page at its end, so that running over it is a fault and not a silent
/// overwriting of something else.
///
/// # Invariants
/// 1. `base..base + bytes` is a mapping of our own, which nobody else unmaps.
/// 2. `pointer` is what [`switch`] takes: the stack pointer of a fiber that is not running,
///    with its saved registers above it.
#[derive(Debug)]
pub(super) struct Fiber {
    base: *mut u8,
    bytes: usize,
    /// How far below the end of the mapping the stack begins.
    offset: usize,
    pub(super) pointer: *mut u8,
}

/// What a fiber runs. It must never return.
pub(super) type Entry = unsafe extern "C" fn(*mut c_void) -> !;

impl Fiber {
    /// A fiber that calls `entry(argument)` when it is switched to. `number` tells it from others:
    /// if the stacks of all began at the same place of a page, their frames would fight for the
    /// same few lines of the cache.
    pub(super) fn new(number: usize, entry: Entry, argument: *mut c_void) -> io::Result<Self> {
        // SAFETY: asks for a number.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
        let page = usize::try_from(page).unwrap_or(4096);
        let bytes = STACK.next_multiple_of(page) + page;
        // SAFETY: a new private mapping at a place that the kernel chooses.
        let base = unsafe {
            libc::mmap(
                ptr::null_mut(),
                bytes,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANON,
                -1,
                0,
            )
        };
        if base == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let mut fiber = Self {
            base: base.cast(),
            bytes,
            offset: number % 16 * 256,
            pointer: ptr::null_mut(),
        };
        // SAFETY: the first page of the mapping just made; stacks grow downwards.
        if unsafe { libc::mprotect(base, page, libc::PROT_NONE) } != 0 {
            return Err(io::Error::last_os_error());
        }
        fiber.reset(entry, argument);
        Ok(fiber)
    }

    /// Forgets whatever is on the stack, and begins anew.
    pub(super) fn reset(&mut self, entry: Entry, argument: *mut c_void) {
        // SAFETY: near the end of the mapping and aligned to 256; the frame lies within it.
        unsafe {
            let top = self.base.add(self.bytes - self.offset);
            let frame = top.sub(arch::FRAME).cast::<usize>();
            ptr::write_bytes(frame.cast::<u8>(), 0, arch::FRAME);
            arch::prepare(frame, entry as *const () as usize, argument as usize);
            self.pointer = frame.cast();
        }
    }
}

impl Drop for Fiber {
    fn drop(&mut self) {
        // SAFETY: our own mapping (invariant 1), on which nothing runs.
        unsafe { libc::munmap(self.base.cast(), self.bytes) };
    }
}

unsafe extern "C" {
    /// Saves this context and its stack pointer to `*save`, and goes on where `to` was saved.
    /// Returns when somebody switches back.
    ///
    /// # Safety
    /// `to` is the pointer of a fiber that does not run, saved by this function or made by
    /// [`Fiber::reset`], and its stack is still there.
    #[link_name = "\x01icffi_sim_fiber_switch"]
    pub(super) fn switch(save: *mut *mut u8, to: *mut u8);

    #[link_name = "\x01icffi_sim_fiber_start"]
    fn start();
}

#[cfg(target_arch = "x86_64")]
mod arch {
    // rdi: save, rsi: to. Six registers and the return address. The control words of SSE and x87 are
    // left alone: a kernel does not change them.
    std::arch::global_asm!(
        ".text",
        ".globl icffi_sim_fiber_switch",
        "icffi_sim_fiber_switch:",
        "push rbp",
        "push rbx",
        "push r12",
        "push r13",
        "push r14",
        "push r15",
        "mov [rdi], rsp",
        "mov rsp, rsi",
        "pop r15",
        "pop r14",
        "pop r13",
        "pop r12",
        "pop rbx",
        "pop rbp",
        "ret",
        ".globl icffi_sim_fiber_start",
        "icffi_sim_fiber_start:",
        // The end of the chain of frames, for debuggers.
        "xor ebp, ebp",
        "mov rdi, r12",
        "call r13",
        "ud2",
    );

    /// When the seven words have been taken off at the first switch, the stack is aligned to 16, as
    /// it has to be at the call in `start`.
    pub(super) const FRAME: usize = 72;

    /// # Safety
    /// `frame` has room for [`FRAME`] bytes.
    pub(super) unsafe fn prepare(frame: *mut usize, entry: usize, argument: usize) {
        // SAFETY: the caller's promise; all offsets are below FRAME.
        unsafe {
            // r15, r14, r13, r12, rbx, rbp, and where to return to.
            frame.add(2).write(entry);
            frame.add(3).write(argument);
            frame.add(6).write(super::start as *const () as usize);
        }
    }
}

#[cfg(target_arch = "aarch64")]
mod arch {
    // x0: save, x1: to. x19-x30 and d8-d15.
    std::arch::global_asm!(
        ".text",
        ".globl icffi_sim_fiber_switch",
        ".p2align 2",
        "icffi_sim_fiber_switch:",
        "sub sp, sp, #160",
        "stp x19, x20, [sp, #0]",
        "stp x21, x22, [sp, #16]",
        "stp x23, x24, [sp, #32]",
        "stp x25, x26, [sp, #48]",
        "stp x27, x28, [sp, #64]",
        "stp x29, x30, [sp, #80]",
        "stp d8, d9, [sp, #96]",
        "stp d10, d11, [sp, #112]",
        "stp d12, d13, [sp, #128]",
        "stp d14, d15, [sp, #144]",
        "mov x9, sp",
        "str x9, [x0]",
        "mov sp, x1",
        "ldp x19, x20, [sp, #0]",
        "ldp x21, x22, [sp, #16]",
        "ldp x23, x24, [sp, #32]",
        "ldp x25, x26, [sp, #48]",
        "ldp x27, x28, [sp, #64]",
        "ldp x29, x30, [sp, #80]",
        "ldp d8, d9, [sp, #96]",
        "ldp d10, d11, [sp, #112]",
        "ldp d12, d13, [sp, #128]",
        "ldp d14, d15, [sp, #144]",
        "add sp, sp, #160",
        "ret",
        ".globl icffi_sim_fiber_start",
        ".p2align 2",
        "icffi_sim_fiber_start:",
        "mov x29, xzr",
        "mov x0, x19",
        "blr x20",
        "brk #1",
    );

    pub(super) const FRAME: usize = 160;

    /// # Safety
    /// `frame` has room for [`FRAME`] bytes.
    pub(super) unsafe fn prepare(frame: *mut usize, entry: usize, argument: usize) {
        // SAFETY: the caller's promise; all offsets are below FRAME.
        unsafe {
            frame.write(argument); // x19
            frame.add(1).write(entry); // x20
            frame.add(11).write(super::start as *const () as usize); // x30
        }
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
compile_error!(
    "icffi-sim runs kernels on x86-64 and AArch64; this machine's stack switch is not written yet"
);
