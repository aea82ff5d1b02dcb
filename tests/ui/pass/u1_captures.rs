//! A capture's stream stays in its closure and on its thread; what a graph calls, it calls again.
use icffi::prelude::*;

pub fn the_stream_itself_may_be_sent(stream: &Stream) -> Result<Graph> {
    stream.capture(|capture| {
        std::thread::scope(|scope| {
            scope.spawn(|| stream.query().is_ok());
        });
        drop(capture.fork());
        Ok(())
    })
}

pub fn used_within_the_capture(stream: &Stream) -> Result<bool> {
    let mut seen = false;
    stream.capture(|capture| {
        seen = capture.fork().is_ok();
        Ok(())
    })?;
    Ok(seen)
}

pub fn a_function_that_can_be_called_again(stream: &Stream, list: Vec<u32>) -> Result<Graph> {
    stream.capture(move |capture| capture.host_fn(move || println!("{list:?}")))
}

pub fn sent_to_threads() {
    fn is_send<T: Send>() {}
    is_send::<GraphExec>();
    is_send::<Graph>();
}

pub fn launched_by_its_owner(exec: &mut GraphExec, stream: &Stream) -> Result<()> {
    exec.launch(stream)
}
