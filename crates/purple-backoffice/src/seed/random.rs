//! A small generator of numbers that are the same everywhere (SplitMix64).

pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number from `low` to `high`, both included.
    pub(super) fn between(&mut self, low: i64, high: i64) -> i64 {
        let width = high.saturating_sub(low).unsigned_abs() + 1;
        low + i64::try_from(self.next() % width).unwrap_or(0)
    }

    /// True so many times in a hundred.
    pub(super) fn chance(&mut self, percent: i64) -> bool {
        self.between(1, 100) <= percent
    }

    pub(super) fn pick<'a>(&mut self, words: &[&'a str]) -> &'a str {
        let last = i64::try_from(words.len()).unwrap_or(1) - 1;
        let index = usize::try_from(self.between(0, last)).unwrap_or(0);
        words.get(index).copied().unwrap_or_default()
    }
}
