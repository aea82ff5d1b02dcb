//! Captures: streams whose operations become nodes.

use std::collections::BTreeSet;

use icffi_sys::{cudaError as E, cudaGraphEdgeData, cudaStreamCaptureMode as Mode};

use super::{Graph, Node, Step};
use crate::call::Outcome;
use crate::event::Marks;
use crate::sched::{Class, StreamKey};
use crate::state::{self, Sim};

/// Captures are told apart by number.
pub(crate) type CaptureId = u64;

/// One capture, from its begin to its end.
#[derive(Debug)]
pub(crate) struct Capture {
    /// The stream where it was begun.
    pub(crate) origin: StreamKey,
    pub(crate) mode: Mode,
    /// The host thread that began it.
    pub(crate) thread: u64,
    pub(crate) graph: usize,
    /// A rule was broken: all that is left is to end it.
    pub(crate) invalid: bool,
    /// The origin and all streams that were pulled in.
    pub(crate) streams: BTreeSet<StreamKey>,
}

/// The part of a stream in a capture.
#[derive(Debug)]
pub(crate) struct InCapture {
    pub(crate) id: CaptureId,
    /// What its next node will depend on, as positions in the graph.
    pub(crate) deps: Vec<usize>,
    /// The same as handles, and the data of the edges, for as long as the program may look.
    pub(crate) shown: (Vec<usize>, Vec<cudaGraphEdgeData>),
}

impl InCapture {
    fn new(id: CaptureId, deps: Vec<usize>) -> InCapture {
        let shown = (Vec::new(), Vec::new());
        InCapture { id, deps, shown }
    }
}

fn merge(into: &mut Vec<usize>, more: &[usize]) {
    for node in more {
        if !into.contains(node) {
            into.push(*node);
        }
    }
}

impl Sim {
    /// The capture that a stream is in.
    pub(crate) fn capture_of(&self, key: StreamKey) -> Option<CaptureId> {
        Some(self.sched.streams.get(&key)?.capture.as_ref()?.id)
    }

    pub(crate) fn begin_capture(&mut self, key: StreamKey, mode: Mode) -> Outcome {
        let id = self.graphs.next_capture;
        self.graphs.next_capture += 1;
        let graph = self.graphs.graphs.insert(Graph {
            nodes: Vec::new(),
            capturing: true,
        });
        let capture = Capture {
            origin: key,
            mode,
            thread: state::thread_number(),
            graph,
            invalid: false,
            streams: BTreeSet::from([key]),
        };
        self.graphs.captures.insert(id, capture);
        self.join(key, id, Vec::new());
        Ok(())
    }

    fn join(&mut self, key: StreamKey, id: CaptureId, deps: Vec<usize>) {
        if let Some(stream) = self.sched.streams.get_mut(&key) {
            stream.capture = Some(InCapture::new(id, deps));
        }
    }

    /// Ends the capture of a stream. Returns the graph's handle.
    pub(crate) fn end_capture(&mut self, key: StreamKey) -> Outcome<usize> {
        let id = self.capture_of(key).ok_or(E::cudaErrorIllegalState)?;
        let capture = &self.graphs.captures[&id];
        if capture.origin != key {
            self.invalidate(id);
            return Err(E::cudaErrorStreamCaptureUnmatched);
        }
        if !capture.invalid
            && capture.mode != Mode::cudaStreamCaptureModeRelaxed
            && capture.thread != state::thread_number()
        {
            // It is over all the same.
            let graph = self.leave_capture(id);
            self.drop_graph(graph);
            return Err(E::cudaErrorStreamCaptureWrongThread);
        }
        let outcome = if capture.invalid {
            Err(E::cudaErrorStreamCaptureInvalidated)
        } else if !self.is_joined(id) {
            Err(E::cudaErrorStreamCaptureUnjoined)
        } else {
            Ok(())
        };
        let graph = self.leave_capture(id);
        if outcome.is_err() {
            self.drop_graph(graph);
        }
        outcome.map(|()| graph)
    }

    /// Makes the streams of a capture ordinary ones again. Returns the graph.
    fn leave_capture(&mut self, id: CaptureId) -> usize {
        let Some(capture) = self.graphs.captures.remove(&id) else {
            return 0;
        };
        for stream in &capture.streams {
            if let Some(stream) = self.sched.streams.get_mut(stream) {
                stream.capture = None;
            }
        }
        if let Some(graph) = self.graphs.graphs.get_mut(capture.graph) {
            graph.capturing = false;
        }
        capture.graph
    }

