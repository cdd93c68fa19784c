//! Which transaction must come before which.

use hoap_record::history::{Attempt, End};
use hoap_record::witness::Why;

use crate::kind::{Dependency, Kind, Seen};
use crate::versions::{EMPTY, Read, Versions};

/// A place in the tree of versions: a version, or the empty list of a document.
type Place = u64;

/// The dependencies of a history.
pub(crate) struct Dependencies {
    pub edges: Vec<Dependency>,
    /// The versions whose writers count, each with the nearest such version below it, sorted by it.
    above: Vec<(Place, u32)>,
    /// For each version the nearest one from it downward whose writer counts; [`EMPTY`].
    nearest: Vec<u32>,
}

impl Dependencies {
    pub fn of(versions: &Versions) -> Dependencies {
        let mut nearest = vec![EMPTY; versions.all.len()];
        let mut above = Vec::new();
        for (index, version) in versions.all.iter().enumerate() {
            let below = nearest.get(version.parent as usize).copied().unwrap_or(EMPTY);
            let counts = versions.writer(index as u32).is_some();
            nearest[index] = if counts { index as u32 } else { below };
            if counts {
                above.push((place(version.list, below), index as u32));
            }
        }
        above.sort_unstable();
        let mut all = Dependencies { edges: Vec::new(), above, nearest };
        all.of_writes(versions);
        for read in &versions.reads {
            all.of_read(versions, read);
        }
        all
    }

    /// The versions that were made of the one at this place.
    fn above(&self, place: Place) -> &[(Place, u32)] {
        let start = self.above.partition_point(|(of, _)| *of < place);
        let length = self.above[start..].iter().take_while(|(of, _)| *of == place).count();
        &self.above[start..start + length]
    }

    /// The place that a transaction read: the last version in it whose writer counts.
    fn place(&self, read: &Read) -> Place {
        let nearest = self.nearest.get(read.version as usize).copied().unwrap_or(EMPTY);
        place(read.list, nearest)
    }

    fn of_writes(&mut self, versions: &Versions) {
        for &(place, index) in &self.above {
            let version = &versions.all[index as usize];
            let before = u32::try_from(place).ok().and_then(|below| versions.writer(below));
            if let (Some(from), Some(to)) = (before, version.writer)
                && from != to
            {
                let of = (version.list, version.value);
                self.edges.push(Dependency { from, to, why: Why::Overwrites, of });
            }
        }
    }

    fn of_read(&mut self, versions: &Versions, read: &Read) {
        let reader = read.attempt;
        let read_from = versions.writer(read.version);
        if let Some(from) = read_from
            && from != reader
        {
            let of = (read.list, versions.all[read.version as usize].value);
            self.edges.push(Dependency { from, to: reader, why: Why::Reads, of });
        }
        let place = self.place(read);
        let writers = self.above(place).iter().map(|(_, index)| &versions.all[*index as usize]);
        // Of several versions made of the one that it read, its own among them, the order is
        // unknown.
        if writers.clone().any(|version| version.writer == Some(reader)) {
            return;
        }
        let misses: Vec<Dependency> = writers
            // An intermediate read is no cycle.
            .filter(|version| version.writer != read_from)
            .filter_map(|version| {
                let of = (version.list, version.value);
                Some(Dependency { from: reader, to: version.writer?, why: Why::Misses, of })
            })
            .collect();
        self.edges.extend(misses);
    }

    /// Versions that were made of the same one.
    pub fn lost_updates(&self, versions: &Versions) -> Vec<Seen> {
        let mut seen = Vec::new();
        for group in self.above.chunk_by(|a, b| a.0 == b.0).filter(|group| group.len() > 1) {
            let of = |in_place| {
                let all = group.iter().map(|(_, index)| &versions.all[*index as usize]);
                all.filter(move |version| version.in_place == in_place)
            };
            // An append in place sees every other one.
            if of(true).count() > 1 {
                let transactions: Vec<u32> = of(true).filter_map(|v| v.writer).take(2).collect();
                let value = of(true).nth(1).map(|version| (version.list, version.value));
                let (kind, edges) = (Kind::IncompatibleOrders, Vec::new());
                seen.push(Seen { kind, count: 1, transactions, edges, value });
            }
            let pair: Vec<_> = of(false).chain(of(true)).take(2).collect();
            if let [first, second] = pair[..]
                && let (Some(a), Some(b)) = (first.writer, second.writer)
                && !first.in_place
                && a != b
            {
                let miss = |from, to, version: &crate::versions::Version| {
                    let of = (version.list, version.value);
                    Dependency { from, to, why: Why::Misses, of }
                };
                let mut edges = vec![miss(a, b, second)];
                if !second.in_place {
                    edges.push(miss(b, a, first));
                }
                seen.push(Seen {
                    kind: Kind::LostUpdate,
                    count: group.len() as u64 - 1,
                    transactions: vec![a, b],
                    edges,
                    value: None,
                });
            }
        }
        seen
    }

    /// Reads of a version that another one had replaced before the reader began.
    pub fn stale_reads(&self, history: &[Attempt], versions: &Versions) -> Vec<Seen> {
        let mut seen: Vec<Seen> = Vec::new();
        for read in &versions.reads {
            let began = history[read.attempt as usize].from_ns;
            let missed = self.above(self.place(read)).iter().find_map(|(_, index)| {
                let version = &versions.all[*index as usize];
                let writer = version.writer.filter(|writer| *writer != read.attempt)?;
                let attempt = &history[writer as usize];
                let ended = attempt.end == End::Committed && attempt.to_ns < began;
                ended.then_some((writer, (version.list, version.value)))
            });
            match (missed, seen.first_mut()) {
                (None, _) => {}
                (Some(_), Some(first)) => first.count += 1,
                (Some((writer, of)), None) => {
                    let reader = read.attempt;
                    let misses = Dependency { from: reader, to: writer, why: Why::Misses, of };
                    let (why, of) = (Why::Later, (0, 0));
                    let later = Dependency { from: writer, to: reader, why, of };
                    seen.push(Seen {
                        kind: Kind::StaleRead,
                        count: 1,
                        transactions: vec![reader, writer],
                        edges: vec![misses, later],
                        value: None,
                    });
                }
            }
        }
        seen
    }
}

fn place(list: u32, version: u32) -> Place {
    match version {
        EMPTY => 1 << 32 | Place::from(list),
        version => Place::from(version),
    }
}
