//! Turning the waits off, for people who order by hand.
#![allow(unsafe_code)]

use std::cell::Cell;

thread_local! {
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// Whether this thread is inside [`assume_ordered`].
pub(super) fn is_assumed() -> bool {
    DEPTH.try_with(|depth| depth.get() > 0).unwrap_or(false)
}

/// Runs `work` without the waits that order uses of one buffer on different streams. Uses are
/// still registered: dropping and freeing wait for them, and after the scope everything is
/// ordered as usual.
///
/// For programs that order their streams themselves and want not even the rare wait. Nested
/// scopes are fine; the effect is on the calling thread only.
///
/// # Safety
/// Within the scope, of any two operations on overlapping memory on different streams of which
/// one writes, the later one is ordered behind the earlier one by the caller (an event waited
/// for, a synchronized stream); earlier ones from before the scope included.
///
/// ```
/// use icffi::prelude::*;
/// let (a, b, copied) = (Stream::new()?, Stream::new()?, Event::ordering()?);
/// let mut x = DeviceBuffer::<i32>::alloc(3)?;
/// x.copy_from_host_guarded(&a, &[1, 2, 3])?.wait()?;
/// copied.record(&a)?;
/// b.wait_event(&copied)?;
/// // SAFETY: `b` waits for the one earlier use, on `a`.
/// let y = unsafe { icffi::memory::assume_ordered(|| x.to_vec(&b)) }?;
/// assert_eq!(y, [1, 2, 3]);
/// # Ok::<(), IcffiError>(())
/// ```
pub unsafe fn assume_ordered<R>(work: impl FnOnce() -> R) -> R {
    struct Leave;
    impl Drop for Leave {
        fn drop(&mut self) {
            let _ = DEPTH.try_with(|depth| depth.set(depth.get() - 1));
        }
    }
    let _ = DEPTH.try_with(|depth| depth.set(depth.get() + 1));
    let _leave = Leave;
    work()
}
