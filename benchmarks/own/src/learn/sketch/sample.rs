//! A random sample of so many values (Vitter, "Random sampling with a reservoir", ACM TOMS 11, 1985:
//! algorithm R). The same input has the same sample.

use hoap_data::random::Stream;

/// At most so many values of all that were added.
#[derive(Clone, Debug)]
pub struct Sample<T> {
    seen: u64,
    most: usize,
    kept: Vec<T>,
    random: Stream,
}

impl<T> Sample<T> {
    /// Of at most so many.
    pub fn new(most: usize) -> Sample<T> {
        Sample { seen: 0, most, kept: Vec::new(), random: Stream::new(1, &[]) }
    }

    /// Adds a value, which is made only if it is kept.
    pub fn add(&mut self, value: impl FnOnce() -> T) {
        self.seen += 1;
        if self.kept.len() < self.most {
            return self.kept.push(value());
        }
        let at = self.random.next_u64() % self.seen;
        if let Some(place) = self.kept.get_mut(at as usize) {
            *place = value();
        }
    }

    /// The values.
    pub fn values(&self) -> &[T] {
        &self.kept
    }

    /// Whether every value is kept.
    pub fn is_all(&self) -> bool {
        self.seen == self.kept.len() as u64
    }
}

impl<T: Clone> Sample<T> {
    /// Adds the values of another one: of both there are as many as belong to their numbers.
    pub fn merge(&mut self, other: &Sample<T>) {
        let seen = self.seen + other.seen;
        if self.kept.len() + other.kept.len() > self.most {
            let share = self.seen as f64 / seen.max(1) as f64;
            let mine = ((self.most as f64 * share) as usize).min(self.kept.len());
            self.kept.truncate(mine);
        }
        let room = self.most - self.kept.len();
        self.kept.extend(other.kept.iter().take(room).cloned());
        self.seen = seen;
    }
}
