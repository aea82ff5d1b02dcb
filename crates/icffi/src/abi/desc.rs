//! Buffer descriptors: a device pointer and a length in elements.

use std::marker::PhantomData;

macro_rules! descriptor {
    ($(#[$doc:meta])* $name:ident, $ptr:ty, $null:path) => {
        $(#[$doc])*
        #[repr(C, align(8))]
        pub struct $name<T> {
            ptr: $ptr,
            len: u64,
            _element: PhantomData<$ptr>,
        }

        // By hand: a descriptor is copyable whatever `T` is.
        impl<T> Clone for $name<T> {
            fn clone(&self) -> Self {
                *self
            }
        }
        impl<T> Copy for $name<T> {}

        impl<T> std::fmt::Debug for $name<T> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(stringify!($name))
                    .field("ptr", &self.ptr)
                    .field("len", &self.len)
                    .finish()
            }
        }

        impl<T> $name<T> {
            /// Of `len` elements at the device address `ptr`. Nothing is checked and no use is
            /// registered.
            #[must_use]
            pub const fn new(ptr: $ptr, len: u64) -> Self {
                Self { ptr, len, _element: PhantomData }
            }

            /// Of no elements; the pointer is null.
            #[must_use]
            pub const fn empty() -> Self {
                Self::new($null(), 0)
            }

            /// The device address.
            #[must_use]
            pub const fn as_ptr(&self) -> $ptr {
                self.ptr
            }

            /// The length in elements.
            #[must_use]
            pub const fn len(&self) -> u64 {
                self.len
            }

            /// Whether there are no elements.
            #[must_use]
            pub const fn is_empty(&self) -> bool {
                self.len == 0
            }
        }

        const _: () = {
            assert!(size_of::<$name<u8>>() == 16 && size_of::<$name<[u64; 8]>>() == 16);
            assert!(align_of::<$name<u8>>() == 8 && align_of::<$name<[u64; 8]>>() == 8);
            assert!(std::mem::offset_of!($name<u8>, ptr) == 0);
            assert!(std::mem::offset_of!($name<u8>, len) == 8);
        };
    };
}

descriptor! {
    /// A kernel's input: `icffi::In<T>` in C++. 16 bytes, aligned to 8, whatever `T` is.
    InBufferDesc, *const T, std::ptr::null
}
descriptor! {
    /// A kernel's output (or in-out) buffer: `icffi::Out<T>` in C++. 16 bytes, aligned to 8.
    OutBufferDesc, *mut T, std::ptr::null_mut
}