    /// A capture ends with the stream in which it was begun.
    pub(crate) fn stream_destroyed(&mut self, key: StreamKey) {
        let Some(id) = self.capture_of(key) else {
            return;
        };
        if self
            .graphs
            .captures
            .get(&id)
            .is_some_and(|capture| capture.origin == key)
        {
            let graph = self.leave_capture(id);
            self.drop_graph(graph);
        }
    }

    /// Ends all captures that have a stream of this device.
    pub(crate) fn drop_captures(&mut self, device: usize) {
        let streams = self.sched.streams.values().filter(|s| s.device == device);
        let hit = streams.filter_map(|s| s.capture.as_ref().map(|c| c.id));
        for id in hit.collect::<BTreeSet<_>>() {
            let graph = self.leave_capture(id);
            self.drop_graph(graph);
        }
    }

    /// Whether all that forked streams have captured is behind the origin.
    fn is_joined(&self, id: CaptureId) -> bool {
        let capture = &self.graphs.captures[&id];
        let deps_of = |key: &StreamKey| {
            let stream = self.sched.streams.get(key)?;
            stream.capture.as_ref().map(|c| c.deps.as_slice())
        };
        let Some(graph) = self.graphs.graphs.get(capture.graph) else {
            return true;
        };
        let mut behind = vec![false; graph.nodes.len()];
        let mut left = deps_of(&capture.origin).unwrap_or_default().to_vec();
        while let Some(node) = left.pop() {
            if !std::mem::replace(&mut behind[node], true) {
                left.extend(&graph.nodes[node].deps);
            }
        }
        behind.iter().all(|b| *b)
    }

    /// Makes a node of an operation that a stream was given. None if it is not captured.
    pub(crate) fn capture_work(
        &mut self,
        key: StreamKey,
        function: &'static str,
        step: Step,
    ) -> Option<usize> {
        let id = self.capture_of(key)?;
        let graph = self.graphs.captures.get(&id)?.graph;
        let stream = self.sched.streams.get_mut(&key)?;
        let device = stream.device;
        let deps = std::mem::take(&mut stream.capture.as_mut()?.deps);
        let nodes = &mut self.graphs.graphs.get_mut(graph)?.nodes;
        let position = nodes.len();
        let handle = self.graphs.nodes.insert((graph, position));
        nodes.push(Node {
            handle,
            device,
            function,
            deps,
            step,
        });
        stream.capture.as_mut()?.deps = vec![position];
        Some(position)
    }

    /// The handles of what the next node of a captured stream will depend on, and the data of
    /// those edges. They stay where they are until the next call for this stream.
    pub(crate) fn show_deps(&mut self, key: StreamKey) -> Option<(&[usize], &[cudaGraphEdgeData])> {
        let capture = self.sched.streams.get_mut(&key)?.capture.as_mut()?;
        let graph = self.graphs.captures.get(&capture.id)?.graph;
        let nodes = &self.graphs.graphs.get(graph)?.nodes;
        let (handles, data) = &mut capture.shown;
        *handles = capture.deps.iter().map(|dep| nodes[*dep].handle).collect();
        *data = vec![cudaGraphEdgeData::default(); handles.len()];
        Some((handles.as_slice(), data.as_slice()))
    }

    /// What an event recorded in a captured stream stands for.
    pub(crate) fn capture_record(&mut self, key: StreamKey) -> Option<Marks> {
        let capture = self.sched.streams.get(&key)?.capture.as_ref()?;
        Some(Marks {
            capture: capture.id,
            nodes: capture.deps.clone(),
        })
    }

    /// A stream is to wait for an event recorded in a capture: it joins the capture.
    pub(crate) fn capture_wait(&mut self, key: StreamKey, marks: &Marks) -> Outcome {
        if !self.is_active(marks.capture) {
            // It cannot become part of a capture either.
            if let Some(id) = self.capture_of(key) {
                self.invalidate(id);
            }
            return Err(E::cudaErrorInvalidValue);
        }
        match self.capture_of(key) {
            None => {
                if self.sched.streams[&key].class == Class::Legacy {
                    self.invalidate(marks.capture);
                    return Err(E::cudaErrorStreamCaptureImplicit);
                }
                if let Some(capture) = self.graphs.captures.get_mut(&marks.capture) {
                    capture.streams.insert(key);
                }
                self.join(key, marks.capture, marks.nodes.clone());
            }
            Some(id) if id == marks.capture => {
                let stream = self.sched.streams.get_mut(&key);
                if let Some(capture) = stream.and_then(|s| s.capture.as_mut()) {
                    merge(&mut capture.deps, &marks.nodes);
                }
            }
            Some(id) => {
                self.invalidate(id);
                self.invalidate(marks.capture);
                return Err(E::cudaErrorStreamCaptureMerge);
            }
        }
        Ok(())
    }
}
