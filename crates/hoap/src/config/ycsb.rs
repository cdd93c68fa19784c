//! Words of YCSB's command line that are none here: `-threads 8`, `-target 1000`.

/// What a word of YCSB is called here: in `hoap load` and in any other command.
const WORDS: [(&str, &str, &str); 6] = [
    ("-threads", "--load-clients N", "--clients N"),
    ("-target", "--rate N", "--rate N"),
    ("-db", "--target URL", "--target URL"),
    ("-load", "hoap load ycsb", "hoap load ycsb"),
    ("-t", "hoap run ycsb-a", "hoap run ycsb-a"),
    ("-l", "--out DIR: results are told apart by their folders", "--out DIR"),
];

/// What to write in place of the first of these words that is YCSB's.
pub fn advice<'a>(mut words: impl Iterator<Item = &'a str>) -> Option<String> {
    let load = words.next() == Some("load");
    let (word, of_load, other) =
        words.find_map(|word| WORDS.into_iter().find(|(ycsb, ..)| *ycsb == word))?;
    Some(format!("in place of YCSB's {word} write {}", if load { of_load } else { other }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_of_ycsb_has_one_here() {
        for (line, says) in [
            ("load ycsb -threads 8", Some("-threads write --load-clients N")),
            ("run ycsb-a -P w -threads 8", Some("-threads write --clients N")),
            ("run ycsb-a -target 1000", Some("-target write --rate N")),
            ("run ycsb-a --target null: -p a=b", None),
        ] {
            let told = advice(line.split(' '));
            let found = told.as_deref().map(|told| told.strip_prefix("in place of YCSB's "));
            assert_eq!(found.flatten(), says, "{line}");
        }
    }
}
