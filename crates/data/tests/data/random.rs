//! Streams and permutations.

use std::ops::RangeInclusive;

use hoap_data::permutation::Permutation;
use hoap_data::random::Stream;
use hoap_testing::statistics::{self, Uniform, assert_even, assert_share};

/// Words are a function of seed, path and position.
#[test]
fn words_by_position() {
    let mut stream = Stream::new(42, &[1, 2, 3]);
    let same = stream;
    for n in 0..100 {
        assert_eq!(stream.next_u64(), same.at(n));
    }
    let paths: [&[u64]; 8] = [&[], &[0], &[0, 0], &[1], &[1, 2], &[2, 1], &[1, 2, 3], &[u64::MAX]];
    let mut firsts: Vec<u64> =
        [0, 1, u64::MAX].iter().flat_map(|&s| paths.map(|p| Stream::new(s, p).at(0))).collect();
    firsts.sort_unstable();
    firsts.dedup();
    assert_eq!(firsts.len(), 24);
}

#[test]
fn uniform_numbers() {
    let mut stream = Stream::new(1, &[7]);
    for range in [0..=0, 0..=1, 1..=10, -5..=5, 0..=999, -100_000..=999_999, 0..=i64::MAX] {
        let mut uniform = Uniform::new("uniform", range.clone());
        for _ in 0..20_000 {
            uniform.add(stream.uniform(range.clone()));
        }
        uniform.check();
    }
    assert_eq!(stream.uniform(RangeInclusive::new(5, 4)), 5);
    let whole: Vec<i64> = (0..1000).map(|_| stream.uniform(i64::MIN..=i64::MAX)).collect();
    assert!(whole.iter().any(|&n| n < i64::MIN / 2) && whole.iter().any(|&n| n > i64::MAX / 2));
}

#[test]
fn fractions_and_chances() {
    let mut stream = Stream::new(1, &[8]);
    let mut cells = [0; 50];
    for _ in 0..100_000 {
        let unit = stream.unit();
        assert!((0.0..1.0).contains(&unit));
        cells[(unit * 50.0) as usize] += 1;
    }
    assert_even("unit", &cells);
    assert_share("chance", (0..100_000).filter(|_| stream.chance(0.01)).count(), 100_000, 0.01);
    assert!((0..1000).all(|_| !stream.chance(0.0) && !stream.chance(-1.0) && stream.chance(1.0)));
}

#[test]
fn characters() {
    type Fill = fn(&mut Stream, &mut [u8]);
    let kinds: [(&'static str, Fill); 3] = [
        (statistics::LETTERS, Stream::letters),
        (statistics::DIGITS, Stream::digits),
        (statistics::ALPHANUMERICS, Stream::alphanumerics),
    ];
    for (characters, fill) in kinds {
        // Each of the eight places in a word, and each pair of neighbours.
        let mut stream = Stream::new(3, &[9]);
        let n = characters.len();
        let mut places = vec![vec![0; n]; 8];
        let mut pairs = vec![vec![0; n * n]; 7];
        let mut word = [0; 8];
        for _ in 0..200_000 {
            fill(&mut stream, &mut word);
            let at = word.map(|c| characters.bytes().position(|d| d == c).expect("of the kind"));
            (0..8).for_each(|i| places[i][at[i]] += 1);
            (0..7).for_each(|i| pairs[i][at[i] * n + at[i + 1]] += 1);
        }
        places.iter().for_each(|counts| assert_even("places", counts));
        pairs.iter().for_each(|counts| assert_even("pairs", counts));
        // Lengths that are no multiple of a word's.
        for len in 0..40 {
            let (mut short, mut long) = (vec![0; len], vec![0; 64]);
            fill(&mut Stream::new(4, &[]), &mut short);
            fill(&mut Stream::new(4, &[]), &mut long);
            assert_eq!(short, long[..len]);
        }
    }
}

#[test]
fn permutations_are_bijections() {
    for n in (0..200).chain([255, 256, 257, 1000, 3000, 4096, 4097, 10_000, 100_000]) {
        for key in [0, 1, u64::MAX] {
            let permutation = Permutation::new(n, key);
            let mut seen = vec![false; n as usize];
            for i in 0..n {
                let image = permutation.apply(i);
                assert!(image < n && !std::mem::replace(&mut seen[image as usize], true));
                assert_eq!(permutation.inverse(image), i);
            }
            for i in [n, n + 1, u64::MAX] {
                assert_eq!((permutation.apply(i), permutation.inverse(i)), (i, i));
            }
        }
    }
    for n in [u64::from(u32::MAX), 1 << 40, (1 << 63) + 12_345, u64::MAX] {
        let permutation = Permutation::new(n, 7);
        for i in (0..1000).chain(n - 1000..n) {
            assert!(permutation.apply(i) < n);
            assert_eq!(permutation.inverse(permutation.apply(i)), i);
        }
    }
}

/// Over many keys every number goes everywhere equally often, and so does every pair of
/// neighbours: in the domains of the smallest data set, and (in coarse cells) of the full one.
#[test]
fn permutations_are_random() {
    for (n, cells) in [(30, 30), (60, 60), (100, 100), (1000, 40), (3000, 60), (100_000, 50)] {
        let mut places = vec![vec![0u64; cells]; 8];
        let mut pairs = vec![vec![0u64; cells * cells]; 7];
        for key in 0..100_000 {
            let permutation = Permutation::new(n, Stream::new(key, &[1]).at(0));
            let cell = |i| (permutation.apply(i) * cells as u64 / n) as usize;
            let images: [usize; 8] = std::array::from_fn(|i| cell(i as u64));
            images.iter().zip(&mut places).for_each(|(&image, place)| place[image] += 1);
            for (neighbours, pair) in images.windows(2).zip(&mut pairs) {
                pair[neighbours[0] * cells + neighbours[1]] += 1;
            }
        }
        places.iter().for_each(|counts| assert_even("images", counts));
        for pair in pairs {
            // Two images are never the same; in coarse cells that is too little to see.
            let possible =
                (0..cells * cells).filter(|i| cells < n as usize || i / cells != i % cells);
            assert_even("pairs of images", &possible.map(|i| pair[i]).collect::<Vec<_>>());
        }
    }
}

/// In one large permutation neighbours do not stay neighbours.
#[test]
fn permutation_of_a_district() {
    let permutation = Permutation::new(3000, 99);
    let mut distances = Uniform::new("distance of neighbours", 1..=2999);
    for i in 0..3000 {
        let (a, b) = (permutation.apply(i), permutation.apply((i + 1) % 3000));
        distances.add((a + 3000 - b) as i64 % 3000);
    }
    distances.check();
}
