//! The bytes behind simulated memory: separate mappings, poisoned, with guarded ends.
//!
//! An allocation ends at most 255 bytes before a page that faults, so that a kernel which runs
//! far past its buffer stops there; the bytes between are a canary that is looked at later.
//! Pages are committed when touched: gigabytes cost no memory up front.

use std::ptr;

/// Device allocations are aligned as CUDA's are.
const ALIGN: usize = 256;
/// What the bytes beside an allocation hold.
const CANARY: u8 = 0xfd;
/// What newly allocated bytes hold.
pub(super) const POISON_NEW: u8 = 0xcd;
/// What freed bytes hold.
pub(super) const POISON_FREED: u8 = 0xdd;
/// Up to here poison is written; beyond, pages that hold it already are mapped.
const WRITTEN: usize = 16 << 20;
/// What is written at each end of more, where such pages can't be mapped.
const ENDS: usize = 1 << 20;
/// Bytes of freed memory that are compared with the poison at each end.
const CHECKED: usize = 64 << 10;

/// One mapping.
#[derive(Debug)]
pub(super) struct Backing {
    map: Map,
    base: usize,
    len: usize,
}

impl Backing {
    /// `len` bytes full of poison. `None` when the host has no more memory to give.
    pub(super) fn new(len: usize, guarded: bool) -> Option<Backing> {
        let padded = len.max(1).checked_next_multiple_of(ALIGN)?;
        let map = Map::new(padded, guarded)?;
        let base = map.end() - padded;
        let backing = Backing { map, base, len };
        backing.fill(POISON_NEW);
        let (before, after) = backing.slack();
        for (start, count) in [before, after] {
            // SAFETY: both ranges lie inside the mapping, which is writable and only ours.
            unsafe { ptr::write_bytes(start as *mut u8, CANARY, count) };
        }
        Some(backing)
    }

    pub(super) fn base(&self) -> usize {
        self.base
    }

    /// The whole mapping, guard included: no other memory lies in here.
    pub(super) fn span(&self) -> std::ops::Range<usize> {
        self.map.start()..self.map.end() + self.map.guard()
    }

    /// Poisons the bytes: written where they are few, mapped where they are many. Where poison
    /// can't be mapped, the middle of what is large keeps what it holds, so as not to commit it.
    pub(super) fn fill(&self, poison: u8) {
        let (head, tail) = if self.len <= WRITTEN {
            (self.len, 0)
        } else if self.map.map_poison(poison) {
            return;
        } else {
            (ENDS, ENDS)
        };
        for (start, count) in [(self.base, head), (self.base + self.len - tail, tail)] {
            // SAFETY: both lie inside base..base+len, inside the mapping, which is writable
            // and only ours.
            unsafe { ptr::write_bytes(start as *mut u8, poison, count) };
        }
    }

    /// Bytes of the host's memory that stay committed once it is freed.
    pub(super) fn committed(&self) -> usize {
        if self.len > WRITTEN && cfg!(target_os = "linux") {
            0
        } else {
            self.len
        }
    }

    /// Whether the bytes beside the allocation are untouched.
    pub(super) fn intact(&self) -> bool {
        let (before, after) = self.slack();
        [before, after]
            .into_iter()
            .all(|(start, count)| all(start, count, CANARY))
    }

    /// Whether freed bytes still hold their poison. Long allocations are looked at near both
    /// ends only.
    pub(super) fn still_poisoned(&self) -> bool {
        let head = self.len.min(CHECKED);
        all(self.base, head, POISON_FREED) && all(self.base + self.len - head, head, POISON_FREED)
    }

    /// Leaves the mapping in place for ever, with its bytes or without.
    pub(super) fn outlive(self, readable: bool) {
        if !readable {
            self.map.hollow();
        }
        std::mem::forget(self);
    }

    /// The canaries before and after, as (start, bytes). The one behind a mapped poison page
    /// is kept too, because the canary is written last.
    fn slack(&self) -> ((usize, usize), (usize, usize)) {
        let before = (self.base - self.map.start()).min(ALIGN);
        let end = self.base + self.len;
        ((self.base - before, before), (end, self.map.end() - end))
    }
}

fn all(start: usize, count: usize, value: u8) -> bool {
    // SAFETY: callers pass ranges inside a mapping they own; mapped bytes are initialised.
    let bytes = unsafe { std::slice::from_raw_parts(start as *const u8, count) };
    bytes.iter().all(|b| *b == value)
}

#[cfg(target_os = "linux")]
use linux::Map;
#[cfg(not(target_os = "linux"))]
use portable::Map;

#[cfg(target_os = "linux")]
mod linux {
    use std::ffi::c_int;
    use std::ptr;
    use std::sync::OnceLock;

    const PAGE: usize = 4096;
    /// Bytes of one file of poison, mapped over and over.
    const FILE: usize = 8 << 20;

    /// Anonymous pages, and one page behind them that faults.
    #[derive(Debug)]
    pub(super) struct Map {
        start: usize,
        len: usize,
        guard: usize,
    }

