//! GPUs: how many, which one is current, what they can do.

mod current;
mod properties;
mod state;

pub use current::DeviceScope;
pub(crate) use current::enter;
pub use properties::DeviceProperties;
pub(crate) use state::{DeviceState, MAX_DEVICES, forget_all, state};

use crate::error::Result;
use crate::op::Op;
use crate::{error, retire, rt};
use icffi_sys::cudaDeviceAttr;

/// How many GPUs this process can use. `cudaGetDeviceCount`.
///
/// # Errors
/// `cudaErrorNoDevice`, `cudaErrorInsufficientDriver` and their kind where there is no usable GPU.
///
/// ```
/// assert!(icffi::device::count()? >= 1);
/// # Ok::<(), icffi::IcffiError>(())
/// ```
#[track_caller]
pub fn count() -> Result<usize> {
    let count = rt::device_count(Op::new("device::count"))?;
    Ok(usize::try_from(count).unwrap_or(0))
}

/// The ordinal of the calling thread's current device: where new streams, events and buffers
/// are made. `cudaGetDevice`.
///
/// # Errors
/// As [`count`].
///
/// ```
/// assert_eq!(icffi::device::current()?.ordinal(), 0);
/// # Ok::<(), icffi::IcffiError>(())
/// ```
#[track_caller]
pub fn current() -> Result<Device> {
    Ok(Device {
        ordinal: rt::get_device(Op::new("device::current"))?,
    })
}

/// Makes `ordinal` the calling thread's current device. `cudaSetDevice`; the first call for a
/// device creates its context, which takes a while.
///
/// # Errors
/// `cudaErrorInvalidDevice` if there is no such device.
///
/// ```
/// icffi::device::set_current(0)?;
/// assert!(icffi::device::set_current(999).is_err());
/// # Ok::<(), icffi::IcffiError>(())
/// ```
#[track_caller]
pub fn set_current(ordinal: usize) -> Result<()> {
    let op = Op::new("device::set_current");
    rt::set_device(op, to_ordinal(op, ordinal)?)
}

/// Waits until the current device has finished all work of all streams. `cudaDeviceSynchronize`,
/// the one call here that waits for more than one stream; nothing in this crate makes it behind
/// your back.
///
/// Memory whose completion could not be proved earlier (see [`Device::quarantined`]) is released
/// when this succeeds.
///
/// # Errors
/// `CAPTURE_UNSUPPORTED` while a capture is in progress on the device; whatever earlier
/// asynchronous work failed with.
///
/// ```
/// icffi::device::synchronize()?;
/// # Ok::<(), icffi::IcffiError>(())
/// ```
#[track_caller]
pub fn synchronize() -> Result<()> {
    let op = Op::new("device::synchronize");
    let ordinal = rt::get_device(op)?;
    if rt::live_captures_of(ordinal) > 0 {
        return Err(error::capture_unsupported(
            op,
            "a capture is in progress on the device, which this would invalidate",
        ));
    }
    let mark = retire::mark();
    rt::device_synchronize(op)?;
    retire::device_is_idle(ordinal, &mark);
    Ok(())
}

/// Free and total memory of the current device, in bytes. `cudaMemGetInfo`.
///
/// # Errors
/// As [`count`].
///
/// ```
/// let memory = icffi::device::memory_info()?;
/// assert!(memory.free <= memory.total);
/// # Ok::<(), icffi::IcffiError>(())
/// ```
#[track_caller]
pub fn memory_info() -> Result<MemoryInfo> {
    let (free, total) = rt::mem_get_info(Op::new("device::memory_info"))?;
    Ok(MemoryInfo { free, total })
}

/// Whether this process can run work on a device: a driver is there, recent enough, and sees at
/// least one GPU. Never panics and never fails.
///
/// ```
/// assert!(icffi::device::is_available());
/// ```
#[must_use]
#[track_caller]
pub fn is_available() -> bool {
    count().is_ok_and(|n| n > 0)
}

/// The newest CUDA version that the driver supports: 1000 x major + 10 x minor, 0 without a
/// driver. `cudaDriverGetVersion`.
///
/// # Errors
/// What the call reports.
///
/// ```
/// assert!(icffi::device::driver_version()? >= 12000);
/// # Ok::<(), icffi::IcffiError>(())
/// ```
#[track_caller]
pub fn driver_version() -> Result<i32> {
    rt::driver_version(Op::new("device::driver_version"))
}

/// The CUDA version of the runtime linked in: 1000 x major + 10 x minor. `cudaRuntimeGetVersion`.
///
/// # Errors
/// What the call reports.
///
/// ```
/// assert!(icffi::device::runtime_version()? >= 12000);
/// # Ok::<(), icffi::IcffiError>(())
/// ```
#[track_caller]
pub fn runtime_version() -> Result<i32> {
    rt::runtime_version(Op::new("device::runtime_version"))
}

/// Bytes of device memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryInfo {
    /// Not allocated by any process.
    pub free: usize,
    /// In all.
    pub total: usize,
}

/// One GPU, by its ordinal in this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Device {
    ordinal: i32,
}

impl Device {
    /// The device with this ordinal.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` if there are not so many devices.
    ///
    /// ```
    /// use icffi::device::Device;
    /// assert_eq!(Device::new(0)?.ordinal(), 0);
    /// # Ok::<(), icffi::IcffiError>(())
    /// ```
    #[track_caller]
    pub fn new(ordinal: usize) -> Result<Self> {
        let op = Op::new("Device::new");
        let count = rt::device_count(op)?;
        match i32::try_from(ordinal) {
            Ok(o) if o < count => Ok(Self {
                ordinal: to_ordinal(op, ordinal)?,
            }),
            _ => Err(error::invalid(op, format!("device {ordinal} of {count}"))),
        }
    }

