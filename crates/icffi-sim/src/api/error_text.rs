//! Names and short texts of all error codes.

use std::ffi::CStr;

use icffi_sys::cudaError;

/// Code, name, text.
pub(super) const ROWS: &[(cudaError, &CStr, &CStr)] = &[
    (cudaError::cudaSuccess, c"cudaSuccess", c"no error"),
    (
        cudaError::cudaErrorInvalidValue,
        c"cudaErrorInvalidValue",
        c"invalid argument",
    ),
    (
        cudaError::cudaErrorMemoryAllocation,
        c"cudaErrorMemoryAllocation",
        c"out of memory",
    ),
    (
        cudaError::cudaErrorInitializationError,
        c"cudaErrorInitializationError",
        c"the runtime could not be initialised",
    ),
    (
        cudaError::cudaErrorCudartUnloading,
        c"cudaErrorCudartUnloading",
        c"the runtime is shutting down",
    ),
    (
        cudaError::cudaErrorProfilerDisabled,
        c"cudaErrorProfilerDisabled",
        c"the profiler is disabled",
    ),
    (
        cudaError::cudaErrorProfilerNotInitialized,
        c"cudaErrorProfilerNotInitialized",
        c"the profiler is not initialised",
    ),
    (
        cudaError::cudaErrorProfilerAlreadyStarted,
        c"cudaErrorProfilerAlreadyStarted",
        c"the profiler runs already",
    ),
    (
        cudaError::cudaErrorProfilerAlreadyStopped,
        c"cudaErrorProfilerAlreadyStopped",
        c"the profiler does not run",
    ),
    (
        cudaError::cudaErrorInvalidConfiguration,
        c"cudaErrorInvalidConfiguration",
        c"invalid launch configuration",
    ),
    (
        cudaError::cudaErrorInvalidPitchValue,
        c"cudaErrorInvalidPitchValue",
        c"invalid pitch",
    ),
    (
        cudaError::cudaErrorInvalidSymbol,
        c"cudaErrorInvalidSymbol",
        c"no such device symbol",
    ),
    (
        cudaError::cudaErrorInvalidHostPointer,
        c"cudaErrorInvalidHostPointer",
        c"invalid host pointer",
    ),
    (
        cudaError::cudaErrorInvalidDevicePointer,
        c"cudaErrorInvalidDevicePointer",
        c"invalid device pointer",
    ),
    (
        cudaError::cudaErrorInvalidTexture,
        c"cudaErrorInvalidTexture",
        c"invalid texture",
    ),
    (
        cudaError::cudaErrorInvalidTextureBinding,
        c"cudaErrorInvalidTextureBinding",
        c"invalid texture binding",
    ),
    (
        cudaError::cudaErrorInvalidChannelDescriptor,
        c"cudaErrorInvalidChannelDescriptor",
        c"invalid channel descriptor",
    ),
    (
        cudaError::cudaErrorInvalidMemcpyDirection,
        c"cudaErrorInvalidMemcpyDirection",
        c"invalid copy direction",
    ),
    (
        cudaError::cudaErrorAddressOfConstant,
        c"cudaErrorAddressOfConstant",
        c"address of constant",
    ),
    (
        cudaError::cudaErrorTextureFetchFailed,
        c"cudaErrorTextureFetchFailed",
        c"texture fetch failed",
    ),
    (
        cudaError::cudaErrorTextureNotBound,
        c"cudaErrorTextureNotBound",
        c"texture not bound",
    ),
    (
        cudaError::cudaErrorSynchronizationError,
        c"cudaErrorSynchronizationError",
        c"synchronization error",
    ),
    (
        cudaError::cudaErrorInvalidFilterSetting,
        c"cudaErrorInvalidFilterSetting",
        c"invalid filter setting",
    ),
    (
        cudaError::cudaErrorInvalidNormSetting,
        c"cudaErrorInvalidNormSetting",
        c"invalid norm setting",
    ),
    (
        cudaError::cudaErrorMixedDeviceExecution,
        c"cudaErrorMixedDeviceExecution",
        c"mixed device execution",
    ),
    (
        cudaError::cudaErrorNotYetImplemented,
        c"cudaErrorNotYetImplemented",
        c"not yet implemented",
    ),
    (
        cudaError::cudaErrorMemoryValueTooLarge,
        c"cudaErrorMemoryValueTooLarge",
        c"memory value too large",
    ),
    (
        cudaError::cudaErrorStubLibrary,
        c"cudaErrorStubLibrary",
        c"stub library",
    ),
    (
        cudaError::cudaErrorInsufficientDriver,
        c"cudaErrorInsufficientDriver",
        c"the driver is too old for this runtime",
    ),
    (
        cudaError::cudaErrorCallRequiresNewerDriver,
        c"cudaErrorCallRequiresNewerDriver",
        c"call requires newer driver",
    ),
    (
        cudaError::cudaErrorInvalidSurface,
        c"cudaErrorInvalidSurface",
        c"invalid surface",
    ),
    (
        cudaError::cudaErrorDuplicateVariableName,
        c"cudaErrorDuplicateVariableName",
        c"duplicate variable name",
    ),
    (
        cudaError::cudaErrorDuplicateTextureName,
        c"cudaErrorDuplicateTextureName",
        c"duplicate texture name",
    ),
    (
        cudaError::cudaErrorDuplicateSurfaceName,
        c"cudaErrorDuplicateSurfaceName",
        c"duplicate surface name",
    ),
    (
        cudaError::cudaErrorDevicesUnavailable,
        c"cudaErrorDevicesUnavailable",
        c"devices unavailable",
    ),
    (
        cudaError::cudaErrorIncompatibleDriverContext,
        c"cudaErrorIncompatibleDriverContext",
        c"incompatible driver context",
    ),
    (
        cudaError::cudaErrorMissingConfiguration,
        c"cudaErrorMissingConfiguration",
        c"missing configuration",
    ),
    (
        cudaError::cudaErrorPriorLaunchFailure,
        c"cudaErrorPriorLaunchFailure",
        c"prior launch failure",
    ),
    (
        cudaError::cudaErrorLaunchMaxDepthExceeded,
        c"cudaErrorLaunchMaxDepthExceeded",
        c"launch max depth exceeded",
    ),
    (
        cudaError::cudaErrorLaunchFileScopedTex,
        c"cudaErrorLaunchFileScopedTex",
        c"launch file scoped tex",
    ),
    (
        cudaError::cudaErrorLaunchFileScopedSurf,
        c"cudaErrorLaunchFileScopedSurf",
        c"launch file scoped surf",
    ),
    (
        cudaError::cudaErrorSyncDepthExceeded,
        c"cudaErrorSyncDepthExceeded",
        c"sync depth exceeded",
    ),
    (
        cudaError::cudaErrorLaunchPendingCountExceeded,
        c"cudaErrorLaunchPendingCountExceeded",
        c"launch pending count exceeded",
    ),
    (
        cudaError::cudaErrorInvalidDeviceFunction,
        c"cudaErrorInvalidDeviceFunction",
        c"invalid device function",
    ),
    (
        cudaError::cudaErrorNoDevice,
        c"cudaErrorNoDevice",
        c"no CUDA device",
    ),
    (
        cudaError::cudaErrorInvalidDevice,
        c"cudaErrorInvalidDevice",
        c"no such device",
    ),
    (
        cudaError::cudaErrorDeviceNotLicensed,
        c"cudaErrorDeviceNotLicensed",
        c"device not licensed",
    ),
    (
        cudaError::cudaErrorSoftwareValidityNotEstablished,
        c"cudaErrorSoftwareValidityNotEstablished",
        c"software validity not established",
    ),
    (
        cudaError::cudaErrorStartupFailure,
        c"cudaErrorStartupFailure",
        c"startup failure",
    ),
    (
        cudaError::cudaErrorInvalidKernelImage,
        c"cudaErrorInvalidKernelImage",
        c"invalid kernel image",
    ),
    (
        cudaError::cudaErrorDeviceUninitialized,
        c"cudaErrorDeviceUninitialized",
        c"device uninitialized",
    ),
    (
        cudaError::cudaErrorMapBufferObjectFailed,
        c"cudaErrorMapBufferObjectFailed",
        c"map buffer object failed",
    ),
    (
        cudaError::cudaErrorUnmapBufferObjectFailed,
        c"cudaErrorUnmapBufferObjectFailed",
        c"unmap buffer object failed",
    ),
    (
        cudaError::cudaErrorArrayIsMapped,
        c"cudaErrorArrayIsMapped",
        c"array is mapped",
    ),
    (
        cudaError::cudaErrorAlreadyMapped,
        c"cudaErrorAlreadyMapped",
        c"already mapped",
    ),
    (
        cudaError::cudaErrorNoKernelImageForDevice,
        c"cudaErrorNoKernelImageForDevice",
        c"the program holds no kernel for this device",
    ),
    (
        cudaError::cudaErrorAlreadyAcquired,
        c"cudaErrorAlreadyAcquired",
        c"already acquired",
    ),
    (
        cudaError::cudaErrorNotMapped,
        c"cudaErrorNotMapped",
        c"not mapped",
    ),
    (
        cudaError::cudaErrorNotMappedAsArray,
        c"cudaErrorNotMappedAsArray",
        c"not mapped as array",
    ),
    (
        cudaError::cudaErrorNotMappedAsPointer,
        c"cudaErrorNotMappedAsPointer",
        c"not mapped as pointer",
    ),
    (
        cudaError::cudaErrorECCUncorrectable,
        c"cudaErrorECCUncorrectable",
        c"uncorrectable memory error",
    ),
    (
        cudaError::cudaErrorUnsupportedLimit,
        c"cudaErrorUnsupportedLimit",
        c"unsupported limit",
    ),
    (
        cudaError::cudaErrorDeviceAlreadyInUse,
        c"cudaErrorDeviceAlreadyInUse",
        c"device already in use",
    ),
    (
        cudaError::cudaErrorPeerAccessUnsupported,
        c"cudaErrorPeerAccessUnsupported",
        c"peer access unsupported",
    ),
    (
        cudaError::cudaErrorInvalidPtx,
        c"cudaErrorInvalidPtx",
        c"invalid ptx",
    ),
    (
        cudaError::cudaErrorInvalidGraphicsContext,
        c"cudaErrorInvalidGraphicsContext",
        c"invalid graphics context",
    ),
    (
        cudaError::cudaErrorNvlinkUncorrectable,
        c"cudaErrorNvlinkUncorrectable",
        c"nvlink uncorrectable",
    ),
    (
        cudaError::cudaErrorJitCompilerNotFound,
        c"cudaErrorJitCompilerNotFound",
        c"jit compiler not found",
    ),
    (
        cudaError::cudaErrorUnsupportedPtxVersion,
        c"cudaErrorUnsupportedPtxVersion",
        c"unsupported ptx version",
    ),
    (
        cudaError::cudaErrorJitCompilationDisabled,
        c"cudaErrorJitCompilationDisabled",
        c"jit compilation disabled",
    ),
    (
        cudaError::cudaErrorUnsupportedExecAffinity,
        c"cudaErrorUnsupportedExecAffinity",
        c"unsupported exec affinity",
    ),
    (
        cudaError::cudaErrorUnsupportedDevSideSync,
        c"cudaErrorUnsupportedDevSideSync",
        c"unsupported dev side sync",
    ),
    (
        cudaError::cudaErrorContained,
        c"cudaErrorContained",
        c"contained",
    ),
    (
        cudaError::cudaErrorInvalidSource,
        c"cudaErrorInvalidSource",
        c"invalid source",
    ),
    (
        cudaError::cudaErrorFileNotFound,
        c"cudaErrorFileNotFound",
        c"file not found",
    ),
    (
        cudaError::cudaErrorSharedObjectSymbolNotFound,
        c"cudaErrorSharedObjectSymbolNotFound",
        c"shared object symbol not found",
    ),
    (
        cudaError::cudaErrorSharedObjectInitFailed,
        c"cudaErrorSharedObjectInitFailed",
        c"shared object init failed",
    ),
    (
        cudaError::cudaErrorOperatingSystem,
        c"cudaErrorOperatingSystem",
        c"an operating system call failed",
    ),
    (
        cudaError::cudaErrorInvalidResourceHandle,
        c"cudaErrorInvalidResourceHandle",
        c"invalid handle",
    ),
    (
        cudaError::cudaErrorIllegalState,
        c"cudaErrorIllegalState",
        c"illegal state",
    ),
    (
        cudaError::cudaErrorLossyQuery,
        c"cudaErrorLossyQuery",
        c"lossy query",
    ),
    (
        cudaError::cudaErrorSymbolNotFound,
        c"cudaErrorSymbolNotFound",
        c"symbol not found",
    ),
    (
        cudaError::cudaErrorNotReady,
        c"cudaErrorNotReady",
        c"work is not finished yet",
    ),
    (
        cudaError::cudaErrorIllegalAddress,
        c"cudaErrorIllegalAddress",
        c"a kernel or copy touched memory it must not touch",
    ),
    (
        cudaError::cudaErrorLaunchOutOfResources,
        c"cudaErrorLaunchOutOfResources",
        c"too many resources asked for a launch",
    ),
    (
        cudaError::cudaErrorLaunchTimeout,
        c"cudaErrorLaunchTimeout",
        c"a kernel ran too long",
    ),
    (
        cudaError::cudaErrorLaunchIncompatibleTexturing,
        c"cudaErrorLaunchIncompatibleTexturing",
        c"launch incompatible texturing",
    ),
    (
        cudaError::cudaErrorPeerAccessAlreadyEnabled,
        c"cudaErrorPeerAccessAlreadyEnabled",
        c"peer access is enabled already",
    ),
    (
        cudaError::cudaErrorPeerAccessNotEnabled,
        c"cudaErrorPeerAccessNotEnabled",
        c"peer access is not enabled",
    ),
    (
        cudaError::cudaErrorSetOnActiveProcess,
        c"cudaErrorSetOnActiveProcess",
        c"the device is in use already",
    ),
    (
        cudaError::cudaErrorContextIsDestroyed,
        c"cudaErrorContextIsDestroyed",
        c"the context is destroyed",
    ),
    (
        cudaError::cudaErrorAssert,
        c"cudaErrorAssert",
        c"an assertion in a kernel failed",
    ),
    (
        cudaError::cudaErrorTooManyPeers,
        c"cudaErrorTooManyPeers",
        c"too many peer devices",
    ),
    (
        cudaError::cudaErrorHostMemoryAlreadyRegistered,
        c"cudaErrorHostMemoryAlreadyRegistered",
        c"the host memory is registered already",
    ),
    (
        cudaError::cudaErrorHostMemoryNotRegistered,
        c"cudaErrorHostMemoryNotRegistered",
        c"the host memory is not registered",
    ),
    (
        cudaError::cudaErrorHardwareStackError,
        c"cudaErrorHardwareStackError",
        c"hardware stack error",
    ),
    (
        cudaError::cudaErrorIllegalInstruction,
        c"cudaErrorIllegalInstruction",
        c"illegal instruction",
    ),
    (
        cudaError::cudaErrorMisalignedAddress,
        c"cudaErrorMisalignedAddress",
        c"misaligned address",
    ),
    (
        cudaError::cudaErrorInvalidAddressSpace,
        c"cudaErrorInvalidAddressSpace",
        c"invalid address space",
    ),
    (
        cudaError::cudaErrorInvalidPc,
        c"cudaErrorInvalidPc",
        c"invalid pc",
    ),
    (
        cudaError::cudaErrorLaunchFailure,
        c"cudaErrorLaunchFailure",
        c"a kernel failed",
    ),
    (
        cudaError::cudaErrorCooperativeLaunchTooLarge,
        c"cudaErrorCooperativeLaunchTooLarge",
        c"cooperative launch too large",
    ),
    (
        cudaError::cudaErrorTensorMemoryLeak,
        c"cudaErrorTensorMemoryLeak",
        c"tensor memory leak",
    ),
    (
        cudaError::cudaErrorNotPermitted,
        c"cudaErrorNotPermitted",
        c"not permitted here",
    ),
    (
        cudaError::cudaErrorNotSupported,
        c"cudaErrorNotSupported",
        c"not supported",
    ),
    (
        cudaError::cudaErrorSystemNotReady,
        c"cudaErrorSystemNotReady",
        c"system not ready",
    ),
    (
        cudaError::cudaErrorSystemDriverMismatch,
        c"cudaErrorSystemDriverMismatch",
        c"system driver mismatch",
    ),
    (
        cudaError::cudaErrorCompatNotSupportedOnDevice,
        c"cudaErrorCompatNotSupportedOnDevice",
        c"compat not supported on device",
    ),
    (
        cudaError::cudaErrorMpsConnectionFailed,
        c"cudaErrorMpsConnectionFailed",
        c"mps connection failed",
    ),
    (
        cudaError::cudaErrorMpsRpcFailure,
        c"cudaErrorMpsRpcFailure",
        c"mps rpc failure",
    ),
    (
        cudaError::cudaErrorMpsServerNotReady,
        c"cudaErrorMpsServerNotReady",
        c"mps server not ready",
    ),
    (
        cudaError::cudaErrorMpsMaxClientsReached,
        c"cudaErrorMpsMaxClientsReached",
        c"mps max clients reached",
    ),
    (
        cudaError::cudaErrorMpsMaxConnectionsReached,
        c"cudaErrorMpsMaxConnectionsReached",
        c"mps max connections reached",
    ),
    (
        cudaError::cudaErrorMpsClientTerminated,
        c"cudaErrorMpsClientTerminated",
        c"mps client terminated",
    ),
    (
        cudaError::cudaErrorCdpNotSupported,
        c"cudaErrorCdpNotSupported",
        c"cdp not supported",
    ),
    (
        cudaError::cudaErrorCdpVersionMismatch,
        c"cudaErrorCdpVersionMismatch",
        c"cdp version mismatch",
    ),
    (
        cudaError::cudaErrorStreamCaptureUnsupported,
        c"cudaErrorStreamCaptureUnsupported",
        c"not possible while a stream is captured",
    ),
    (
        cudaError::cudaErrorStreamCaptureInvalidated,
        c"cudaErrorStreamCaptureInvalidated",
        c"the capture was invalidated earlier",
    ),
    (
        cudaError::cudaErrorStreamCaptureMerge,
        c"cudaErrorStreamCaptureMerge",
        c"two captures would become one",
    ),
    (
        cudaError::cudaErrorStreamCaptureUnmatched,
        c"cudaErrorStreamCaptureUnmatched",
        c"the capture did not begin on this stream",
    ),
    (
        cudaError::cudaErrorStreamCaptureUnjoined,
        c"cudaErrorStreamCaptureUnjoined",
        c"a forked stream was not joined",
    ),
    (
        cudaError::cudaErrorStreamCaptureIsolation,
        c"cudaErrorStreamCaptureIsolation",
        c"the dependency crosses the border of a capture",
    ),
    (
        cudaError::cudaErrorStreamCaptureImplicit,
        c"cudaErrorStreamCaptureImplicit",
        c"the legacy stream would depend on a capture",
    ),
    (
        cudaError::cudaErrorCapturedEvent,
        c"cudaErrorCapturedEvent",
        c"the event was last recorded in a capture",
    ),
    (
        cudaError::cudaErrorStreamCaptureWrongThread,
        c"cudaErrorStreamCaptureWrongThread",
        c"the capture belongs to another thread",
    ),
    (
        cudaError::cudaErrorTimeout,
        c"cudaErrorTimeout",
        c"it took too long",
    ),
    (
        cudaError::cudaErrorGraphExecUpdateFailure,
        c"cudaErrorGraphExecUpdateFailure",
        c"the graph differs too much for an update",
    ),
    (
        cudaError::cudaErrorExternalDevice,
        c"cudaErrorExternalDevice",
        c"external device",
    ),
    (
        cudaError::cudaErrorInvalidClusterSize,
        c"cudaErrorInvalidClusterSize",
        c"invalid cluster size",
    ),
    (
        cudaError::cudaErrorFunctionNotLoaded,
        c"cudaErrorFunctionNotLoaded",
        c"function not loaded",
    ),
    (
        cudaError::cudaErrorInvalidResourceType,
        c"cudaErrorInvalidResourceType",
        c"invalid resource type",
    ),
    (
        cudaError::cudaErrorInvalidResourceConfiguration,
        c"cudaErrorInvalidResourceConfiguration",
        c"invalid resource configuration",
    ),
    (
        cudaError::cudaErrorUnknown,
        c"cudaErrorUnknown",
        c"unknown error",
    ),
    (
        cudaError::cudaErrorApiFailureBase,
        c"cudaErrorApiFailureBase",
        c"API failure base",
    ),
];
