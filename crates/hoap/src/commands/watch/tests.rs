//! What the line says.

use hoap_record::Sample;

use super::*;

const SECONDS: fn(u64) -> Duration = Duration::from_secs;

fn tick<'a>(plan: &'a StepPlan, samples: &'a [Sample]) -> Tick<'a> {
    Tick {
        plan,
        phase: Phase::Measured,
        elapsed: SECONDS(12),
        length: SECONDS(1),
        samples,
        tx_rows: samples.len(),
        machine: None,
        tx_ended: 500,
        tx_per_second: 11_204.4,
        times_us: Some((230, 1_100)),
        failed: 0,
        queries_finished: 1,
        running: vec![],
    }
}

fn now<'a>(tick: &'a Tick<'a>, rest: u64) -> Now<'a> {
    let own = Span::of(tick.plan);
    let position = StepPosition { of: Some(6), own, rest: Span::known(SECONDS(rest)) };
    let (phase, warmed) = (tick.phase, Duration::ZERO);
    Now { step: tick.plan, position, phase, tick: Some(tick), done: 500, warmed }
}

#[test]
fn the_line_says_less_where_there_is_less_room() {
    let plan = StepPlan::plain(2, 8, End::After(SECONDS(60)));
    let mut tick = tick(&plan, &[]);
    for (columns, line) in [
        (
            120,
            "step 2 of 6 · measured 12 of 60 s · 4 min left · 11,204 ops/s · p50 230 µs · \
             p99 1.10 ms",
        ),
        (80, "step 2 of 6 · measured 12 of 60 s · 4 min left · 11,204 ops/s · p99 1.10 ms"),
        (60, "step 2 of 6 · measured 12 of 60 s · 11,204 ops/s"),
        (40, "step 2 of 6 · measured 12 of 60 s"),
    ] {
        assert_eq!(now(&tick, 192).line(columns), line);
    }
    tick.failed = 1_234;
    for columns in 11..120 {
        let line = now(&tick, 192).line(columns);
        assert!(line.chars().count() <= columns && line.starts_with("step 2 of 6"), "{line}");
        assert_eq!(line.contains("1,234 failed"), columns >= 48, "{columns}: {line}");
    }
}

#[test]
fn a_script_reads_pairs() {
    let plan = StepPlan::plain(2, 8, End::After(SECONDS(60)));
    assert_eq!(
        now(&tick(&plan, &[]), 192).pairs(),
        "progress step=2 steps=6 phase=measured seconds=12.0 seconds_left=240 \
         ops_per_second=11204.4 p50_us=230 p99_us=1100 failed=0"
    );
}

#[test]
fn ch2_is_told_in_new_orders_per_minute() {
    let sample = |phase: &str, count| Sample {
        step: 1,
        phase: phase.into(),
        at_seconds: 12.0,
        seconds: 1.0,
        kind: "NewOrder".into(),
        count,
        failed: 0,
        retries: 0,
        mean_us: 0.0,
        p50_us: 0,
        p99_us: 3_420,
        max_us: 0,
    };
    // An order that began in the warm-up has a row of its own.
    let samples = [sample("warmup", 7), sample("measured", 55)];
    let end = End::Loops { warmup: 1, measured: 2 };
    let plan = StepPlan { headline: Some(0), ..StepPlan::new(1, 2, 1, end) };
    let mut tick = tick(&plan, &samples);
    tick.running = vec![Some("Q05")];
    assert_eq!(
        now(&tick, 30).line(120),
        "step 1 of 6 · measured 12 s · ≥ 30 s left · 3,300 tpM · p50 < 1 µs · p99 3.42 ms · \
         1 query · in Q05"
    );
    let plan = StepPlan::new(1, 0, 1, End::After(SECONDS(60)));
    let alone = self::tick(&plan, &[]);
    assert_eq!(now(&alone, 0).line(120), "step 1 of 6 · measured 12 of 60 s · 48 s left · 1 query");
}

#[test]
fn the_time_left_is_that_of_the_whole_run() {
    let minute = End::After(SECONDS(60));
    let plan = StepPlan { warmup: SECONDS(5), ..StepPlan::plain(1, 1, minute) };
    let measured = tick(&plan, &[]);
    let mut at = now(&measured, 100);
    assert_eq!(at.left(), Span::known(SECONDS(148)));
    (at.phase, at.tick) = (Phase::Connecting, None);
    assert_eq!(at.left(), Span::known(SECONDS(165)));
    // 500 took 12 s.
    let plan = StepPlan::plain(1, 1, End::Operations(2_000));
    let operations = tick(&plan, &[]);
    assert_eq!(now(&operations, 100).left(), Span::known(SECONDS(136)));
    assert_eq!(now(&operations, 100).phase(), "measured 500 of 2,000 operations");
    // Two loops took 8 s in the warm-up, and one like this step took 30 s.
    let loops = End::Loops { warmup: 2, measured: 6 };
    let plan = StepPlan { warmup: SECONDS(5), ..StepPlan::new(1, 1, 1, loops) };
    let measured = tick(&plan, &[]);
    let mut at = now(&measured, 100);
    at.position.own = Span::known(SECONDS(30));
    for (warmed, left) in [(8, Span::known(SECONDS(112))), (5, Span::known(SECONDS(113)))] {
        at.warmed = SECONDS(warmed);
        assert_eq!(at.left(), left);
    }
    at.position.own = Span::known(SECONDS(10));
    assert_eq!(at.left(), Span::at_least(SECONDS(100)));
    for (seconds, open, words) in [
        (0, true, None),
        (0, false, Some("0 s")),
        (40, false, Some("40 s")),
        (3_600, true, Some("≥ 60 min")),
    ] {
        let span = Span { time: SECONDS(seconds), open };
        assert_eq!(left(span).as_deref(), words);
    }
}
