//! A graph as a drawing.

use std::ffi::{CStr, c_char, c_uint};
use std::fmt::Write as _;
use std::path::Path;

use icffi_sys::{cudaError as E, cudaGraphNodeType as NodeType};

use super::{Node, Step};
use crate::call::Outcome;
use crate::sched::{Source, Work};
use crate::state::Sim;

impl Sim {
    /// Writes a DOT file. Any flag adds what the nodes touch.
    pub(crate) fn print_dot(&self, graph: usize, path: *const c_char, flags: c_uint) -> Outcome {
        if path.is_null() {
            return Err(E::cudaErrorInvalidValue);
        }
        // SAFETY: not null, and a C string by the contract of the function.
        let path = unsafe { CStr::from_ptr(path) };
        let path = path.to_str().map_err(|_| E::cudaErrorInvalidValue)?;
        let nodes = self
            .graphs
            .graphs
            .get(graph)
            .map(|graph| graph.nodes.as_slice());
        let mut text = String::from("digraph dot {\n");
        draw(&mut text, nodes.unwrap_or_default(), "graph_0", flags != 0);
        text.push_str("}\n");
        std::fs::write(Path::new(path), text).map_err(|_| E::cudaErrorOperatingSystem)
    }
}

fn draw(text: &mut String, nodes: &[Node], name: &str, verbose: bool) {
    let line = |text: &mut String, line: String| {
        text.push_str(&line);
        text.push('\n');
    };
    line(text, format!("subgraph cluster_{name} {{"));
    line(text, format!("label=\"{name}\" graph[style=\"dashed\"];"));
    for (i, node) in nodes.iter().enumerate() {
        let mut label = format!("{i}\\n{}", kind(node));
        if verbose {
            let _ = write!(label, "\\n{}", escape(&detail(node)));
        }
        let shape = if node.kind() == NodeType::cudaGraphNodeTypeKernel {
            "octagon"
        } else {
            "box"
        };
        line(
            text,
            format!("\"{name}_node_{i}\"[shape=\"{shape}\" label=\"{label}\"];"),
        );
        for dep in &node.deps {
            line(
                text,
                format!("\"{name}_node_{dep}\" -> \"{name}_node_{i}\";"),
            );
        }
    }
    line(text, "}".to_owned());
}

/// The kind of a node as CUDA's own drawings name it.
fn kind(node: &Node) -> &'static str {
    match node.kind() {
        NodeType::cudaGraphNodeTypeKernel => "KERNEL",
        NodeType::cudaGraphNodeTypeMemcpy => "MEMCPY",
        NodeType::cudaGraphNodeTypeMemset => "MEMSET",
        NodeType::cudaGraphNodeTypeHost => "HOST",
        NodeType::cudaGraphNodeTypeWaitEvent => "WAIT_EVENT",
        NodeType::cudaGraphNodeTypeEventRecord => "EVENT_RECORD",
        NodeType::cudaGraphNodeTypeMemAlloc => "MEM_ALLOC",
        NodeType::cudaGraphNodeTypeMemFree => "MEM_FREE",
        _ => "EMPTY",
    }
}

fn detail(node: &Node) -> String {
    match &node.step {
        Step::Work(Work::Kernel(launch)) => launch.name.clone(),
        Step::Work(Work::Copy(copy)) => {
            let source = match &copy.source {
                Source::Memory(region) => region.address,
                Source::Staged(_) => 0,
            };
            let (width, height) = (copy.width, copy.height);
            format!(
                "{width} x {height} bytes, {source:#x} to {:#x}",
                copy.target.address
            )
        }
        Step::Work(Work::Fill(fill)) => {
            let (width, height, at) = (fill.width, fill.height, fill.target.address);
            format!("{width} x {height} bytes at {at:#x}, value {}", fill.value)
        }
        _ => node.function.to_owned(),
    }
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
