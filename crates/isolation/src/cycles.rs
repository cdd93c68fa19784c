//! Cycles of dependencies, by kind.
//!
//! Whether there is a cycle of a kind is decided for the whole history, from strongly connected
//! components. The example is the shortest that a bounded search finds.

use std::collections::BTreeSet;

use hoap_record::history::{Attempt, End};
use hoap_record::witness::Why;

use crate::dependencies::Dependencies;
use crate::graph::{Arc, Graph};
use crate::kind::{Dependency, Kind, Seen};

/// The most dependencies from which the search for an example starts.
const STARTS: usize = 256;
/// The most transactions that each search but the first looks at.
const LOOKS: usize = 5000;
/// The label of an arc that stands for no dependency.
const TIME: u32 = u32::MAX;

/// All cycles, one of each kind. Those that only time closes are looked for with `against_time`,
/// and where there is no other one.
pub(crate) fn all(
    history: &[Attempt],
    dependencies: &Dependencies,
    against_time: bool,
) -> Vec<Seen> {
    let cycles = Cycles { history, edges: &dependencies.edges };
    let (ww, wr, rw) = (Why::Overwrites, Why::Reads, Why::Misses);
    let full = cycles.graph(&[ww, wr, rw]);
    let mut seen = Vec::new();
    seen.extend(cycles.of(Kind::WriteCycle, &cycles.graph(&[ww]), ww));
    let committed = cycles.graph(&[ww, wr]);
    seen.extend(cycles.of(Kind::InformationCycle, &committed, wr));
    seen.extend(cycles.not_of_a_snapshot(&full, &committed));
    let skew = cycles.of(Kind::WriteSkew, &full, rw);
    match skew {
        // Where there are graver cycles, the shortest may be one of them.
        Some(skew) => seen.extend(Some(skew).filter(|skew| is_write_skew(&skew.edges))),
        None if against_time && seen.is_empty() => seen.extend(cycles.against_time()),
        None => {}
    }
    seen
}

/// Whether two missed writes of a cycle follow each other.
fn is_write_skew(edges: &[Dependency]) -> bool {
    let misses = |edge: &Dependency| edge.why == Why::Misses;
    let mut pairs = edges.iter().zip(edges.iter().cycle().skip(1));
    edges.len() > 1 && pairs.any(|(a, b)| misses(a) && misses(b))
}

struct Cycles<'a> {
    history: &'a [Attempt],
    edges: &'a [Dependency],
}

