//! A judge that tries every order of few transactions, and knows no graph of dependencies.
//!
//! It is for histories whose writes replace what their transaction read.

use std::collections::{BTreeMap, BTreeSet};

use super::*;

/// The writers of each list, in an order.
type Orders = BTreeMap<u32, Vec<usize>>;

type Lists = BTreeMap<u32, Vec<u32>>;

/// The strongest level for which there is an explanation. A transaction of unknown outcome was
/// applied where another one read what it wrote.
pub fn judge(history: &[Attempt]) -> Option<Level> {
    let unknown: Vec<usize> =
        (0..history.len()).filter(|at| history[*at].end == End::Unknown).collect();
    let levels = (0..1usize << unknown.len()).map(|some| {
        let applied = |at: usize| match unknown.iter().position(|other| *other == at) {
            Some(bit) => some >> bit & 1 == 1,
            None => history[at].end == End::Committed,
        };
        let all = Applied {
            attempts: (0..history.len()).filter(|at| applied(*at)).map(|at| &history[at]).collect(),
            history,
        };
        all.knows_what_it_read().then(|| all.level())
    });
    levels.flatten().max().flatten()
}

struct Applied<'a> {
    attempts: Vec<&'a Attempt>,
    /// Those that were not applied as well.
    history: &'a [Attempt],
}

