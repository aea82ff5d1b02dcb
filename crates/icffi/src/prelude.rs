//! What an application imports: `use icffi::prelude::*;`.

pub use crate::abi::{InBufferDesc, LaunchParams, OutBufferDesc};
pub use crate::device::{self, Device};
pub use crate::error::{IcffiError, Result};
pub use crate::event::{Event, EventKind};
pub use crate::graph::{CaptureStream, Graph, GraphExec};
pub use crate::host_memory::{HostAllocFlags, HostBuffer};
pub use crate::memory::{DeviceBuffer, DeviceSlice, DeviceSliceMut, MemoryPool, SharedBuffer};
pub use crate::pod::{IcffiPod, IcffiZeroable};
pub use crate::stream::{PerThreadStream, Stream, StreamFlags};
pub use crate::transfer::{Transfer, TransferInto};
