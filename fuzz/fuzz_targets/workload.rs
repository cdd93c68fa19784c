#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| hoap_testing::fuzz::run(hoap_suites::parsers::texts::workload, input));
