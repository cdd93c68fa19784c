use super::*;

const SCHEMAS: [Schema; 2] = [Schema::Ch2, Schema::Ch2pp];
const SETS: [QuerySet; 3] = QuerySet::ALL;

/// The `queries` folder of this repository.
fn source() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("queries")
}

#[test]
fn every_embedded_text_names_the_parameters_of_its_query() {
    for folder in embedded::FOLDERS {
        for set in SETS {
            let texts = Texts::embedded(folder.schema, folder.dialect, set).unwrap();
            assert_eq!(texts.literals(), [""; 0]);
            for query in &QUERIES {
                assert!(texts.get(query).contains(&format!("Q{}: ", query.number)));
            }
        }
    }
}

/// The server infers the type of a value from the text; without a cast it may guess another one.
#[test]
fn every_parameter_of_a_postgres_text_is_cast() {
    for folder in embedded::FOLDERS.iter().filter(|f| f.dialect == "postgres") {
        for (_, text) in SETS.iter().flat_map(|set| folder.texts(*set)) {
            for after in text.split('$').skip(1) {
                let rest = after.trim_start_matches(|c: char| c == '_' || c.is_alphanumeric());
                assert!(rest.starts_with("::"), "${after}");
            }
        }
    }
}

/// Every file in the folder is part of the program; a forgotten one would never be measured.
#[test]
fn the_embedded_texts_are_all_those_of_the_folder() {
    let mut on_disk = Vec::new();
    for schema in SCHEMAS {
        for dialect in std::fs::read_dir(source().join(schema.name())).unwrap() {
            let dialect = dialect.unwrap();
            for set in SETS {
                let sub = if set == QuerySet::Naive { "" } else { set.name() };
                let dir = dialect.path().join(sub);
                for file in std::fs::read_dir(dir).into_iter().flatten().map(|f| f.unwrap()) {
                    if file.file_type().unwrap().is_file() {
                        on_disk.push((schema, dialect.file_name(), set, file.path()));
                    }
                }
            }
        }
    }
    let own = |f: &embedded::Folder| SETS.map(|set| f.texts(set).len()).iter().sum::<usize>();
    let embedded: usize = embedded::FOLDERS.iter().map(own).sum();
    // Of both benchmarks one text a dialect counts.
    assert_eq!(on_disk.len(), embedded + embedded::FOLDERS.len() / 2);
    for (schema, dialect, set, path) in on_disk {
        let name = path.file_name().unwrap().to_str().unwrap();
        let dialect = dialect.to_str().unwrap();
        let texts = Texts::embedded(schema, dialect, set).unwrap();
        let ours = match name.split('.').next() {
            Some("count") => count(schema, dialect).unwrap(),
            _ => texts.get(QUERIES.iter().find(|q| file_name(q, dialect) == name).expect(name)),
        };
        assert_eq!(ours, std::fs::read_to_string(&path).unwrap(), "{}", path.display());
    }
}

#[test]
fn a_folder_of_the_same_layout_gives_the_same_texts() {
    for schema in SCHEMAS {
        for set in SETS {
            let ours = Texts::embedded(schema, "sqlite", set).unwrap();
            let all: Vec<u8> = (1..=22).collect();
            let read = Texts::from_dir(&source(), (schema, "sqlite"), set, &all).unwrap();
            assert!(QUERIES.iter().all(|query| ours.get(query) == read.get(query)));
            assert_eq!((ours.literals(), read.literals()), (Vec::new(), Vec::new()));
        }
    }
}

/// The collections that a text reads, by its alias, in the order of its outermost FROM.
fn order(text: &str) -> Vec<&str> {
    let from = text.split("\nFROM ").nth(1).unwrap().split("\nWHERE").next().unwrap();
    let outer = from.split('(').next().unwrap();
    outer.split(',').filter_map(|c| c.trim().split(" AS ").nth(1)).collect()
}

