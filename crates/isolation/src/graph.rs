//! Directed graphs: strongly connected components and shortest paths.

use std::collections::{HashMap, VecDeque};

/// A way from a node to another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arc {
    pub from: u32,
    pub to: u32,
    /// What it stands for.
    pub label: u32,
    /// Whether it counts in the length of a path.
    pub counts: bool,
}

/// A graph with its strongly connected components.
pub(crate) struct Graph {
    /// Sorted by where they begin.
    arcs: Vec<Arc>,
    /// Where those of each node begin.
    starts: Vec<u32>,
    /// The component of each node.
    components: Vec<u32>,
    /// The number of nodes of each component.
    sizes: Vec<u32>,
}

impl Graph {
    /// The graph of nodes 0 to `nodes` − 1.
    pub fn new(nodes: usize, arcs: impl Iterator<Item = Arc>) -> Graph {
        let mut arcs: Vec<Arc> = arcs.collect();
        arcs.sort_by_key(|arc| arc.from);
        let mut starts = vec![0u32; nodes + 1];
        arcs.iter().for_each(|arc| starts[arc.from as usize + 1] += 1);
        for node in 0..nodes {
            starts[node + 1] += starts[node];
        }
        let mut graph = Graph { arcs, starts, components: Vec::new(), sizes: Vec::new() };
        graph.connect();
        graph
    }

    fn arcs_of(&self, node: u32) -> &[Arc] {
        let node = node as usize;
        &self.arcs[self.starts[node] as usize..self.starts[node + 1] as usize]
    }

    /// Tarjan's algorithm, without recursion.
    fn connect(&mut self) {
        const NEW: u32 = u32::MAX;
        let nodes = self.starts.len() - 1;
        self.components = vec![NEW; nodes];
        let (mut order, mut low) = (vec![NEW; nodes], vec![0; nodes]);
        let (mut open, mut path) = (Vec::new(), Vec::new());
        let mut next = 0;
        for root in 0..nodes as u32 {
            if order[root as usize] != NEW {
                continue;
            }
            path.push((root, 0));
            while let Some((node, at)) = path.last_mut() {
                let (node, at) = (*node, {
                    *at += 1;
                    *at - 1
                });
                let n = node as usize;
                if at == 0 {
                    (order[n], low[n]) = (next, next);
                    next += 1;
                    open.push(node);
                }
                if let Some(arc) = self.arcs_of(node).get(at) {
                    let to = arc.to as usize;
                    if order[to] == NEW {
                        path.push((arc.to, 0));
                    } else if self.components[to] == NEW {
                        low[n] = low[n].min(order[to]);
                    }
                    continue;
                }
                path.pop();
                if let Some((below, _)) = path.last() {
                    low[*below as usize] = low[*below as usize].min(low[n]);
                }
                if low[n] == order[n] {
                    let component = self.sizes.len() as u32;
                    let start = open.iter().rposition(|of| *of == node).unwrap_or(0);
                    self.sizes.push((open.len() - start) as u32);
                    open.drain(start..).for_each(|of| self.components[of as usize] = component);
                }
            }
        }
    }

    /// Whether both nodes are on a cycle.
    pub fn on_a_cycle(&self, a: u32, b: u32) -> bool {
        self.components[a as usize] == self.components[b as usize]
    }

    /// The number of nodes that are on a cycle with this one, itself included.
    pub fn together(&self, node: u32) -> u32 {
        self.sizes[self.components[node as usize] as usize]
    }

    /// The labels of a shortest path, if it can be found by looking at `most` nodes.
    pub fn path(&self, from: u32, to: u32, most: usize) -> Option<Vec<u32>> {
        let mut reached: HashMap<u32, Option<Arc>> = HashMap::new();
        let mut queue = VecDeque::from([(from, None)]);
        while let Some((node, by)) = queue.pop_front() {
            if reached.contains_key(&node) {
                continue;
            }
            reached.insert(node, by);
            if node == to {
                let mut labels = Vec::new();
                let mut at = node;
                while let Some(arc) = reached.get(&at).copied().flatten() {
                    labels.push(arc.label);
                    at = arc.from;
                }
                labels.reverse();
                return Some(labels);
            }
            if reached.len() > most {
                return None;
            }
            for arc in self.arcs_of(node) {
                match arc.counts {
                    true => queue.push_back((arc.to, Some(*arc))),
                    false => queue.push_front((arc.to, Some(*arc))),
                }
            }
        }
        None
    }
}
