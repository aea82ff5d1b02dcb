//! Sums of f64 with about twice its precision: a pair of numbers, the second of which holds what
//! rounding took from the first.

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Precise {
    high: f64,
    low: f64,
}

impl Precise {
    pub(crate) fn add(&mut self, value: f64) {
        // Knuth's sum without an assumption about sizes: `error` is exact.
        let sum = self.high + value;
        let part = sum - self.high;
        let error = (self.high - (sum - part)) + (value - part);
        self.high = sum;
        self.low += error;
    }

    /// Adds the product, with all its digits.
    pub(crate) fn add_product(&mut self, a: f64, b: f64) {
        let product = a * b;
        self.add(product);
        self.add(a.mul_add(b, -product));
    }

    pub(crate) fn value(self) -> f64 {
        self.high + self.low
    }
}

#[test]
fn digits_survive() {
    let mut sum = Precise::default();
    for value in [1e100, 1.0, -1e100, 2.0] {
        sum.add(value);
    }
    assert_eq!(sum.value(), 3.0);
    let mut sum = Precise::default();
    let a = 1.0 + f64::EPSILON;
    sum.add_product(a, a);
    sum.add(-1.0 - 2.0 * f64::EPSILON);
    assert_eq!(sum.value(), f64::EPSILON * f64::EPSILON);
}
