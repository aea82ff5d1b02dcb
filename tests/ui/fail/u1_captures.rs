//! A capture's stream stays in its closure and on its thread; what a graph calls, it calls again.
use icffi::prelude::*;

pub fn sent_to_a_thread(stream: &Stream) -> Result<Graph> {
    stream.capture(|capture| {
        std::thread::scope(|scope| {
            scope.spawn(|| drop(capture.fork())); //~ E0277
        });
        Ok(())
    })
}

pub fn kept_after_the_capture(stream: &Stream) -> Result<bool> {
    let mut kept: Option<&CaptureStream> = None;
    stream.capture(|capture| {
        kept = Some(capture); //~ E0521
        Ok(())
    })?;
    Ok(kept.is_some())
}

pub fn a_function_that_can_be_called_once(stream: &Stream, list: Vec<u32>) -> Result<Graph> {
    stream.capture(move |capture| {
        capture.host_fn(move || drop(list)) //~ E0507
    })
}

pub fn shared_by_threads() {
    fn is_sync<T: Sync>() {}
    is_sync::<GraphExec>(); //~ E0277
    is_sync::<Graph>(); //~ E0277
}

pub fn launched_without_being_owned(exec: &GraphExec, stream: &Stream) -> Result<()> {
    exec.launch(stream) //~ E0596
}
