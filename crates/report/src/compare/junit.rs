//! A comparison as JUnit XML: a suite for each candidate, a case for each line, and one for each
//! bound. A bound that was broken is a failure of its case, one that is not proven is skipped.

use hoap_record::words::counted;
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};

use super::change::with_interval;
use super::comparison::Comparison;
use super::gate::Outcome;
use super::line::{ComparedLine, Scope};
use crate::format::text;

/// The XML.
pub fn junit(comparison: &Comparison) -> String {
    let mut writer = Writer::new_with_indent(Vec::new(), b' ', 2);
    // Writing to memory does not fail.
    write(comparison, &mut writer).expect("memory takes every byte");
    let mut text = String::from_utf8(writer.into_inner()).expect("only text was written");
    text.push('\n');
    text
}

fn write(comparison: &Comparison, writer: &mut Writer<Vec<u8>>) -> std::io::Result<()> {
    writer.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let failures = comparison.gates_that(Outcome::Broken);
    let skipped = comparison.gates_that(Outcome::NotProven);
    let cases = comparison.lines.len() + comparison.gates.len();
    writer
        .create_element("testsuites")
        .with_attribute(("name", "hoap compare"))
        .with_attribute(("tests", cases.to_string().as_str()))
        .with_attribute(("failures", failures.to_string().as_str()))
        .with_attribute(("skipped", skipped.to_string().as_str()))
        .write_inner_content(|writer| {
            for (number, candidate) in comparison.candidates.iter().enumerate() {
                let name =
                    words(&format!("{} against {}", candidate.name, comparison.baseline.name));
                let lines: Vec<&ComparedLine> = comparison.of(number).collect();
                suite(writer, &name, (lines.len(), 0, 0), |writer| {
                    lines.iter().try_for_each(|l| case(writer, l))
                })?;
            }
            if !comparison.gates.is_empty() {
                let count = comparison.gates.len();
                suite(writer, "bounds", (count, failures, skipped), |writer| {
                    bounds(comparison, writer)
                })?;
            }
            Ok(())
        })?;
    Ok(())
}

fn suite(
    writer: &mut Writer<Vec<u8>>,
    name: &str,
    (tests, failures, skipped): (usize, usize, usize),
    content: impl FnOnce(&mut Writer<Vec<u8>>) -> std::io::Result<()>,
) -> std::io::Result<()> {
    writer
        .create_element("testsuite")
        .with_attribute(("name", name))
        .with_attribute(("tests", tests.to_string().as_str()))
        .with_attribute(("failures", failures.to_string().as_str()))
        .with_attribute(("skipped", skipped.to_string().as_str()))
        .write_inner_content(content)?;
    Ok(())
}

/// A line: what it shows, as its output.
fn case(writer: &mut Writer<Vec<u8>>, line: &ComparedLine) -> std::io::Result<()> {
    let place = match &line.place {
        Scope::Overall(_) => "all steps",
        Scope::Step(name) => name.as_str(),
    };
    let word = line.finding.verdict.word();
    let shown = match (line.nothing(), line.ratio) {
        (Some(nothing), _) => format!("{nothing}: {word}"),
        (None, Some(ratio)) => {
            format!("{}: {word}", with_interval(ratio.value, line.interval()))
        }
        (None, None) => "not compared".into(),
    };
    writer
        .create_element("testcase")
        .with_attribute(("classname", words(place).as_str()))
        .with_attribute(("name", words(&line.title()).as_str()))
        .write_inner_content(|writer| {
            let output = writer.create_element("system-out");
            output.write_text_content(BytesText::new(&words(&shown)))?;
            Ok(())
        })?;
    Ok(())
}

fn bounds(comparison: &Comparison, writer: &mut Writer<Vec<u8>>) -> std::io::Result<()> {
    for judged in &comparison.gates {
        let name = words(&judged.gate.to_string());
        let case = writer.create_element("testcase").with_attribute(("classname", "bounds"));
        let case = case.with_attribute(("name", name.as_str()));
        let (element, reasons) = match judged.outcome() {
            Outcome::Holds => {
                case.write_empty()?;
                continue;
            }
            Outcome::Broken => ("failure", &judged.broken),
            Outcome::NotProven => ("skipped", &judged.unproven),
        };
        let places: Vec<String> = reasons
            .iter()
            .map(|broken| {
                let side = &comparison.candidates[broken.candidate].name;
                words(&format!("{side}: {}: {}", broken.what, broken.why))
            })
            .collect();
        case.write_inner_content(|writer| {
            let word = judged.outcome().words();
            let number = match judged.looked_at {
                0 => format!("{word}: a run is void or failed"),
                n => format!("{word} in {} of {}", places.len(), counted(n, "line", "lines")),
            };
            let element =
                writer.create_element(element).with_attribute(("message", number.as_str()));
            element.write_text_content(BytesText::new(&places.join("\n")))?;
            Ok(())
        })?;
    }
    Ok(())
}

/// XML 1.0 has no way to write control characters, nor U+FFFE and U+FFFF (its production `Char`).
fn words(text: &str) -> String {
    text::tame(text)
}