impl Cycles<'_> {
    fn arcs(&self, of: &[Why]) -> impl Iterator<Item = Arc> {
        let labelled = self.edges.iter().zip(0..);
        labelled.filter(move |(edge, _)| of.contains(&edge.why)).map(|(edge, label)| Arc {
            from: edge.from,
            to: edge.to,
            label,
            counts: true,
        })
    }

    fn graph(&self, of: &[Why]) -> Graph {
        Graph::new(self.history.len(), self.arcs(of))
    }

    /// A cycle of the graph with a dependency of this kind.
    fn of(&self, kind: Kind, graph: &Graph, why: Why) -> Option<Seen> {
        let is_on = |edge: &&Dependency| edge.why == why && graph.on_a_cycle(edge.from, edge.to);
        let starts: Vec<Dependency> = self.edges.iter().filter(is_on).copied().collect();
        let count = on(&starts);
        let size = |edge: &Dependency| graph.together(edge.from);
        let edges = self.shortest(starts, size, |edge, most| {
            let path = graph.path(edge.to, edge.from, most)?;
            Some(path.into_iter().map(|label| self.edges[label as usize]).collect())
        })?;
        Some(seen(kind, count, edges))
    }

    /// The shortest cycle through one of these dependencies, the smallest components first.
    fn shortest(
        &self,
        mut starts: Vec<Dependency>,
        size: impl Fn(&Dependency) -> u32,
        back: impl Fn(&Dependency, usize) -> Option<Vec<Dependency>>,
    ) -> Option<Vec<Dependency>> {
        starts.sort_by_key(&size);
        let mut best: Option<Vec<Dependency>> = None;
        for edge in starts.iter().take(STARTS) {
            let most = if best.is_none() { usize::MAX } else { LOOKS };
            let Some(path) = back(edge, most) else { continue };
            if best.as_ref().is_none_or(|best| path.len() + 1 < best.len()) {
                best = Some([&[*edge], &path[..]].concat());
            }
            if path.len() == 1 {
                break;
            }
        }
        best
    }

    /// A cycle that snapshot isolation excludes: one in which no two missed writes follow each
    /// other. There is one where this graph has one: it has each transaction twice, the second time
    /// for those who arrive by a missed write, and from there no missed write leads on.
    fn not_of_a_snapshot(&self, full: &Graph, committed: &Graph) -> Option<Seen> {
        let plain = |node: u32| 2 * node;
        let arrived = |edge: &Dependency| 2 * edge.to + u32::from(edge.why == Why::Misses);
        let arcs = self.edges.iter().zip(0..).flat_map(|(edge, label)| {
            let arc = |from| Arc { from, to: arrived(edge), label, counts: true };
            let both = (edge.why != Why::Misses).then(|| arc(plain(edge.from) + 1));
            [Some(arc(plain(edge.from))), both].into_iter().flatten()
        });
        let graph = Graph::new(2 * self.history.len(), arcs);
        let misses = |edge: &&Dependency| edge.why == Why::Misses;
        let is_on = |e: &&Dependency| graph.on_a_cycle(plain(e.from), arrived(e));
        let starts: Vec<Dependency> =
            self.edges.iter().filter(misses).filter(is_on).copied().collect();
        let count = on(&starts);
        let size = |edge: &Dependency| full.together(edge.from);
        let dependencies = |labels: Vec<u32>| -> Vec<Dependency> {
            labels.into_iter().map(|label| self.edges[label as usize]).collect()
        };
        let single = self.shortest(starts.clone(), size, |edge, _| {
            committed.path(edge.to, edge.from, LOOKS).map(dependencies)
        });
        let edges = single.or_else(|| {
            self.shortest(starts, size, |edge, most| {
                graph.path(arrived(edge), plain(edge.from), most).map(dependencies)
            })
        })?;
        let kind = match edges.iter().filter(misses).count() {
            1 => Kind::ReadSkew,
            _ => Kind::NonAdjacent,
        };
        Some(seen(kind, count, edges))
    }

    /// A cycle that time closes, where there is none without. Instead of each pair of transactions
    /// that follow each other, the graph has the ends of transactions in their order.
    fn against_time(&self) -> Option<Seen> {
        let nodes = self.history.len() as u32;
        let mut ends: Vec<(u64, u32)> = (self.history.iter().zip(0..))
            .filter(|(attempt, _)| attempt.end == End::Committed)
            .map(|(attempt, index)| (attempt.to_ns, index))
            .collect();
        ends.sort_unstable();
        let quiet = |from, to| Arc { from, to, label: TIME, counts: false };
        let reach = ends.iter().zip(nodes..).map(|(&(_, index), node)| quiet(index, node));
        let onward = (nodes..nodes + ends.len() as u32).skip(1).map(|node| quiet(node - 1, node));
        let begin = self.history.iter().zip(0..).filter_map(|(attempt, index)| {
            let before = ends.partition_point(|(end, _)| *end < attempt.from_ns) as u32;
            let last = before.checked_sub(1)?;
            Some(Arc { counts: true, ..quiet(nodes + last, index) })
        });
        let all = self.arcs(&Why::ALL).chain(reach).chain(onward).chain(begin);
        let graph = Graph::new(self.history.len() + ends.len(), all);
        let is_on = |edge: &&Dependency| graph.on_a_cycle(edge.from, edge.to);
        let starts: Vec<Dependency> = self.edges.iter().filter(is_on).copied().collect();
        let count = on(&starts);
        let size = |edge: &Dependency| graph.together(edge.from);
        let edges = self.shortest(starts, size, |start, most| {
            let labels = graph.path(start.to, start.from, most)?;
            let mut edges: Vec<Dependency> = Vec::new();
            let (mut at, why) = (start.to, Why::Later);
            for label in labels.into_iter().filter(|label| *label != TIME) {
                let edge = self.edges[label as usize];
                if edge.from != at {
                    edges.push(Dependency { from: at, to: edge.from, why, of: (0, 0) });
                }
                at = edge.to;
                edges.push(edge);
            }
            if at != start.from {
                edges.push(Dependency { from: at, to: start.from, why, of: (0, 0) });
            }
            Some(edges)
        })?;
        Some(seen(Kind::TimeCycle, count, edges))
    }
}

/// The number of transactions that these dependencies bind.
fn on(edges: &[Dependency]) -> u64 {
    let all: BTreeSet<u32> = edges.iter().flat_map(|edge| [edge.from, edge.to]).collect();
    all.len() as u64
}

fn seen(kind: Kind, count: u64, edges: Vec<Dependency>) -> Seen {
    let transactions = edges.iter().map(|edge| edge.from).collect();
    Seen { kind, count, transactions, edges, value: None }
}
