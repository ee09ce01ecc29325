//! Bounds on the memory that hostile answers take.

use std::path::PathBuf;
use std::process::Command;
use std::sync::Mutex;

const MEGABYTES: usize = 8;

fn answer_memory(args: &[&str]) -> String {
    let mut program = PathBuf::from(env!("CARGO_BIN_EXE_chainglass"));
    program.pop();
    program.extend(["examples", "dev_tools"]);
    let output = Command::new(program).arg("answer-memory").args(args).output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn no_answer_takes_more_than_three_times_its_size_and_64_megabytes() {
    let shapes = answer_memory(&[]);
    let rest = Mutex::new(shapes.lines());
    let measure = || {
        while let Some(shape) = { rest.lock().unwrap().next() } {
            let measured = answer_memory(&[shape, &MEGABYTES.to_string()]);
            let kilobytes: usize = measured.split(' ').next().unwrap().parse().unwrap();
            assert!(kilobytes >> 10 <= 3 * MEGABYTES + 64, "{shape}: {measured}");
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(measure);
        scope.spawn(measure);
    });
    assert!(shapes.lines().count() > 20, "{shapes}");
}

#[test]
fn many_abis_take_no_more_than_64_megabytes() {
    for shape in ["functions of ABIs", "anonymous events of ABIs"] {
        let measured = answer_memory(&[shape, "32"]);
        let kilobytes: usize = measured.split(' ').next().unwrap().parse().unwrap();
        assert!(kilobytes >> 10 <= 64, "{shape}: {measured}");
        assert!(
            measured.ends_with("the ABIs take 64 MB\n"),
            "the limit was not reached: {measured}"
        );
    }
}
