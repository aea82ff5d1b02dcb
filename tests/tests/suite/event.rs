//! Events.

use icffi::prelude::*;
use icffi::{codes, icffi_codes};
use icffi_tests::{Gate, alone, expect_error, together};

#[test]
fn an_event_never_recorded_is_complete() {
    let _turn = together();
    for kind in [EventKind::Ordering, EventKind::Timed] {
        let event = Event::new(kind).unwrap();
        assert_eq!(event.kind(), kind);
        assert!(!event.raw().is_null());
        assert_eq!(event.device().ordinal(), 0);
        assert!(event.query().unwrap());
        event.synchronize().unwrap();
    }
    assert_eq!(Event::ordering().unwrap().kind(), EventKind::Ordering);
    assert_eq!(Event::timed().unwrap().kind(), EventKind::Timed);
}

#[test]
fn query_follows_the_mark() {
    let _turn = alone();
    let stream = Stream::new().unwrap();
    let (before, after) = (Event::ordering().unwrap(), Event::ordering().unwrap());
    before.record(&stream).unwrap();
    let gate = Gate::close(&stream).unwrap();
    after.record(&stream).unwrap();
    before.synchronize().unwrap();
    assert!(before.query().unwrap());
    assert!(!after.query().unwrap());
    // Recording again moves the mark.
    before.record(&stream).unwrap();
    assert!(!before.query().unwrap());
    gate.open();
    after.synchronize().unwrap();
    before.synchronize().unwrap();
    assert!(before.query().unwrap() && after.query().unwrap());
}

#[test]
fn elapsed_time_needs_two_timed_events() {
    let _turn = together();
    let stream = Stream::new().unwrap();
    let (timed, ordering) = (Event::timed().unwrap(), Event::ordering().unwrap());
    timed.record(&stream).unwrap();
    ordering.record(&stream).unwrap();
    stream.synchronize().unwrap();
    let code = icffi_codes::EVENT_KIND_MISMATCH;
    for (later, earlier) in [
        (&timed, &ordering),
        (&ordering, &timed),
        (&ordering, &ordering),
    ] {
        let says = ["EventKind::Timed"];
        let result = later.elapsed_since(earlier);
        expect_error(result, code, "Event::elapsed_since", file!(), &says);
        let result = later.elapsed_since_ms(earlier);
        expect_error(result, code, "Event::elapsed_since_ms", file!(), &says);
    }
}

#[test]
fn elapsed_time_is_positive_and_has_a_sign() {
    let _turn = together();
    let stream = Stream::new().unwrap();
    let (start, end) = (Event::timed().unwrap(), Event::timed().unwrap());
    start.record(&stream).unwrap();
    stream
        .launch_host_fn(|| std::thread::sleep(std::time::Duration::from_millis(5)))
        .unwrap();
    end.record(&stream).unwrap();
    end.synchronize().unwrap();
    let ms = end.elapsed_since_ms(&start).unwrap();
    assert!(ms > 0.0, "{ms}");
    let elapsed = end.elapsed_since(&start).unwrap().as_secs_f64();
    assert!((elapsed - f64::from(ms) / 1e3).abs() < 1e-6);
    assert!(start.elapsed_since_ms(&end).unwrap() < 0.0);
    assert_eq!(start.elapsed_since(&end).unwrap().as_nanos(), 0);
}

#[test]
fn the_time_to_an_unfinished_event_is_not_ready() {
    let _turn = alone();
    let stream = Stream::new().unwrap();
    let (start, end) = (Event::timed().unwrap(), Event::timed().unwrap());
    start.record(&stream).unwrap();
    let gate = Gate::close(&stream).unwrap();
    end.record(&stream).unwrap();
    let result = end.elapsed_since(&start);
    let error = expect_error(
        result,
        codes::NOT_READY,
        "Event::elapsed_since",
        file!(),
        &[],
    );
    assert_eq!(error.kind(), icffi::error::ErrorKind::NotReady);
    gate.open();
    end.synchronize().unwrap();
    assert!(end.elapsed_since(&start).is_ok());
}

#[test]
fn events_are_shared_by_threads() {
    let _turn = together();
    let stream = Stream::new().unwrap();
    let event = Event::ordering().unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..20 {
                    event.record(&stream).unwrap();
                    event.synchronize().unwrap();
                    event.query().unwrap();
                }
            });
        }
    });
}