    impl Map {
        pub(super) fn new(bytes: usize, guarded: bool) -> Option<Map> {
            let len = bytes.checked_next_multiple_of(PAGE)?;
            let guard = if guarded { PAGE } else { 0 };
            // SAFETY: asks for fresh anonymous memory wherever the kernel likes.
            let start = unsafe {
                libc::mmap(
                    ptr::null_mut(),
                    len.checked_add(guard)?,
                    libc::PROT_READ | libc::PROT_WRITE,
                    libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
                    -1,
                    0,
                )
            };
            if start == libc::MAP_FAILED {
                return None;
            }
            let map = Map {
                start: start as usize,
                len,
                guard,
            };
            if guard > 0 {
                // SAFETY: the last page of the mapping just made. If it fails there is no
                // guard, which only makes the simulator less watchful.
                unsafe { libc::mprotect((map.start + len) as *mut _, guard, libc::PROT_NONE) };
            }
            Some(map)
        }

        pub(super) fn start(&self) -> usize {
            self.start
        }

        /// Where the usable bytes end.
        pub(super) fn end(&self) -> usize {
            self.start + self.len
        }

        pub(super) fn guard(&self) -> usize {
            self.guard
        }

        /// Gives the pages back and keeps the addresses.
        pub(super) fn hollow(&self) {
            // SAFETY: replaces our own mapping, which nobody uses any more. If it fails, pages
            // stay committed, no more.
            unsafe {
                libc::mmap(
                    self.start as *mut _,
                    self.len + self.guard,
                    libc::PROT_NONE,
                    libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED | libc::MAP_NORESERVE,
                    -1,
                    0,
                )
            };
        }

        /// Maps private copies of pages full of poison over all of it. Nothing is committed
        /// until it is written.
        pub(super) fn map_poison(&self, poison: u8) -> bool {
            let Some(file) = poison_file(poison) else {
                return false;
            };
            let mut at = self.start;
            while at < self.end() {
                let len = (self.end() - at).min(FILE);
                // SAFETY: replaces pages of our own mapping by private pages of the file.
                let got = unsafe {
                    libc::mmap(
                        at as *mut _,
                        len,
                        libc::PROT_READ | libc::PROT_WRITE,
                        libc::MAP_PRIVATE | libc::MAP_FIXED | libc::MAP_NORESERVE,
                        file,
                        0,
                    )
                };
                if got == libc::MAP_FAILED {
                    return false;
                }
                at += len;
            }
            true
        }
    }

    impl Drop for Map {
        fn drop(&mut self) {
            // SAFETY: the mapping is ours and nothing refers to it any more.
            unsafe { libc::munmap(self.start as *mut _, self.len + self.guard) };
        }
    }

    /// A file in memory, full of one byte; made once and never closed.
    fn poison_file(poison: u8) -> Option<c_int> {
        static NEW: OnceLock<Option<c_int>> = OnceLock::new();
        static FREED: OnceLock<Option<c_int>> = OnceLock::new();
        let place = if poison == super::POISON_NEW {
            &NEW
        } else {
            &FREED
        };
        *place.get_or_init(|| {
            // SAFETY: the name is a C string; the file descriptor is checked below.
            let file = unsafe { libc::memfd_create(c"icffi-sim".as_ptr(), libc::MFD_CLOEXEC) };
            if file < 0 {
                return None;
            }
            let block = vec![poison; 1 << 20];
            for _ in 0..FILE / block.len() {
                let mut rest = &block[..];
                while !rest.is_empty() {
                    // SAFETY: writes bytes of a live slice to the file just made.
                    let n = unsafe { libc::write(file, rest.as_ptr().cast(), rest.len()) };
                    if n <= 0 {
                        return None;
                    }
                    rest = &rest[n as usize..];
                }
            }
            Some(file)
        })
    }
}

#[cfg(not(target_os = "linux"))]
mod portable {
    use std::alloc::{Layout, alloc_zeroed, dealloc};

    use super::ALIGN;

    /// Memory of the allocator: no guard page, but a canary on both sides.
    #[derive(Debug)]
    pub(super) struct Map {
        start: usize,
        layout: Layout,
    }

    impl Map {
        pub(super) fn new(bytes: usize, _guarded: bool) -> Option<Map> {
            // Aligned by hand: an allocator asked for more alignment than usual writes its zeros.
            let layout = Layout::from_size_align(bytes.checked_add(2 * ALIGN)?, 16).ok()?;
            // SAFETY: the layout is not empty.
            let start = unsafe { alloc_zeroed(layout) };
            if start.is_null() {
                None
            } else {
                Some(Map {
                    start: start as usize,
                    layout,
                })
            }
        }

        pub(super) fn start(&self) -> usize {
            self.start
        }

        pub(super) fn end(&self) -> usize {
            (self.start + self.layout.size()) / ALIGN * ALIGN
        }

        pub(super) fn guard(&self) -> usize {
            0
        }

        pub(super) fn hollow(&self) {}

        pub(super) fn map_poison(&self, _poison: u8) -> bool {
            false
        }
    }

    impl Drop for Map {
        fn drop(&mut self) {
            // SAFETY: allocated in `new` with this layout, and nothing refers to it any more.
            unsafe { dealloc(self.start as *mut u8, self.layout) };
        }
    }
}