    pub(crate) const fn from_ordinal(ordinal: i32) -> Self {
        Self { ordinal }
    }

    pub(crate) const fn raw(self) -> i32 {
        self.ordinal
    }

    /// Its number, from 0.
    #[must_use]
    pub fn ordinal(self) -> usize {
        self.ordinal.unsigned_abs() as usize
    }

    /// Makes this the calling thread's current device until the result is dropped. For raw
    /// launches, which CUDA makes on the current device: a stream of another one is an error
    /// there. Everything in this crate does it by itself. On a machine with one device no call is
    /// made; otherwise `cudaGetDevice`, and `cudaSetDevice` if it is not current.
    ///
    /// # Errors
    /// What the calls report.
    ///
    /// ```
    /// use icffi::{device, stream::Stream};
    /// let stream = Stream::new()?;
    /// let scope = stream.device().enter()?;
    /// assert_eq!(device::current()?, stream.device());
    /// drop(scope);
    /// # Ok::<(), icffi::IcffiError>(())
    /// ```
    #[track_caller]
    pub fn enter(self) -> Result<DeviceScope> {
        enter(Op::new("Device::enter"), self.ordinal)
    }

    /// Name, compute capability, sizes and limits. `cudaGetDeviceProperties`; takes
    /// milliseconds on some systems, so ask once.
    ///
    /// # Errors
    /// What the call reports.
    ///
    /// ```
    /// let properties = icffi::device::current()?.properties()?;
    /// assert!(!properties.name.is_empty());
    /// # Ok::<(), icffi::IcffiError>(())
    /// ```
    #[track_caller]
    pub fn properties(self) -> Result<DeviceProperties> {
        properties::of(Op::new("Device::properties"), self.ordinal)
    }

    /// One attribute. `cudaDeviceGetAttribute`; cheap.
    ///
    /// # Errors
    /// `cudaErrorInvalidValue` for an attribute this driver does not know.
    ///
    /// ```
    /// use icffi::sys::cudaDeviceAttr;
    /// let warp = icffi::device::current()?.attribute(cudaDeviceAttr::cudaDevAttrWarpSize)?;
    /// assert_eq!(warp, 32);
    /// # Ok::<(), icffi::IcffiError>(())
    /// ```
    #[track_caller]
    pub fn attribute(self, attribute: cudaDeviceAttr) -> Result<i32> {
        attribute_of(Op::new("Device::attribute"), self.ordinal, attribute)
    }

    /// Whether kernels on this device could read `peer`'s memory. `cudaDeviceCanAccessPeer`.
    ///
    /// # Errors
    /// What the call reports.
    #[track_caller]
    pub fn can_access_peer(self, peer: Self) -> Result<bool> {
        rt::can_access_peer(
            Op::new("Device::can_access_peer"),
            self.ordinal,
            peer.ordinal,
        )
    }

    /// Lets this device's kernels and copies reach memory of `peer`: what `cudaMalloc` makes, and
    /// what every pool of this crate makes, later ones included. Enabling twice is no error.
    /// `cudaDeviceEnablePeerAccess`, `cudaMemPoolSetAccess`.
    ///
    /// # Errors
    /// `cudaErrorPeerAccessUnsupported` and what else the call reports.
    #[track_caller]
    pub fn enable_peer_access(self, peer: Self) -> Result<()> {
        let op = Op::new("Device::enable_peer_access");
        let _current = enter(op, self.ordinal)?;
        match rt::enable_peer_access(op, peer.ordinal) {
            Err(e) if e.code() == error::codes::PEER_ACCESS_ALREADY_ENABLED => {}
            other => other?,
        }
        crate::memory::allow_peer(op, peer.ordinal, self.ordinal)
    }

    /// How many pieces of memory wait, unfreed, because a failed call left unproved that the
    /// device has finished with them. They are released by a later call that proves it
    /// ([`synchronize`] does), and leaked if the device's context is lost.
    #[must_use]
    pub fn quarantined(self) -> usize {
        retire::quarantined(self.ordinal)
    }

    /// How many objects (allocations, events, streams) were given up since the program started
    /// because the call that frees them failed. Such a call may have worked all the same, so
    /// none is freed twice. Pinned memory counts for the device it was last used with.
    #[must_use]
    pub fn leaked(self) -> usize {
        state(self.ordinal).leaked()
    }

    /// The last error that a `Drop` could not return, and how many there were since this was
    /// last asked. Other calls never return it.
    #[must_use]
    pub fn take_deferred_error(self) -> Option<(error::IcffiError, u64)> {
        state(self.ordinal).take_deferred()
    }
}

pub(crate) fn attribute_of(op: Op, ordinal: i32, attribute: cudaDeviceAttr) -> Result<i32> {
    rt::device_attribute(op, attribute, ordinal)
}

fn to_ordinal(op: Op, ordinal: usize) -> Result<i32> {
    if ordinal >= MAX_DEVICES {
        return Err(error::invalid(
            op,
            format!("device {ordinal}: at most {MAX_DEVICES} devices are supported"),
        ));
    }
    Ok(ordinal as i32)
}
