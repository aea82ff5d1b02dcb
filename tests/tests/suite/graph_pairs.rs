//! Two captures at a time, and two executable graphs of one capture.

use icffi::prelude::*;
use icffi_tests::{alone, assert_same, random};

const LEN: usize = 4000;

#[test]
fn captures_of_two_streams_overlap_and_launches_go_on_meanwhile() {
    let _turn = alone();
    let (a, b) = (Stream::new().unwrap(), Stream::new().unwrap());
    let data = random::<u32>(LEN);
    let source = DeviceBuffer::from_slice_sync(&a, &data).unwrap();
    let mut x = DeviceBuffer::<u32>::zeros(LEN).unwrap();
    let mut y = DeviceBuffer::<u32>::zeros(LEN).unwrap();
    let mut z = DeviceBuffer::<u32>::zeros(LEN).unwrap();
    let earlier = a
        .capture(|capture| z.copy_from_device_async(capture, &source))
        .unwrap();
    let (mut earlier, mut inner) = (earlier.instantiate().unwrap(), None);
    let outer = a
        .capture(|one| {
            x.copy_from_device_async(one, &source)?;
            // What one capture writes, another may read: their launches are in order.
            let graph = b.capture(|two| y.copy_from_device_async(two, &x))?;
            inner = Some(graph.instantiate()?);
            earlier.launch(&b)?;
            assert_same(&z.to_vec(&a)?, &data);
            Ok(())
        })
        .unwrap();
    let (mut outer, mut inner) = (outer.instantiate().unwrap(), inner.unwrap());
    outer.launch(&a).unwrap();
    inner.launch(&b).unwrap();
    assert_same(&y.to_vec(&a).unwrap(), &data);
}

#[test]
fn two_executable_graphs_of_one_capture_share_its_pinned_memory() {
    let _turn = alone();
    let (a, b) = (Stream::new().unwrap(), Stream::new().unwrap());
    let (pinned, mut given) = (HostBuffer::<u32>::alloc_zeroed(LEN).unwrap(), None);
    let mut x = DeviceBuffer::<u32>::zeros(LEN).unwrap();
    let graph = a
        .capture(|capture| {
            let adopted = capture.adopt(pinned)?;
            capture.copy_from_adopted(&mut x.as_view_mut(), &adopted)?;
            given = Some(adopted);
            Ok(())
        })
        .unwrap();
    let given = given.unwrap();
    let (mut one, mut two) = (graph.instantiate().unwrap(), graph.instantiate().unwrap());
    for i in 1..20 {
        one.write_host(&given, &[i; LEN]).unwrap();
        two.launch(&b).unwrap();
        two.write_host(&given, &[i + 100; LEN]).unwrap();
        assert_same(&x.to_vec(&a).unwrap(), &[i; LEN]);
        one.launch(&a).unwrap();
        assert_same(&x.to_vec(&b).unwrap(), &[i + 100; LEN]);
        assert_same(&two.read_host(&given).unwrap(), &[i + 100; LEN]);
    }
}
