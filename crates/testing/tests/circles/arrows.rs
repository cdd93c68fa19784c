//! Which file of a crate uses which, and in what circles.
//!
//! An arrow goes to the file that defines what is named, through any number of `pub use`: these are
//! no arrows themselves where their file does not use what it passes on. A module that is named as a
//! whole is none either; what is named in it is. A method that is called by its name alone is not
//! seen: only types tell in which file it is.

use std::collections::{BTreeMap, BTreeSet};

use crate::modules::Crate;

/// What a path leads to.
enum Found {
    /// Something that this file defines.
    Item(usize),
    Module(usize),
}

fn is_module(found: &Found) -> bool {
    matches!(found, Found::Module(_))
}

/// Files that use each other, by their paths from `src`, and the arrows between them.
pub struct Circle {
    pub files: BTreeSet<String>,
    pub arrows: Vec<String>,
}

/// The circles of a crate.
pub fn circles(of: &Crate) -> Vec<Circle> {
    let arrows = arrows(of);
    let reached: Vec<BTreeSet<usize>> = (0..of.files.len()).map(|n| reach(&arrows, n)).collect();
    let mut circles = Vec::new();
    let mut seen = BTreeSet::new();
    for file in 0..of.files.len() {
        if !reached[file].contains(&file) || !seen.insert(file) {
            continue;
        }
        let back = reached[file].iter().filter(|other| reached[**other].contains(&file));
        let circle: BTreeSet<usize> = back.copied().collect();
        seen.extend(&circle);
        let within = |(from, to): &(usize, usize)| circle.contains(from) && circle.contains(to);
        let told = arrows.iter().filter(|(arrow, _)| within(arrow)).map(|((from, to), path)| {
            format!("{} uses {} of {}", of.files[*from], path.join("::"), of.files[*to])
        });
        let files = circle.iter().map(|file| of.files[*file].clone()).collect();
        circles.push(Circle { files, arrows: told.collect() });
    }
    circles
}

/// The files that one reaches.
fn reach(arrows: &BTreeMap<(usize, usize), Vec<String>>, from: usize) -> BTreeSet<usize> {
    let mut reached = BTreeSet::new();
    let mut next = vec![from];
    while let Some(file) = next.pop() {
        let uses = arrows.range((file, 0)..=(file, usize::MAX)).map(|((_, to), _)| *to);
        next.extend(uses.filter(|to| reached.insert(*to)));
    }
    reached
}

/// The arrows from file to file, each with a path that makes it.
fn arrows(of: &Crate) -> BTreeMap<(usize, usize), Vec<String>> {
    let mut arrows = BTreeMap::new();
    for (number, module) in of.modules.iter().enumerate() {
        let mut named = |path: &[String], at: usize| {
            for found in find(of, at, path, &mut Vec::new()) {
                if let Found::Item(file) = found
                    && file != module.file
                {
                    arrows.entry((module.file, file)).or_insert_with(|| path.to_vec());
                }
            }
        };
        module.paths.iter().for_each(|path| named(path, number));
        for used in &module.uses {
            match &used.name {
                Some(name) if used.public && !module.names.contains(name) => {}
                // What is a module too is named as that, unless the code has the name alone.
                Some(name) => {
                    let found = find(of, number, &used.path, &mut Vec::new());
                    if !found.iter().any(is_module) || module.alone.contains(name) {
                        named(&used.path, number);
                    }
                }
                None if used.public => {}
                None => {
                    // Of all names of a module those that the code has and that it does not have
                    // otherwise.
                    let own = |name: &String| {
                        let by_use = module.uses.iter().any(|u| u.name.as_ref() == Some(name));
                        module.items.contains(name) || module.children.contains_key(name) || by_use
                    };
                    for found in find(of, number, &used.path, &mut Vec::new()) {
                        let Found::Module(from) = found else { continue };
                        for name in module.names.iter().filter(|name| !own(name)) {
                            if defines(of, from, name) {
                                named(std::slice::from_ref(name), from);
                            }
                        }
                    }
                }
            }
        }
    }
    arrows
}

/// Whether a module has a name, its own or one that it brings in.
fn defines(of: &Crate, module: usize, name: &str) -> bool {
    let module = &of.modules[module];
    module.items.contains(name)
        || module.uses.iter().any(|used| used.name.as_ref().is_none_or(|there| there == name))
}

/// What a path means in a module. There are several where a module and something else have one
/// name.
fn find(
    of: &Crate,
    module: usize,
    path: &[String],
    under_way: &mut Vec<(usize, Vec<String>)>,
) -> Vec<Found> {
    let Some((first, rest)) = path.split_first() else { return vec![Found::Module(module)] };
    let from = match &**first {
        "crate" => Some(0),
        "self" => Some(module),
        "super" => of.modules[module].parent,
        _ => return below(of, module, path, under_way, false),
    };
    from.map_or(Vec::new(), |from| match rest.first().map(String::as_str) {
        Some("super" | "self") | None => find(of, from, rest, under_way),
        Some(_) => below(of, from, rest, under_way, true),
    })
}

/// What a path means that begins with a name of the module; nothing where that is another crate's.
/// What is not found although it must be there (`certain`) is made by a macro of the module.
fn below(
    of: &Crate,
    module: usize,
    path: &[String],
    under_way: &mut Vec<(usize, Vec<String>)>,
    certain: bool,
) -> Vec<Found> {
    let (first, rest) = path.split_first().expect("a name at least");
    let here = &of.modules[module];
    let child = here.children.get(first).copied();
    if let Some(child) = child.filter(|_| !rest.is_empty()) {
        return below(of, child, rest, under_way, true);
    }
    let step = (module, path.to_vec());
    if under_way.contains(&step) {
        return Vec::new();
    }
    under_way.push(step);
    let mut found: Vec<Found> = child.map(Found::Module).into_iter().collect();
    if here.items.contains(first) {
        found.push(Found::Item(here.file));
    }
    let (all, named): (Vec<_>, Vec<_>) = here.uses.iter().partition(|used| used.name.is_none());
    let named = named.into_iter().filter(|used| used.name.as_ref() == Some(first));
    let mut outside = false;
    for used in named {
        outside = true;
        let there = find(of, module, &used.path, under_way);
        let goes_on = !rest.is_empty() && there.iter().any(is_module);
        for there in there {
            match there {
                Found::Module(there) if goes_on => {
                    found.extend(below(of, there, rest, under_way, true));
                }
                Found::Item(_) if goes_on => {}
                there => found.push(there),
            }
        }
    }
    let all = if found.is_empty() && !outside { all } else { Vec::new() };
    for used in all {
        for there in find(of, module, &used.path, under_way) {
            if let Found::Module(there) = there
                && there != module
            {
                found.extend(below(of, there, path, under_way, false));
            }
        }
    }
    let defined = found.iter().any(|found| !is_module(found));
    if let Some(file) = of.exported.get(first).filter(|_| module == 0 && !defined) {
        found.push(Found::Item(*file));
    }
    if found.is_empty() && certain && !outside {
        found.push(Found::Item(here.file));
    }
    under_way.pop();
    found
}