/// Figure 3 of the CH2++ paper and figure 4 of the CH2 paper, Q3: customers before the orders.
/// Figure 4 of the CH2++ paper, Q10. A text without an order of its own is the naive one.
#[test]
fn the_published_set_has_the_published_order_of_collections() {
    let of = |schema, dialect, set, number: usize| {
        Texts::embedded(schema, dialect, set).unwrap().get(&QUERIES[number - 1]).to_owned()
    };
    let (ch2, ch2pp, published) = (Schema::Ch2, Schema::Ch2pp, QuerySet::Published);
    assert_eq!(order(&of(ch2, "sqlpp", published, 3)), ["c", "nw", "o", "ol"]);
    assert_eq!(order(&of(ch2pp, "sqlpp", published, 3)), ["c", "ca", "nw", "o", "ol"]);
    assert_eq!(order(&of(ch2pp, "sqlpp", published, 10)), ["c", "ca", "cp", "o", "ol", "n"]);
    assert_eq!(order(&of(ch2, "sqlpp", QuerySet::Naive, 3)), ["o", "ol", "c", "nw"]);
    for number in [1, 4, 22] {
        let naive = of(ch2pp, "sqlpp", QuerySet::Naive, number);
        assert_eq!(of(ch2pp, "sqlpp", published, number), naive);
    }
    for (dialect, set, effect) in [
        ("sqlpp", published, published),
        ("sqlite", published, QuerySet::Naive),
        ("sqlite", QuerySet::Tuned, QuerySet::Tuned),
        ("cobol", published, published),
    ] {
        assert_eq!(in_effect(ch2pp, dialect, set), effect, "{dialect}, {set}");
    }
}

#[test]
fn an_unknown_dialect_or_folder_is_named() {
    let error = Texts::embedded(Schema::Ch2pp, "cobol", QuerySet::Naive).unwrap_err();
    assert_eq!(
        error.to_string(),
        "find the query texts of ch2pp for cobol: there are none; known are sqlite, duckdb, \
         postgres, sqlpp, mongodb; or name a folder of your own"
    );
    let nowhere = Path::new("/nowhere");
    let of = (Schema::Ch2, "sqlite");
    assert!(Texts::from_dir(nowhere, of, QuerySet::Naive, &[]).is_ok());
    let error = Texts::from_dir(nowhere, of, QuerySet::Naive, &[1, 2]).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Invalid);
    assert!(error.to_string().starts_with("read query text /nowhere/ch2/sqlite/q01.sql: "));
}

#[test]
fn a_text_names_its_parameters_or_has_values_and_nothing_else() {
    let q3 = &QUERIES[2];
    let of = |text: &str| Text::of(q3, "q03.sql".into(), text.to_owned().into());
    assert_eq!(of("SELECT $state, $before").unwrap().literals, [""; 0]);
    assert_eq!(of("SELECT $state, '$before'").unwrap().literals, ["before"]);
    let error = of("SELECT $state, $before, $befor").unwrap_err();
    assert_eq!(error.kind, ErrorKind::Invalid);
    assert_eq!(
        error.to_string(),
        "check query text q03.sql: $befor is no parameter of Q03; Q03 has the parameters $state, \
         $before"
    );
}

#[test]
fn a_database_that_quotes_a_word_names_its_line() {
    for (answer, line) in [
        ("near \"frm\": syntax error", Some(2)),
        ("no such column: `xx`", Some(3)),
        ("near \"a\": syntax error", None),
        ("near \"nowhere\": syntax error", None),
        ("near \"\": syntax error", None),
        ("it is wrong", None),
    ] {
        assert_eq!(line_of("select a, a\nfrm b\n where xx", answer), line, "{answer}");
    }
}

#[test]
fn names_of_query_sets_read_back() {
    for set in SETS {
        assert_eq!(set.to_string().parse::<QuerySet>(), Ok(set));
    }
    assert!("fast".parse::<QuerySet>().is_err());
}
