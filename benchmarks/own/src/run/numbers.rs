//! Which documents of a collection there are, while a run makes some and removes others.

use std::collections::{BTreeSet, HashMap};
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use hoap_data::Part;
use hoap_data::random::Stream;
use serde::{Deserialize, Serialize};

use crate::plan::draw::Documents;

/// How often a document is drawn again that may not be there.
const REDRAWS: usize = 16;

/// What becomes of a document that is not surely there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fate {
    /// New; its insert is not acknowledged, and may have been applied.
    Claimed,
    /// New; it was never inserted, or surely without effect.
    Never,
    /// Its delete has begun.
    Deleting,
    /// Its delete was acknowledged at this time of the ledger's clock.
    Gone(u64),
    /// It was put while it was deleted: nobody knows which came last.
    Contested,
    /// A delete of this run found nothing: an earlier run had deleted it.
    Absent,
}

/// Whether a document is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum There {
    Yes,
    Perhaps,
    No,
}

/// The documents of a collection.
#[derive(Debug)]
pub struct Numbers {
    /// Documents that were loaded.
    loaded: u64,
    /// Of new documents each of several drivers has every so manieth.
    part: Part,
    /// Whether operations make or remove documents.
    moves: bool,
    /// Whether earlier runs have changed the data.
    used: bool,
    /// Whether they may have deleted documents, nobody knows which.
    lax: bool,
    /// Those before this one were deleted by earlier runs.
    gone: u64,
    /// New documents, this driver's, up to which all are there that ever will be.
    ready: AtomicU64,
    /// The place of the oldest that no delete has begun for.
    oldest: AtomicU64,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// This driver's new documents: how many there were before the run, and are claimed.
    first: u64,
    next: u64,
    /// Those of them whose insert goes on.
    open: BTreeSet<u64>,
    inserted: u64,
    fates: HashMap<u64, Fate>,
    /// Documents that earlier runs may have deleted, or not come to insert, and that this one has
    /// put; and whether that was acknowledged.
    puts: HashMap<u64, bool>,
    /// The parents of new documents whose draw names them.
    parents: HashMap<u64, u64>,
    /// The new documents of other drivers, of those who join what drivers know.
    others: Vec<Span>,
}

/// The new documents of a driver, of which so many were there before the run, and end there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Span {
    part: u64,
    of: u64,
    first: u64,
    next: u64,
}

impl Span {
    /// The number of the driver's new document in this place.
    fn number(self, loaded: u64, new: u64) -> u64 {
        loaded + new * self.of + self.part - 1
    }

    /// Whether a number is that of a document that the driver makes in this run.
    fn has(self, loaded: u64, number: u64) -> bool {
        let new = number.checked_sub(loaded);
        new.is_some_and(|new| new % self.of == self.part - 1 && new / self.of >= self.first)
    }
}

/// What a driver knows of the documents of a collection at its end, for those who join drivers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Told {
    span: Span,
    used: bool,
    lax: bool,
    gone: u64,
    inserted: u64,
    fates: Vec<(u64, Fate)>,
    puts: Vec<(u64, bool)>,
    parents: Vec<(u64, u64)>,
}

impl Told {
    /// Which part the driver was.
    pub fn part(&self) -> u64 {
        self.span.part
    }

    /// Whether no number in it, nor the next one, is as large as this.
    pub fn is_below(&self, end: u64) -> bool {
        let Span { part, of, first, next } = self.span;
        let fates = self.fates.iter().map(|(number, _)| *number);
        let all = fates.chain(self.puts.iter().map(|(number, _)| *number));
        let mut all =
            all.chain(self.parents.iter().flat_map(|(number, parent)| [*number, *parent]));
        let next = next.checked_mul(of).is_some_and(|next| next < end);
        (1..=of).contains(&part)
            && first <= self.span.next
            && next
            && all.all(|n| n < end)
            && self.inserted < end
    }
}

impl Numbers {
    /// Those of a collection that was just loaded.
    pub fn new(loaded: u64, part: Part, moves: bool) -> Numbers {
        let (ready, oldest, state) = Default::default();
        let (used, lax) = (false, false);
        Numbers { loaded, part, moves, used, lax, gone: 0, ready, oldest, state }
    }

    /// Those of the same collection of which drivers are still to tell what they know.
    pub fn joined(&self) -> Numbers {
        let mut numbers = Numbers::new(self.loaded, Part::WHOLE, self.moves);
        numbers.go_on(u64::MAX, 0, false);
        Numbers { used: false, ..numbers }
    }

