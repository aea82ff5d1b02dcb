//! Captures: streams whose operations become nodes.

use std::collections::BTreeSet;

use icffi_sys::{cudaError as E, cudaStream_t, cudaStreamCaptureMode as Mode};

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
    /// The same as handles, for as long as the program may look at them.
    pub(crate) shown: Vec<usize>,
}

impl InCapture {
    fn new(id: CaptureId, deps: Vec<usize>) -> InCapture {
        let shown = Vec::new();
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
    /// The stream that a handle means, to put work into: it must not be in a state in which a
    /// capture forbids that.
    pub(crate) fn work_stream(&mut self, handle: cudaStream_t) -> Outcome<StreamKey> {
        let key = self.resolve(handle)?;
        self.may_work(key)?;
        Ok(key)
    }

    /// Whether captures let work into a stream.
    pub(crate) fn may_work(&mut self, key: StreamKey) -> Outcome {
        if self.graphs.captures.is_empty() {
            return Ok(());
        }
        self.implicit(key, true)?;
        match self.capture_of(key) {
            Some(id) if self.graphs.captures[&id].invalid => {
                Err(E::cudaErrorStreamCaptureInvalidated)
            }
            _ => Ok(()),
        }
    }

    /// The legacy stream would have to wait for a blocking stream that is being captured.
    pub(crate) fn implicit(&mut self, key: StreamKey, invalidates: bool) -> Outcome {
        let Some(stream) = self.sched.streams.get(&key) else {
            return Ok(());
        };
        if stream.class != Class::Legacy {
            return Ok(());
        }
        let device = stream.device;
        let hit: BTreeSet<CaptureId> = self
            .sched
            .streams
            .values()
            .filter(|s| s.device == device && s.class == Class::Blocking)
            .filter_map(|s| s.capture.as_ref().map(|c| c.id))
            .collect();
        if hit.is_empty() {
            return Ok(());
        }
        if invalidates {
            for id in hit {
                self.invalidate(id);
            }
        }
        Err(E::cudaErrorStreamCaptureImplicit)
    }

    /// The capture that a stream is in.
    pub(crate) fn capture_of(&self, key: StreamKey) -> Option<CaptureId> {
        Some(self.sched.streams.get(&key)?.capture.as_ref()?.id)
    }

    pub(crate) fn invalidate(&mut self, id: CaptureId) {
        if let Some(capture) = self.graphs.captures.get_mut(&id) {
            capture.invalid = true;
        }
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
        if capture.mode != Mode::cudaStreamCaptureModeRelaxed
            && capture.thread != state::thread_number()
        {
            self.invalidate(id);
            return Err(E::cudaErrorStreamCaptureWrongThread);
        }
        let invalid = capture.invalid;
        let joined = self.is_joined(id);
        let capture = self.graphs.captures.remove(&id).expect("looked up above");
        for stream in &capture.streams {
            if let Some(stream) = self.sched.streams.get_mut(stream) {
                stream.capture = None;
            }
        }
        if invalid || !joined {
            self.drop_graph(capture.graph);
            return Err(if invalid {
                E::cudaErrorStreamCaptureInvalidated
            } else {
                E::cudaErrorStreamCaptureUnjoined
            });
        }
        if let Some(graph) = self.graphs.graphs.get_mut(capture.graph) {
            graph.capturing = false;
        }
        Ok(capture.graph)
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

    /// The handles of what the next node of a captured stream will depend on. They stay where
    /// they are until the next call for this stream.
    pub(crate) fn show_deps(&mut self, key: StreamKey) -> &[usize] {
        let Some(capture) = self
            .sched
            .streams
            .get_mut(&key)
            .and_then(|s| s.capture.as_mut())
        else {
            return &[];
        };
        let graph = self.graphs.captures.get(&capture.id).map_or(0, |c| c.graph);
        let nodes = self.graphs.graphs.get(graph).map(|graph| &graph.nodes);
        capture.shown.clear();
        for dep in &capture.deps {
            let handle = nodes.map_or(0, |nodes| nodes[*dep].handle);
            capture.shown.push(handle);
        }
        &capture.shown
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
        let Some(capture) = self.graphs.captures.get_mut(&marks.capture) else {
            return Err(E::cudaErrorInvalidValue);
        };
        if capture.invalid {
            return Err(E::cudaErrorStreamCaptureInvalidated);
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
