//! Which file of a crate uses which, and in what circles.
//!
//! A path makes arrows to the file that defines what it names, through any number of `pub use`, and
//! to the files of the modules that it goes through, except those around the module that has it.
//! What a file passes on is no arrow of that file, unless its code uses it. A module that is named
//! as a whole is none either; what is named in it is. A method that is called by its name alone is
//! not seen: only types tell in which file it is.

use std::collections::{BTreeMap, BTreeSet};

use crate::modules::Crate;

/// The arrows from file to file, each with a path that makes it.
type Arrows = BTreeMap<(usize, usize), Vec<String>>;

/// What is being looked up: paths, each in its module.
type UnderWay = Vec<(usize, Vec<String>)>;

/// What a path leads to.
#[derive(Clone, Copy)]
enum Found {
    /// Something that this file defines.
    Item(usize),
    Module(usize),
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
fn reach(arrows: &Arrows, from: usize) -> BTreeSet<usize> {
    let mut reached = BTreeSet::new();
    let mut next = vec![from];
    while let Some(file) = next.pop() {
        let uses = arrows.range((file, 0)..=(file, usize::MAX)).map(|((_, to), _)| *to);
        next.extend(uses.filter(|to| reached.insert(*to)));
    }
    reached
}

fn arrows(of: &Crate) -> Arrows {
    let mut arrows = Arrows::new();
    for (number, module) in of.modules.iter().enumerate() {
        let around: Vec<usize> =
            std::iter::successors(Some(number), |module| of.modules[*module].parent).collect();
        for path in paths(of, number) {
            let found = find(of, number, &path, &mut Vec::new());
            let mut files: Vec<usize> = found.iter().filter_map(|found| item(*found)).collect();
            // A macro of the root names what other crates see, which is only there.
            if !files.is_empty() && path[0] != "$crate" {
                for end in 1..path.len() {
                    let through = find(of, number, &path[..end], &mut Vec::new());
                    let through = through.into_iter().filter_map(submodule);
                    let counts = |m: &usize| end + 1 == path.len() || !around.contains(m);
                    files.extend(through.filter(counts).map(|module| of.modules[module].file));
                }
            }
            for file in files.into_iter().filter(|file| *file != module.file) {
                arrows.entry((module.file, file)).or_insert_with(|| path.clone());
            }
        }
    }
    arrows
}

/// The paths that a module has in its code, in full where a `use` brings their beginning in.
fn paths(of: &Crate, number: usize) -> BTreeSet<Vec<String>> {
    let module = &of.modules[number];
    let mut paths = module.paths.clone();
    for used in module.uses.iter().filter(|used| !used.public) {
        // What is a module too is named as that, unless the code has the name alone.
        if find(of, number, &used.path, &mut Vec::new()).into_iter().all(|f| item(f).is_some()) {
            paths.insert(used.path.clone());
        }
    }
    for name in module.names.difference(&module.items) {
        let by_name = |used: &&crate::modules::Use| used.name.as_ref() == Some(name);
        if let Some(used) = module.uses.iter().find(by_name) {
            paths.insert(used.path.clone());
            continue;
        }
        for used in module.uses.iter().filter(|used| used.name.is_none() && !used.public) {
            let from = find(of, number, &used.path, &mut Vec::new());
            let mut from = from.into_iter().filter_map(submodule);
            if from.any(|from| step(of, from, name, &mut Vec::new()).is_some()) {
                paths.insert([&used.path[..], std::slice::from_ref(name)].concat());
            }
        }
    }
    paths
}

fn item(found: Found) -> Option<usize> {
    if let Found::Item(file) = found { Some(file) } else { None }
}

fn submodule(found: Found) -> Option<usize> {
    if let Found::Module(module) = found { Some(module) } else { None }
}

/// What a path means in a module. There are several if a module and something else have one name.
/// What is not found although it must be there is made by a macro of the module.
fn find(of: &Crate, at: usize, path: &[String], under_way: &mut UnderWay) -> Vec<Found> {
    let looked_up = (at, path.to_owned());
    if under_way.contains(&looked_up) {
        return Vec::new();
    }
    under_way.push(looked_up);
    let mut here = vec![Found::Module(at)];
    for (n, name) in path.iter().enumerate() {
        let modules: Vec<usize> = here.iter().copied().filter_map(submodule).collect();
        if n > 0 && modules.is_empty() {
            // `Type::method`
            break;
        }
        here = match &**name {
            "crate" | "$crate" => vec![Found::Module(0)],
            "self" => continue,
            "super" => {
                let parent = |module: &usize| of.modules[*module].parent.map(Found::Module);
                modules.iter().filter_map(parent).collect()
            }
            _ => {
                let made = |module: usize| (n > 0).then_some(Found::Item(of.modules[module].file));
                let meant = |module: usize| match step(of, module, name, under_way) {
                    Some(found) => found,
                    None => made(module).into_iter().collect(),
                };
                modules.into_iter().flat_map(meant).collect()
            }
        };
    }
    under_way.pop();
    here
}

/// What a name means in a module, or `None` if it is not there.
fn step(of: &Crate, module: usize, name: &str, under_way: &mut UnderWay) -> Option<Vec<Found>> {
    let here = &of.modules[module];
    let macros = of.exported.get(name).filter(|_| module == 0).copied();
    let defined = if here.items.contains(name) { Some(here.file) } else { macros };
    let child = here.children.get(name).copied().map(Found::Module);
    let mut found: Vec<Found> = child.into_iter().chain(defined.map(Found::Item)).collect();
    let mut there = !found.is_empty();
    for used in here.uses.iter().filter(|used| used.name.as_deref() == Some(name)) {
        found.extend(find(of, module, &used.path, under_way));
        there = true;
    }
    let looked_up = (module, vec!["*".to_owned(), name.to_owned()]);
    if there || under_way.contains(&looked_up) {
        return there.then_some(found);
    }
    under_way.push(looked_up);
    for used in here.uses.iter().filter(|used| used.name.is_none()) {
        for from in find(of, module, &used.path, under_way).into_iter().filter_map(submodule) {
            if let Some(all) = step(of, from, name, under_way) {
                found.extend(all);
                there = true;
            }
        }
    }
    under_way.pop();
    there.then_some(found)
}
