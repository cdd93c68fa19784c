//! Parents and children: which number is whose child, both ways, in constant memory.
//!
//! Parents come in blocks of 1,024, the last one smaller. In each block the numbers of children are
//! the quantiles (rank + ½) / size of the distribution, so shares are exact, and a keyed permutation
//! gives out the ranks. Children of a block lie one after the other by rank (`grouped`); `rounds`
//! counts the same table by rounds; `mixed` permutes all numbers on top.

use hoap_data::permutation::Permutation;
use hoap_data::random::Stream;

use super::draw::Draw;
use crate::file::model::Arrange;

/// Parents of a block.
const BLOCK: u64 = 1024;

/// The numbers of children of a block.
#[derive(Clone, Debug)]
struct Block {
    /// Children of all ranks before each, and of all: the ranks with few children come first.
    before: Box<[u64]>,
    /// Gives a position in the block its rank.
    ranks: Permutation,
}

impl Block {
    fn new(parents: u64, low: u64, draw: &Draw) -> Block {
        let mut so_far = 0;
        let mut before = vec![0];
        for rank in 0..parents {
            so_far += low + draw.quantile((rank as f64 + 0.5) / parents as f64);
            before.push(so_far);
        }
        Block { before: before.into(), ranks: Permutation::new(parents, 0) }
    }

    fn parents(&self) -> u64 {
        self.ranks.size()
    }

    fn children(&self) -> u64 {
        self.before.last().copied().unwrap_or(0)
    }

    fn count(&self, rank: u64) -> u64 {
        self.before[rank as usize + 1] - self.before[rank as usize]
    }

    /// The rank and the place among its children of a child of the block.
    fn of(&self, child: u64) -> (u64, u64) {
        let rank = self.before.partition_point(|before| *before <= child) as u64 - 1;
        (rank, child - self.before[rank as usize])
    }

    /// How many have more than `seq` children: the highest ranks.
    fn with_more_than(&self, seq: u64) -> u64 {
        let few =
            self.before.windows(2).collect::<Vec<_>>().partition_point(|w| w[1] - w[0] <= seq);
        self.parents() - few as u64
    }
}

/// Rounds that the same parents take part in.
#[derive(Clone, Copy, Debug)]
struct Rounds {
    /// The first of them.
    seq: u64,
    /// Children of all rounds before.
    before: u64,
    /// Parents of a whole block, and of the last one.
    of_block: u64,
    of_last: u64,
}

/// The children of a collection's documents.
#[derive(Clone, Debug)]
pub struct Family {
    parents: u64,
    block: Block,
    last: Block,
    stream: Stream,
    arrange: Arrange,
    mixed: Permutation,
    rounds: Box<[Rounds]>,
    count: u64,
    most: u64,
}

impl Family {
    /// Of so many parents, each with `low` children and what is drawn.
    pub fn new(parents: u64, low: u64, draw: &Draw, arrange: Arrange, stream: Stream) -> Family {
        let blocks = parents / BLOCK;
        let block = Block::new(BLOCK, low, draw);
        let last = Block::new(parents % BLOCK, low, draw);
        let count = blocks * block.children() + last.children();
        let most =
            |block: &Block| block.parents().checked_sub(1).map_or(0, |rank| block.count(rank));
        let most = most(&last).max(if blocks > 0 { most(&block) } else { 0 });
        let mixed = Permutation::new(count, stream.at(0));
        let mut family = Family {
            parents,
            block,
            last,
            stream,
            arrange,
            mixed,
            rounds: Box::default(),
            count,
            most,
        };
        if arrange == Arrange::Rounds {
            family.rounds = family.in_rounds();
        }
        family
    }

    fn blocks(&self) -> u64 {
        self.parents / BLOCK
    }

    /// The rounds, where one that other parents take part in begins.
    fn in_rounds(&self) -> Box<[Rounds]> {
        let counts = |block: &Block| (0..block.parents()).map(|rank| block.count(rank)).collect();
        let mut ends: Vec<u64> = counts(&self.last);
        if self.blocks() > 0 {
            ends.extend::<Vec<u64>>(counts(&self.block));
        }
        ends.push(0);
        ends.sort_unstable();
        ends.dedup();
        let mut rounds: Vec<Rounds> = Vec::new();
        for seq in ends {
            let before =
                rounds.last().map_or(0, |of| of.before + (seq - of.seq) * self.in_round(of));
            let of_block = if self.blocks() > 0 { self.block.with_more_than(seq) } else { 0 };
            rounds.push(Rounds { seq, before, of_block, of_last: self.last.with_more_than(seq) });
        }
        rounds.into()
    }

    /// The children of one round.
    fn in_round(&self, of: &Rounds) -> u64 {
        self.blocks() * of.of_block + of.of_last
    }

    /// Number of children of all.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The most children of a parent.
    pub fn most(&self) -> u64 {
        self.most
    }

    /// The block with this number, and its ranks.
    fn block(&self, number: u64) -> (&Block, Permutation) {
        let block = if number < self.blocks() { &self.block } else { &self.last };
        (block, block.ranks.with_key(self.stream.at(number + 1)))
    }

    /// The parent at a rank of a block.
    fn at_rank(&self, block: u64, rank: u64) -> u64 {
        block * BLOCK + self.block(block).1.inverse(rank)
    }