impl Applied<'_> {
    fn level(&self) -> Option<Level> {
        if !self.lists_can_be() || !self.version_orders(&|order| !self.has_cycle(order, false)) {
            return None;
        }
        let committed =
            self.reads_are_final() && self.version_orders(&|order| !self.has_cycle(order, true));
        Some(match () {
            () if !committed => Level::ReadUncommitted,
            () if !self.snapshots(&mut Vec::new(), &mut Vec::new()) => Level::ReadCommitted,
            () if !self.serial(&mut Vec::new(), false) => Level::Snapshot,
            () if !self.serial(&mut Vec::new(), true) => Level::Serializable,
            () => Level::StrictSerializable,
        })
    }

    /// Whether nothing was read of one of unknown outcome that was not applied.
    fn knows_what_it_read(&self) -> bool {
        let installed = self.installed();
        let reads = self.attempts.iter().flat_map(|attempt| &attempt.did);
        let mut values = reads.filter_map(|did| match did {
            Did::Read(list, values) => Some((list, values)),
            _ => None,
        });
        values.all(|(list, values)| {
            values.iter().filter_map(|value| installed.get(value)).all(|(writer, of, _)| {
                let writer = &self.history[*writer];
                let applied = self.attempts.iter().any(|attempt| std::ptr::eq(*attempt, writer));
                of != list || writer.end != End::Unknown || applied
            })
        })
    }

    /// Runs an attempt on this state. `None` where it reads something else.
    fn run(attempt: &Attempt, state: &Lists) -> Option<Lists> {
        let mut state = state.clone();
        for did in &attempt.did {
            let list = state.entry(did.list()).or_default();
            match did {
                Did::Read(_, values) if values != list => return None,
                Did::Read(..) => {}
                Did::Write(_, value) | Did::Append(_, value) => list.push(*value),
            }
        }
        Some(state)
    }

    fn state(&self, order: &[usize]) -> Lists {
        let mut state = Lists::new();
        for at in order {
            for did in &self.attempts[*at].did {
                if let Some(value) = did.written() {
                    state.entry(did.list()).or_default().push(value);
                }
            }
        }
        state
    }

    /// Whether an order that begins so, in time if that counts, explains every read.
    fn serial(&self, order: &mut Vec<usize>, in_time: bool) -> bool {
        let state = self.state(order);
        let left: Vec<usize> = (0..self.attempts.len()).filter(|at| !order.contains(at)).collect();
        let ended = |at: usize, from: u64| {
            self.attempts[at].end == End::Committed && self.attempts[at].to_ns < from
        };
        left.is_empty()
            || left.iter().any(|&next| {
                let from = self.attempts[next].from_ns;
                let too_early = in_time && left.iter().any(|&other| ended(other, from));
                if too_early || Self::run(self.attempts[next], &state).is_none() {
                    return false;
                }
                order.push(next);
                let explained = self.serial(order, in_time);
                order.pop();
                explained
            })
    }

    fn written(&self, at: usize) -> BTreeSet<u32> {
        let all = self.attempts[at].did.iter();
        all.filter(|did| did.written().is_some()).map(Did::list).collect()
    }

    /// Whether each can read the snapshot of its begin and commit where nobody else changed what it
    /// writes meanwhile. `open` are those that have begun, with the number of commits before it.
    fn snapshots(&self, open: &mut Vec<(usize, usize)>, order: &mut Vec<usize>) -> bool {
        if order.len() == self.attempts.len() {
            return true;
        }
        for place in 0..open.len() {
            let (at, commits) = open[place];
            let writes = self.written(at);
            if order[commits..].iter().any(|other| !self.written(*other).is_disjoint(&writes)) {
                continue;
            }
            open.remove(place);
            order.push(at);
            let explained = self.snapshots(open, order);
            order.pop();
            open.insert(place, (at, commits));
            if explained {
                return true;
            }
        }
        let begun = |at: &usize| order.contains(at) || open.iter().any(|(other, _)| other == at);
        let new: Vec<usize> = (0..self.attempts.len()).filter(|at| !begun(at)).collect();
        new.into_iter().any(|at| {
            Self::run(self.attempts[at], &self.state(order)).is_some() && {
                open.push((at, order.len()));
                let explained = self.snapshots(open, order);
                open.pop();
                explained
            }
        })
    }

    /// Every list that was installed, by its last value, with its attempt.
    fn installed(&self) -> BTreeMap<u32, (usize, u32, Vec<u32>)> {
        let mut installed = BTreeMap::new();
        for (at, attempt) in self.history.iter().enumerate() {
            let mut lists = Lists::new();
            for did in &attempt.did {
                let list = lists.entry(did.list()).or_default();
                match did {
                    Did::Read(_, values) => list.clone_from(values),
                    Did::Write(_, value) | Did::Append(_, value) => {
                        list.push(*value);
                        installed.insert(*value, (at, did.list(), list.clone()));
                    }
                }
            }
        }
        installed
    }

    /// Whether lists have each value once, of those written there, and every transaction reads what
    /// it wrote itself.
    fn lists_can_be(&self) -> bool {
        let installed = self.installed();
        self.attempts.iter().all(|attempt| {
            let mut own = Lists::new();
            attempt.did.iter().all(|did| match did {
                Did::Read(list, values) => {
                    let own = own.entry(*list).or_default();
                    let once: BTreeSet<&u32> = values.iter().collect();
                    let written = |v| installed.get(v).is_some_and(|(_, of, _)| of == list);
                    values.ends_with(own)
                        && once.len() == values.len()
                        && values.iter().all(written)
                }
                Did::Write(list, value) | Did::Append(list, value) => {
                    own.entry(*list).or_default().push(*value);
                    true
                }
            })
        })
    }

    /// The lists that an attempt read, without what it had written itself.
    fn read(attempt: &Attempt) -> Vec<(u32, &[u32])> {
        let mut own: BTreeMap<u32, usize> = BTreeMap::new();
        let mut all = Vec::new();
        for did in &attempt.did {
            let count = own.entry(did.list()).or_default();
            match did {
                Did::Read(list, values) => all.push((*list, &values[..values.len() - *count])),
                _ => *count += 1,
            }
        }
        all
    }

    /// Whether everything that was read is what a transaction that was applied left.
    fn reads_are_final(&self) -> bool {
        let installed = self.installed();
        self.attempts.iter().all(|reader| {
            Self::read(reader).into_iter().all(|(list, values)| {
                let Some(last) = values.last() else { return true };
                let (writer, _, left) = &installed[last];
                let writer = &self.history[*writer];
                let of_list = writer.did.iter().filter(|did| did.list() == list);
                let whole = of_list.filter_map(Did::written).next_back() == Some(*last);
                let all_applied = values.iter().all(|value| {
                    let writer = &self.history[installed[value].0];
                    self.attempts.iter().any(|attempt| std::ptr::eq(*attempt, writer))
                });
                whole && all_applied && left == values
            })
        })
    }

    /// Whether there is an order of the writers of each list that goes on from list to list, and
    /// that passes.
    fn version_orders(&self, passes: &dyn Fn(&Orders) -> bool) -> bool {
        let lists: BTreeSet<u32> =
            (0..self.attempts.len()).flat_map(|at| self.written(at)).collect();
        let lists: Vec<u32> = lists.into_iter().collect();
        self.orders_of(&lists, &mut BTreeMap::new(), passes)
    }

    fn orders_of(
        &self,
        lists: &[u32],
        orders: &mut Orders,
        passes: &dyn Fn(&Orders) -> bool,
    ) -> bool {
        let Some((list, others)) = lists.split_first() else { return passes(orders) };
        let writers: Vec<usize> =
            (0..self.attempts.len()).filter(|at| self.written(*at).contains(list)).collect();
        permutations(&writers).into_iter().any(|order| {
            if !self.goes_on(*list, &order) {
                return false;
            }
            orders.insert(*list, order);
            let passed = self.orders_of(others, orders, passes);
            orders.remove(list);
            passed
        })
    }

    /// Whether each comes after those whose values it found.
    fn goes_on(&self, list: u32, order: &[usize]) -> bool {
        let place = |value: &u32| {
            order.iter().position(|at| {
                self.attempts[*at].did.iter().any(|did| did.written() == Some(*value))
            })
        };
        order.iter().enumerate().all(|(at, writer)| {
            let read = Self::read(self.attempts[*writer]);
            let found = read.iter().filter(|(of, _)| *of == list).flat_map(|(_, values)| *values);
            found.filter_map(place).all(|before| before <= at)
        })
    }

    /// Whether overwriting, with reading if that counts, leads from a transaction back to it.
    fn has_cycle(&self, orders: &BTreeMap<u32, Vec<usize>>, with_reads: bool) -> bool {
        let count = self.attempts.len();
        let mut reach = vec![vec![false; count]; count];
        for order in orders.values() {
            order.windows(2).for_each(|pair| reach[pair[0]][pair[1]] = true);
        }
        let written = |value: &u32| {
            let wrote = |a: &&Attempt| a.did.iter().any(|did| did.written() == Some(*value));
            self.attempts.iter().position(wrote)
        };
        for (at, attempt) in self.attempts.iter().enumerate().filter(|_| with_reads) {
            for (_, values) in Self::read(attempt) {
                if let Some(from) = values.last().and_then(written).filter(|from| *from != at) {
                    reach[from][at] = true;
                }
            }
        }
        for via in 0..count {
            for from in 0..count {
                for to in 0..count {
                    reach[from][to] |= reach[from][via] && reach[via][to];
                }
            }
        }
        (0..count).any(|at| reach[at][at])
    }
}
