//! Pages without the code that draws them, their data broken into lines.

/// The page with its style sheet and scripts cut out, and their hashes, and the JSON of its charts
/// in lines.
pub fn without_code(html: &str) -> String {
    let hash = "'sha256-";
    let mut out = String::new();
    let mut rest = html;
    while let Some(start) = rest.find(hash).map(|at| at + hash.len()) {
        out.push_str(&rest[..start]);
        out.push_str("…'");
        rest = &rest[start + rest[start..].find('\'').unwrap() + 1..];
    }
    while let Some(start) = next(rest) {
        let open = start + rest[start..].find('>').unwrap() + 1;
        let tag = &rest[start..open];
        let end = if tag.starts_with("<style") { "</style>" } else { "</script>" };
        let close = open + rest[open..].find(end).unwrap();
        out.push_str(&rest[..open]);
        match tag.contains("application/json") {
            true => out.push_str(&format!("\n{}\n", in_lines(&rest[open..close]))),
            false => out.push('…'),
        }
        out.push_str(end);
        rest = &rest[close + end.len()..];
    }
    out + rest
}

fn next(html: &str) -> Option<usize> {
    ["<style", "<script"].iter().filter_map(|tag| html.find(tag)).min()
}

/// The JSON text with a line for each field and for each array that has no array or object. Its
/// bytes stay as they are but for the spaces between them.
fn in_lines(json: &str) -> String {
    let mut out = String::new();
    let (mut depth, mut word, mut escaped, mut inline) = (0, false, false, false);
    let newline = |out: &mut String, depth: usize| {
        out.push('\n');
        out.push_str(&" ".repeat(depth));
    };
    for (at, c) in json.char_indices() {
        if word {
            out.push(c);
            word = escaped || c != '"';
            escaped = c == '\\' && !escaped;
            continue;
        }
        match c {
            '{' | '[' => {
                out.push(c);
                depth += 1;
                let inner = &json[at + 1..];
                inline = match inner.find(['[', ']', '{', '}', '"']) {
                    Some(first) => inner[first..].starts_with([']', '}']),
                    None => false,
                };
                if !inline {
                    newline(&mut out, depth);
                }
            }
            '}' | ']' => {
                depth -= 1;
                if !inline {
                    newline(&mut out, depth);
                }
                inline = false;
                out.push(c);
            }
            ',' if !inline => {
                out.push(c);
                newline(&mut out, depth);
            }
            _ => {
                word = c == '"';
                out.push(c);
            }
        }
    }
    out
}

#[test]
fn code_is_cut_out_and_data_is_kept() {
    let page = "<style>a{}</style><p><script type=\"application/json\">{\"a\":[1,2.0],\"b\":[[\"x,\\\"\"],{}]}</script><script>1</script>z";
    let cut = "<style>…</style><p><script type=\"application/json\">\n{\n \"a\":[1,2.0],\n \"b\":[\n  [\n   \"x,\\\"\"\n  ],\n  {}\n ]\n}\n</script><script>…</script>z";
    assert_eq!(without_code(page), cut);
}