    /// The same of a collection in which earlier runs have inserted so many documents of this
    /// driver's, and deleted those before the oldest, or any.
    pub fn go_on(&mut self, first: u64, oldest: u64, lax: bool) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        (state.first, state.next) = (first, first);
        *self.ready.get_mut() = first;
        *self.oldest.get_mut() = oldest;
        (self.used, self.gone, self.lax) = (true, oldest, lax);
    }

    /// What this driver knows at its end.
    pub fn told(&self) -> Told {
        let state = self.state();
        let mut fates: Vec<(u64, Fate)> = state.fates.iter().map(|(n, fate)| (*n, *fate)).collect();
        let mut puts: Vec<(u64, bool)> = state.puts.iter().map(|(n, sure)| (*n, *sure)).collect();
        let mut parents: Vec<(u64, u64)> = state.parents.iter().map(|(n, of)| (*n, *of)).collect();
        fates.sort_unstable_by_key(|(number, _)| *number);
        puts.sort_unstable();
        parents.sort_unstable();
        Told {
            span: self.span(&state),
            used: self.used,
            lax: self.lax,
            gone: self.gone,
            inserted: state.inserted,
            fates,
            puts,
            parents,
        }
    }

    /// Takes in what another driver knows of the same collection.
    pub fn join(&mut self, other: Told) {
        self.used |= other.used;
        self.lax |= other.lax;
        self.gone = self.gone.max(other.gone);
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        state.others.push(other.span);
        state.inserted += other.inserted;
        state.fates.extend(other.fates);
        for (number, sure) in other.puts {
            *state.puts.entry(number).or_default() |= sure;
        }
        state.parents.extend(other.parents);
    }

    fn span(&self, state: &State) -> Span {
        let Part { part, of } = self.part;
        Span { part, of, first: state.first, next: state.next }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of the document at a place: first those that were loaded, then this driver's new
    /// ones.
    pub fn at(&self, place: u64) -> u64 {
        match place.checked_sub(self.loaded) {
            None => place,
            Some(new) => self.loaded + new * self.part.of + self.part.part - 1,
        }
    }

    /// Whether operations make or remove documents.
    pub fn moves(&self) -> bool {
        self.moves
    }

    /// Documents that were loaded.
    pub fn loaded(&self) -> u64 {
        self.loaded
    }

    /// Which one of this driver's new documents a number is.
    fn new_of(&self, number: u64) -> Option<u64> {
        Some(number.checked_sub(self.loaded)? / self.part.of)
    }

    /// A document that is there, as far as that is known.
    pub fn draw(&self, documents: &Documents, random: &mut Stream) -> u64 {
        let place = |random: &mut Stream| {
            let end = self.loaded + self.ready.load(Ordering::Acquire);
            let words = [random.next_u64(), random.next_u64()];
            documents.among(words, self.oldest.load(Ordering::Acquire), end)
        };
        if !self.moves {
            return self.at(place(random));
        }
        let state = self.state();
        self.settled(&state, || place(random)).unwrap_or(0)
    }

    /// One that is there, and that no other delete has; `None` if none is left.
    pub fn once(&self, documents: &Documents, random: &mut Stream) -> Option<u64> {
        let mut state = self.state();
        let number = self.settled(&state, || {
            let end = self.loaded + self.ready.load(Ordering::Acquire);
            let words = [random.next_u64(), random.next_u64()];
            documents.among(words, self.oldest.load(Ordering::Acquire), end)
        })?;
        state.fates.insert(number, Fate::Deleting);
        let mut oldest = self.oldest.load(Ordering::Acquire);
        while oldest < self.end() && !self.is_free(&state, oldest) {
            oldest += 1;
        }
        self.oldest.store(oldest, Ordering::Release);
        Some(number)
    }

    fn end(&self) -> u64 {
        self.loaded + self.ready.load(Ordering::Acquire)
    }

    /// Whether the document at a place is there, as far as that is known.
    fn is_free(&self, state: &State, place: u64) -> bool {
        place >= self.gone && !state.fates.contains_key(&self.at(place))
    }

    /// A number without a fate: one that is drawn, or the next one behind it.
    fn settled(&self, state: &State, mut place: impl FnMut() -> u64) -> Option<u64> {
        let mut drawn = 0;
        for _ in 0..REDRAWS {
            drawn = place();
            if self.is_free(state, drawn) {
                return Some(self.at(drawn));
            }
        }
        let mut all = (drawn..self.end()).chain(self.gone..drawn);
        all.find(|place| self.is_free(state, *place)).map(|place| self.at(place))
    }

    /// A new document, the child of this parent if one is named.
    pub fn claim(&self, parent: Option<u64>) -> u64 {
        let mut state = self.state();
        let new = state.next;
        state.next += 1;
        state.open.insert(new);
        let number = self.at(self.loaded + new);
        state.fates.insert(number, Fate::Claimed);
        state.parents.extend(parent.map(|parent| (number, parent)));
        number
    }

    /// The insert of a new document has ended: it is there (`Yes`), may be, or is not.
    pub fn inserted(&self, number: u64, there: There) {
        let mut state = self.state();
        match there {
            There::Yes => {
                state.fates.remove(&number);
                state.inserted += 1;
            }
            There::Perhaps => {}
            There::No => {
                state.fates.insert(number, Fate::Never);
            }
        }
        if let Some(new) = self.new_of(number) {
            state.open.remove(&new);
        }
        let ready = state.open.first().copied().unwrap_or(state.next);
        self.ready.store(ready, Ordering::Release);
    }

    /// Begins to delete a document; false if another delete has, or it is not surely there.
    pub fn delete(&self, number: u64) -> bool {
        let mut state = self.state();
        let free = number >= self.gone && !state.fates.contains_key(&number);
        if free {
            state.fates.insert(number, Fate::Deleting);
        }
        free
    }

    /// The delete of a document has ended at a time of the ledger's clock: it is still there
    /// (`Yes`), may be, or is not.
    pub fn deleted(&self, number: u64, there: There, now: u64) {
        let mut state = self.state();
        if state.fates.get(&number) == Some(&Fate::Contested) {
            return;
        }
        match there {
            There::Yes => state.fates.remove(&number),
            There::Perhaps => None,
            There::No => state.fates.insert(number, Fate::Gone(now)),
        };
    }

    /// The delete of a document has ended at a time of the ledger's clock and found nothing. An
    /// earlier run may have deleted it; or else a driver that was not answered sent the delete twice.
    pub fn absent(&self, number: u64, now: u64) {
        let mut state = self.state();
        if state.fates.get(&number) != Some(&Fate::Contested) {
            let was = self.untouched(&state, number);
            let fate = if was == There::Yes { Fate::Gone(now) } else { Fate::Absent };
            state.fates.insert(number, fate);
        }
    }

    /// A document was put, which may be (`Perhaps`), or surely.
    pub fn put(&self, number: u64, there: There) {
        if !self.moves {
            return;
        }
        let mut state = self.state();
        if state.fates.get(&number) == Some(&Fate::Absent) {
            state.fates.remove(&number);
        }
        match state.fates.get_mut(&number) {
            Some(fate @ (Fate::Deleting | Fate::Gone(_))) => *fate = Fate::Contested,
            Some(_) => {}
            None if self.used => *state.puts.entry(number).or_default() |= there == There::Yes,
            None => {}
        }
    }

    /// Whether a document is there that was not before this run, as far as puts tell.
    pub fn put_since(&self, number: u64) -> There {
        match self.state().puts.get(&number) {
            Some(true) => There::Yes,
            Some(false) => There::Perhaps,
            None => There::No,
        }
    }

    /// Whether the document of this number is there.
    pub fn there(&self, number: u64) -> There {
        self.there_since(number, u64::MAX)
    }

    /// Whether it was there for somebody who began to look at this time of the ledger's clock: what
    /// was deleted since may have been.
    pub fn there_since(&self, number: u64, begun: u64) -> There {
        if !self.moves {
            return There::Yes;
        }
        let state = self.state();
        match state.fates.get(&number) {
            Some(Fate::Gone(at)) if *at >= begun => There::Perhaps,
            Some(Fate::Claimed | Fate::Deleting | Fate::Contested) => There::Perhaps,
            Some(Fate::Never | Fate::Gone(_) | Fate::Absent) => There::No,
            None => self.untouched(&state, number),
        }
    }

    /// Whether a document is there of which this run has begun neither an insert nor a delete.
    fn untouched(&self, state: &State, number: u64) -> There {
        match state.puts.get(&number) {
            _ if number < self.gone => There::No,
            Some(true) => There::Yes,
            _ if self.lax => There::Perhaps,
            // Whether an earlier run came to insert it, or another driver, nobody here knows.
            _ if number >= self.loaded && !self.is_new_in(state, number) => There::Perhaps,
            _ => There::Yes,
        }
    }

    /// Whether a document is one that this run makes, as far as this driver knows.
    pub fn is_new(&self, number: u64) -> bool {
        self.is_new_in(&self.state(), number)
    }

    fn is_new_in(&self, state: &State, number: u64) -> bool {
        let mut spans = state.others.iter().copied().chain([self.span(state)]);
        spans.any(|span| span.has(self.loaded, number))
    }

    /// Whether a document was loaded and no delete of it has begun, by this run or an earlier one: it
    /// is there at all times.
    pub fn stays(&self, number: u64) -> bool {
        let stays = number < self.loaded && number >= self.gone && !self.lax;
        stays && !(self.moves && self.state().fates.contains_key(&number))
    }

    /// Why nobody can have found a document who began to look at this time of the ledger's clock.
    pub fn cannot_be(&self, number: u64, begun: u64) -> Option<&'static str> {
        let state = self.state();
        match state.fates.get(&number) {
            Some(Fate::Gone(at)) if *at < begun => Some("was deleted before"),
            Some(Fate::Never) => Some("was never inserted"),
            // Earlier runs and other drivers may have made others.
            None if !self.used && self.is_new_in(&state, number) => {
                let claimed = self.new_of(number).is_some_and(|new| new < state.next);
                (!claimed).then_some("was never inserted")
            }
            _ => None,
        }
    }

    /// How many deletes had not ended at this time of the ledger's clock.
    pub fn deleted_since(&self, begun: u64) -> u64 {
        let since = |fate: &&Fate| match fate {
            Fate::Deleting | Fate::Contested => true,
            Fate::Gone(at) => *at >= begun,
            Fate::Claimed | Fate::Never | Fate::Absent => false,
        };
        self.state().fates.values().filter(since).count() as u64
    }

    /// Whether this run has begun to make or remove a document.
    pub fn moved(&self, number: u64) -> bool {
        self.state().fates.contains_key(&number)
    }

    /// The documents that may have been there before this run.
    pub fn before(&self) -> impl Iterator<Item = u64> {
        let first = self.state().first;
        (self.gone..self.loaded + first).map(|place| self.at(place))
    }

    /// The parent of a new document whose draw named it.
    pub fn parent(&self, number: u64) -> Option<u64> {
        match number < self.loaded {
            true => None,
            false => self.state().parents.get(&number).copied(),
        }
    }

    /// How many documents may have been inserted, by earlier runs too: of several drivers each knows
    /// its own alone.
    pub fn new_at_most(&self) -> u64 {
        if self.part.of > 1 { u64::MAX } else { self.state().next }
    }

    /// How many documents there are, of which so many were there before the run.
    pub fn count(&self, before: u64) -> RangeInclusive<u64> {
        let state = self.state();
        let of = |is: fn(&&Fate) -> bool| state.fates.values().filter(is).count() as u64;
        let most = (before + state.inserted).saturating_sub(of(|of| matches!(of, Fate::Gone(_))));
        let made = of(|of| **of == Fate::Claimed) + state.puts.len() as u64;
        let perhaps = of(|of| matches!(of, Fate::Deleting | Fate::Contested | Fate::Absent));
        most.saturating_sub(perhaps)..=most + made
    }

    /// What the run has made or removed: at most so many numbers of each.
    pub fn written(&self, most: u64) -> Vec<u64> {
        let state = self.state();
        let mut all = BTreeSet::new();
        for span in state.others.iter().copied().chain([self.span(&state)]) {
            let every = (span.next - span.first).div_ceil(most.max(1)).max(1) as usize;
            let new = (span.first..span.next).step_by(every);
            all.extend(new.map(|new| span.number(self.loaded, new)));
        }
        all.extend(state.fates.keys().take(most as usize));
        all.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use hoap_data::permutation::Permutation;

    use super::*;
    use crate::file::model::Dist;

    fn documents(dist: &Dist) -> Documents {
        Documents::new(dist, 10, Permutation::new(10, 1))
    }

    #[test]
    fn each_document_is_deleted_once_and_drawn_while_it_is_there() {
        let mut random = Stream::new(1, &[]);
        for dist in [Dist::Uniform, Dist::Zipfian { theta: 0.99 }, Dist::Oldest] {
            let (numbers, documents) = (Numbers::new(10, Part::WHOLE, true), documents(&dist));
            let mut gone = BTreeSet::new();
            for n in 0..10 {
                let one = numbers.once(&documents, &mut random).unwrap();
                assert!(gone.insert(one) && (dist != Dist::Oldest || one == n), "{dist:?}");
                assert_eq!(numbers.there(one), There::Perhaps);
                assert!(!numbers.stays(one) && numbers.deleted_since(7) == 1);
                numbers.deleted(one, There::No, 6);
                assert_eq!((numbers.there(one), numbers.count(10)), (There::No, 9 - n..=9 - n));
                // Who began before may have seen it.
                let since = [6, 7].map(|begun| numbers.there_since(one, begun));
                assert_eq!(since, [There::Perhaps, There::No]);
                let since = [6, 7].map(|begun| numbers.cannot_be(one, begun));
                assert_eq!(since, [None, Some("was deleted before")]);
                assert!(!numbers.stays(one) && numbers.deleted_since(7) == 0);
                assert!(n == 9 || !gone.contains(&numbers.draw(&documents, &mut random)));
            }
            assert_eq!(numbers.once(&documents, &mut random), None);
        }
    }

    #[test]
    fn new_documents_are_drawn_when_they_are_there() {
        let mut random = Stream::new(1, &[]);
        let numbers = Numbers::new(10, Part { part: 2, of: 3 }, true);
        let latest = documents(&Dist::Latest { theta: 0.99 });
        let new: Vec<u64> = (0..3).map(|_| numbers.claim(None)).collect();
        assert_eq!(new, [11, 14, 17]);
        numbers.inserted(14, There::Yes);
        assert!((0..50).all(|_| numbers.draw(&latest, &mut random) < 10));
        numbers.inserted(11, There::No);
        let drawn: BTreeSet<u64> = (0..200).map(|_| numbers.draw(&latest, &mut random)).collect();
        assert!(drawn.contains(&14) && !drawn.contains(&11) && !drawn.contains(&17), "{drawn:?}");
        assert_eq!(numbers.count(10), 11..=12);
        numbers.inserted(17, There::Perhaps);
        assert_eq!((numbers.there(17), numbers.there(11)), (There::Perhaps, There::No));
        assert_eq!(numbers.written(100), [11, 14, 17]);
        let numbers = Numbers::new(10, Part::WHOLE, true);
        numbers.claim(None);
        let never = Some("was never inserted");
        assert_eq!([9, 10, 11].map(|n| numbers.cannot_be(n, 0)), [None, None, never]);
        assert_eq!([9, 10].map(|n| numbers.stays(n)), [true, false]);
    }

    #[test]
    fn a_put_makes_what_an_earlier_run_may_have_deleted() {
        let mut numbers = Numbers::new(10, Part::WHOLE, true);
        numbers.put(1, There::Yes);
        assert_eq!((numbers.there(1), numbers.count(10)), (There::Yes, 10..=10));
        numbers.go_on(0, 0, true);
        assert_eq!((numbers.there(1), numbers.put_since(1)), (There::Perhaps, There::No));
        numbers.put(1, There::Perhaps);
        assert_eq!((numbers.there(1), numbers.put_since(1)), (There::Perhaps, There::Perhaps));
        numbers.put(1, There::Yes);
        assert_eq!((numbers.there(1), numbers.count(9)), (There::Yes, 9..=10));
        assert!(numbers.delete(1));
        numbers.deleted(1, There::No, 0);
        assert_eq!((numbers.there(1), numbers.count(9)), (There::No, 8..=9));
    }

    #[test]
    fn a_delete_that_finds_nothing_took_one_away_if_it_was_there() {
        let mut numbers = Numbers::new(10, Part::WHOLE, true);
        assert!(numbers.delete(1));
        numbers.absent(1, 6);
        assert_eq!((numbers.there(1), numbers.count(10)), (There::No, 9..=9));
        numbers.go_on(0, 0, true);
        assert!(numbers.delete(2));
        numbers.absent(2, 7);
        assert_eq!((numbers.there(2), numbers.count(10)), (There::No, 8..=9));
        assert!(!numbers.delete(2), "it is gone");
        numbers.put(2, There::Yes);
        assert_eq!((numbers.there(2), numbers.count(9)), (There::Yes, 8..=9));
    }
}
