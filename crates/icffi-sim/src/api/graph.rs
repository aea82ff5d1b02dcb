//! Graphs: executables, launches, updates.

use std::ffi::{c_char, c_uint, c_ulonglong};
use std::ptr;

use icffi_sys::{
    cudaError as E, cudaGraph_t, cudaGraphExec_t, cudaGraphExecUpdateResult as Updated,
    cudaGraphExecUpdateResultInfo as UpdateInfo, cudaStream_t,
};

use crate::call::{Outcome, exported, put};
use crate::sched::Work;
use crate::state::Lock;

fn instantiate(
    sim: &mut Lock,
    out: *mut cudaGraphExec_t,
    graph: cudaGraph_t,
    flags: c_ulonglong,
) -> Outcome {
    let graph = sim.graph(graph)?;
    if out.is_null() {
        return Err(E::cudaErrorInvalidValue);
    }
    sim.unsafe_call()?;
    let exec = sim.instantiate(graph, flags)?;
    put(out, exec as cudaGraphExec_t)
}

exported! {
    Context fn cudaGraphInstantiate(
        out: *mut cudaGraphExec_t, graph: cudaGraph_t, flags: c_ulonglong
    ) |sim| {
        instantiate(sim, out, graph, flags)
    }

    Context fn cudaGraphInstantiateWithFlags(
        out: *mut cudaGraphExec_t, graph: cudaGraph_t, flags: c_ulonglong
    ) |sim| {
        instantiate(sim, out, graph, flags)
    }

    Context fn cudaGraphExecGetFlags(exec: cudaGraphExec_t, out: *mut c_ulonglong) |sim| {
        let exec = sim.exec(exec)?;
        let flags = sim.graphs.execs.get(exec).map_or(0, |exec| exec.flags);
        put(out, flags)
    }

    Context fn cudaGraphLaunch(exec: cudaGraphExec_t, stream: cudaStream_t) |sim| {
        let exec = sim.exec(exec)?;
        let key = sim.resolve(stream)?;
        // An executable cannot become a node.
        sim.not_in_capture(key)?;
        sim.launch_graph(exec, key)
    }

    // Nothing has to be brought anywhere, but it has its turn in the stream.
    Context fn cudaGraphUpload(exec: cudaGraphExec_t, stream: cudaStream_t) |sim| {
        let exec = sim.exec(exec)?;
        let key = sim.resolve(stream)?;
        sim.not_in_capture(key)?;
        let last = sim.graphs.execs.get(exec).and_then(|exec| exec.last);
        sim.enqueue_after(key, "cudaGraphUpload", last.into_iter().collect(), Work::Nothing);
        Ok(())
    }

    Context fn cudaGraphExecUpdate(
        exec: cudaGraphExec_t, graph: cudaGraph_t, info: *mut UpdateInfo
    ) |sim| {
        let (exec, graph) = (sim.exec(exec)?, sim.graph(graph)?);
        let (result, node) = sim.update_exec(exec, graph);
        if !info.is_null() {
            put(info, UpdateInfo {
                result,
                errorNode: node.map_or(ptr::null_mut(), |node| node as _),
                errorFromNode: ptr::null_mut(),
            })?;
        }
        if result == Updated::cudaGraphExecUpdateError {
            return Err(E::cudaErrorInvalidValue);
        }
        if result.0 == 0 { Ok(()) } else { Err(E::cudaErrorGraphExecUpdateFailure) }
    }

    Context fn cudaGraphExecDestroy(exec: cudaGraphExec_t) |sim| {
        let exec = sim.exec(exec)?;
        sim.unsafe_call()?;
        sim.destroy_exec(exec);
        Ok(())
    }

    Context fn cudaGraphDestroy(graph: cudaGraph_t) |sim| {
        let graph = sim.graph(graph)?;
        if sim.graphs.graphs.get(graph).is_some_and(|graph| graph.capturing) {
            return Err(E::cudaErrorIllegalState);
        }
        sim.drop_graph(graph);
        Ok(())
    }

    Context fn cudaGraphDebugDotPrint(
        graph: cudaGraph_t, path: *const c_char, flags: c_uint
    ) |sim| {
        let graph = sim.graph(graph)?;
        sim.print_dot(graph, path, flags)
    }
}
