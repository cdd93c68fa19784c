//! What a reader sees of a report.

use serde_json::Value;
use unicode_width::UnicodeWidthStr;

/// No line is wider than a terminal.
pub fn fits(text: &str) {
    for line in text.lines() {
        assert!(line.width() <= 80, "{} columns: {line}", line.width());
    }
}

/// The words of a page: tags and scripts out, entities and white space as a browser shows them.
pub fn words(page: &str) -> String {
    let body = &page
        [page.find("<body>").unwrap()..page.find("<script type=\"application/json\"").unwrap()];
    let mut out = String::new();
    let mut tag = false;
    for c in body.chars() {
        match c {
            '<' => tag = true,
            '>' if tag => {
                tag = false;
                out.push(' ');
            }
            c if !tag => out.push(c),
            _ => {}
        }
    }
    let out = out.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"");
    let out = out.replace("&#39;", "'").replace("&amp;", "&");
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The charts of the data block as a browser parses it, each point at its place.
pub fn data(page: &str) -> Value {
    let open = "<script type=\"application/json\" id=\"data\">";
    let start = page.find(open).unwrap() + open.len();
    let end = start + page[start..].find("</script").unwrap();
    let mut charts: Value = serde_json::from_str(&page[start..end]).unwrap();
    for chart in charts.as_object_mut().unwrap().values_mut() {
        let places = chart["places"].take();
        let plots = chart["plots"].as_array_mut().unwrap().iter_mut();
        let marks = plots.flat_map(|plot| plot["marks"].as_array_mut().unwrap());
        for mark in marks {
            if let Some(points) = mark.get_mut("points") {
                for point in points.as_array_mut().unwrap() {
                    point[0] = places[point[0].as_u64().unwrap() as usize][0].clone();
                }
            }
            if let Some(bars) = mark.get_mut("bars") {
                for bar in bars.as_array_mut().unwrap() {
                    let names = ["facet", "lane", "from", "value", "colour", "label", "title"];
                    let fields = names.iter().map(|name| name.to_string());
                    *bar = fields.zip(bar.as_array().unwrap().clone()).collect();
                }
            }
        }
    }
    charts
}

/// The marks of a kind of all plots of a chart.
pub fn marks<'a>(chart: &'a Value, kind: &str) -> Vec<&'a Value> {
    let plots = chart["plots"].as_array().unwrap_or_else(|| panic!("no chart: {chart}"));
    let marks = plots.iter().flat_map(|plot| plot["marks"].as_array().unwrap());
    marks.filter(|mark| mark["mark"] == kind).collect()
}

/// What these marks hold: points, bars.
pub fn all_of<'a>(marks: &[&'a Value], list: &str) -> Vec<&'a Value> {
    marks.iter().flat_map(|mark| mark[list].as_array().unwrap()).collect()
}

/// The words of a chart's legend.
pub fn legend(chart: &Value) -> Vec<&str> {
    chart["legend"].as_array().unwrap().iter().map(|item| item["label"].as_str().unwrap()).collect()
}
