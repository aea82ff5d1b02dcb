//! What graphs and nodes say about themselves.

use std::ptr;

use icffi_sys::{
    cudaError as E, cudaGraph_t, cudaGraphEdgeData, cudaGraphNode_t, cudaGraphNodeType,
};

use crate::call::{Outcome, exported, get, put};
use crate::graph::Node;
use crate::state::{Lock, Sim};

/// Answers as CUDA lists things: without a place only their number, else as many as fit and nulls
/// for the rest.
fn list(found: &[cudaGraphNode_t], out: *mut cudaGraphNode_t, count: *mut usize) -> Outcome {
    let room = get(count)?;
    if out.is_null() {
        return put(count, found.len());
    }
    for i in 0..room {
        // `room` places are the caller's promise.
        put(
            out.wrapping_add(i),
            found.get(i).copied().unwrap_or(ptr::null_mut()),
        )?;
    }
    put(count, room.min(found.len()))
}

/// The same for the data of edges, all of which are plain.
fn list_edges(found: usize, out: *mut cudaGraphEdgeData, room: usize) -> Outcome {
    if out.is_null() {
        return Ok(());
    }
    (0..room.min(found)).try_for_each(|i| put(out.wrapping_add(i), cudaGraphEdgeData::default()))
}

fn handle(node: &Node) -> cudaGraphNode_t {
    node.handle as cudaGraphNode_t
}

impl Sim {
    fn nodes(&mut self, graph: cudaGraph_t) -> Outcome<&[Node]> {
        let key = self.graph(graph)?;
        let graph = self
            .graphs
            .graphs
            .get(key)
            .ok_or(E::cudaErrorInvalidValue)?;
        Ok(&graph.nodes)
    }

    /// The nodes of the graph that a node handle of the caller's is in, and its position.
    fn around(&mut self, node: cudaGraphNode_t) -> Outcome<(&[Node], usize)> {
        let Some((graph, position)) = self.graphs.nodes.get(node as usize).copied() else {
            self.bad_handle("graph node", node as usize);
            return Err(E::cudaErrorInvalidValue);
        };
        let graph = self
            .graphs
            .graphs
            .get(graph)
            .ok_or(E::cudaErrorInvalidValue)?;
        Ok((&graph.nodes, position))
    }
}

fn neighbours(
    sim: &mut Lock,
    node: cudaGraphNode_t,
    before: bool,
) -> Outcome<Vec<cudaGraphNode_t>> {
    let (nodes, position) = sim.around(node)?;
    Ok(if before {
        nodes[position]
            .deps
            .iter()
            .map(|dep| handle(&nodes[*dep]))
            .collect()
    } else {
        nodes
            .iter()
            .filter(|n| n.deps.contains(&position))
            .map(handle)
            .collect()
    })
}

exported! {
    Context fn cudaGraphGetNodes(
        graph: cudaGraph_t, out: *mut cudaGraphNode_t, count: *mut usize
    ) |sim| {
        let found: Vec<_> = sim.nodes(graph)?.iter().map(handle).collect();
        list(&found, out, count)
    }

    Context fn cudaGraphGetRootNodes(
        graph: cudaGraph_t, out: *mut cudaGraphNode_t, count: *mut usize
    ) |sim| {
        let roots = sim.nodes(graph)?.iter().filter(|n| n.deps.is_empty());
        let found: Vec<_> = roots.map(handle).collect();
        list(&found, out, count)
    }

    Context fn cudaGraphGetEdges(
        graph: cudaGraph_t, from: *mut cudaGraphNode_t, to: *mut cudaGraphNode_t,
        data: *mut cudaGraphEdgeData, count: *mut usize
    ) |sim| {
        if from.is_null() != to.is_null() {
            return Err(E::cudaErrorInvalidValue);
        }
        let nodes = sim.nodes(graph)?;
        let edges = nodes.iter().flat_map(|n| n.deps.iter().map(move |d| (*d, n)));
        let (starts, ends): (Vec<_>, Vec<_>) =
            edges.map(|(dep, node)| (handle(&nodes[dep]), handle(node))).unzip();
        let room = get(count)?;
        list(&starts, from, count)?;
        put(count, room)?;
        list(&ends, to, count)?;
        list_edges(starts.len(), data, room)
    }

    Context fn cudaGraphNodeGetDependencies(
        node: cudaGraphNode_t, out: *mut cudaGraphNode_t, data: *mut cudaGraphEdgeData,
        count: *mut usize
    ) |sim| {
        let found = neighbours(sim, node, true)?;
        let room = get(count)?;
        list(&found, out, count)?;
        list_edges(found.len(), data, room)
    }

    Context fn cudaGraphNodeGetDependentNodes(
        node: cudaGraphNode_t, out: *mut cudaGraphNode_t, data: *mut cudaGraphEdgeData,
        count: *mut usize
    ) |sim| {
        let found = neighbours(sim, node, false)?;
        let room = get(count)?;
        list(&found, out, count)?;
        list_edges(found.len(), data, room)
    }

    Context fn cudaGraphNodeGetType(node: cudaGraphNode_t, out: *mut cudaGraphNodeType) |sim| {
        let (nodes, position) = sim.around(node)?;
        put(out, nodes[position].kind())
    }
}