    /// The parent of a child, and its place among its parent's children. Behind the last child
    /// further rounds begin.
    pub fn parent(&self, child: u64) -> (u64, u64) {
        if child >= self.count {
            let beyond = child - self.count;
            return (beyond % self.parents.max(1), self.most + beyond / self.parents.max(1));
        }
        match self.arrange {
            Arrange::Rounds => self.parent_in_rounds(child),
            Arrange::Grouped => self.parent_in_groups(child),
            Arrange::Mixed => self.parent_in_groups(self.mixed.apply(child)),
        }
    }

    fn parent_in_groups(&self, slot: u64) -> (u64, u64) {
        let of_block = self.block.children().max(1);
        let block = (slot / of_block).min(self.blocks());
        let (rank, seq) = self.block(block).0.of(slot - block * self.block.children());
        (self.at_rank(block, rank), seq)
    }

    fn parent_in_rounds(&self, child: u64) -> (u64, u64) {
        let at = self.rounds.partition_point(|of| of.before <= child) - 1;
        // Of several that begin with the same child, all but the last are empty.
        let of = &self.rounds[at];
        let (round, place) =
            ((child - of.before) / self.in_round(of), (child - of.before) % self.in_round(of));
        let whole = self.blocks() * of.of_block;
        let (block, from_top) = match place < whole {
            true => (place / of.of_block, place % of.of_block),
            false => (self.blocks(), place - whole),
        };
        let rank = self.block(block).0.parents() - 1 - from_top;
        (self.at_rank(block, rank), of.seq + round)
    }

    /// Number of children of a parent.
    pub fn children(&self, parent: u64) -> u64 {
        if parent >= self.parents {
            return 0;
        }
        let (block, ranks) = self.block(parent / BLOCK);
        block.count(ranks.apply(parent % BLOCK))
    }

    /// The number of a parent's child; `None` if it has none at that place.
    pub fn child(&self, parent: u64, seq: u64) -> Option<u64> {
        if seq >= self.children(parent) {
            return None;
        }
        let number = parent / BLOCK;
        let (block, ranks) = self.block(number);
        let rank = ranks.apply(parent % BLOCK);
        let slot = || number * self.block.children() + block.before[rank as usize] + seq;
        Some(match self.arrange {
            Arrange::Grouped => slot(),
            Arrange::Mixed => self.mixed.inverse(slot()),
            Arrange::Rounds => {
                let of = &self.rounds[self.rounds.partition_point(|of| of.seq <= seq) - 1];
                let from_top = block.parents() - 1 - rank;
                of.before + (seq - of.seq) * self.in_round(of) + number * of.of_block + from_top
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::model::Dist;
    use crate::file::range::Range;

    /// Child to parent and parent to children are inverse, whatever the arrangement, the sizes and the
    /// distribution, and the numbers of children are the quantiles.
    #[test]
    fn children_and_parents_are_inverse_and_shares_exact() {
        let quantiles = Dist::Quantiles(vec![(0.0, 0.0), (0.9, 2.0), (1.0, 40.0)]);
        let cases = [
            (Range { low: 0, high: 12 }, Dist::Uniform),
            (Range { low: 3, high: 3 }, Dist::Uniform),
            (Range { low: 0, high: 40 }, quantiles),
            (Range { low: 0, high: 9 }, Dist::Zipfian { theta: 0.8 }),
            (Range { low: 0, high: 0 }, Dist::Uniform),
        ];
        for (range, dist) in cases {
            let draw = Draw::plain(&dist, range);
            for parents in [0, 1, 7, 1023, 1024, 1025, 3000] {
                for arrange in [Arrange::Mixed, Arrange::Grouped, Arrange::Rounds] {
                    let family =
                        Family::new(parents, range.low as u64, &draw, arrange, Stream::new(5, &[]));
                    inverse(&family, parents, arrange);
                    let mut counts: Vec<u64> =
                        (0..parents.min(1024)).map(|p| family.children(p)).collect();
                    counts.sort_unstable();
                    let of = counts.len() as f64;
                    let expected = (0..counts.len())
                        .map(|q| range.low as u64 + draw.quantile((q as f64 + 0.5) / of));
                    assert!(counts.iter().copied().eq(expected), "{dist:?} {parents}");
                }
            }
        }
    }

    fn inverse(family: &Family, parents: u64, arrange: Arrange) {
        let counted: u64 = (0..parents).map(|parent| family.children(parent)).sum();
        assert_eq!(counted, family.count());
        let mut before = (0, 0);
        for child in 0..family.count() {
            let (parent, seq) = family.parent(child);
            assert!(parent < parents && seq < family.children(parent) && seq < family.most());
            assert_eq!(family.child(parent, seq), Some(child), "{arrange:?} {parents}");
            let follows = match arrange {
                Arrange::Mixed => true,
                Arrange::Grouped => {
                    parent != before.0 && seq == 0 || seq == before.1 + 1 || child == 0
                }
                Arrange::Rounds => seq >= before.1,
            };
            assert!(follows, "{arrange:?} {child}: {parent} {seq} behind {before:?}");
            before = (parent, seq);
        }
        assert_eq!(family.child(parents, 0), None);
        assert_eq!(parents.checked_sub(1).and_then(|last| family.child(last, 1 << 40)), None);
    }

    /// Behind the last child new ones go on: each parent once a round.
    #[test]
    fn new_children_go_on_with_the_rounds() {
        let draw = Draw::plain(&Dist::Uniform, Range { low: 2, high: 4 });
        let family = Family::new(10, 2, &draw, Arrange::Rounds, Stream::new(1, &[]));
        let new: Vec<_> = (0..20).map(|n| family.parent(family.count() + n)).collect();
        let expected: Vec<_> = (0..20).map(|n| (n % 10, family.most() + n / 10)).collect();
        assert_eq!(new, expected);
    }
}
