//! A square matrix: what least squares need of one.

/// A square matrix.
#[derive(Debug, Clone)]
pub(crate) struct Matrix {
    size: usize,
    values: Vec<f64>,
}

impl Matrix {
    /// All 0.
    pub(crate) fn zero(size: usize) -> Self {
        Self { size, values: vec![0.0; size * size] }
    }

    /// One value.
    pub(crate) fn get(&self, row: usize, column: usize) -> f64 {
        self.values[row * self.size + column]
    }

    /// Adds to one value.
    pub(crate) fn add(&mut self, row: usize, column: usize, value: f64) {
        self.values[row * self.size + column] += value;
    }

    fn row(&self, row: usize) -> &[f64] {
        &self.values[row * self.size..(row + 1) * self.size]
    }

    /// The product with a vector.
    pub(crate) fn times(&self, vector: &[f64]) -> Vec<f64> {
        (0..self.size).map(|row| self.row(row).iter().zip(vector).map(|(a, b)| a * b).sum()).collect()
    }

    /// The product with another one of that size.
    pub(crate) fn product(&self, other: &Self) -> Self {
        let mut product = Self::zero(self.size);
        for (row, into) in product.values.chunks_mut(self.size.max(1)).enumerate() {
            for (factor, from) in self.row(row).iter().zip(other.values.chunks(self.size.max(1))) {
                if *factor != 0.0 {
                    into.iter_mut().zip(from).for_each(|(sum, value)| *sum += factor * value);
                }
            }
        }
        product
    }

    /// The inverse of a symmetric, positive definite matrix, in its place (Gauss and Jordan; such a one needs no pivots).
    pub(crate) fn inverse(mut self) -> Self {
        let size = self.size;
        for pivot in 0..size {
            let by = 1.0 / self.get(pivot, pivot);
            let mut of_pivot: Vec<f64> = self.row(pivot).iter().map(|value| value * by).collect();
            of_pivot[pivot] = by;
            for (row, values) in self.values.chunks_mut(size).enumerate() {
                let factor = std::mem::replace(&mut values[pivot], 0.0);
                if row != pivot && factor != 0.0 {
                    values.iter_mut().zip(&of_pivot).for_each(|(value, of)| *value -= factor * of);
                }
            }
            self.values[pivot * size..(pivot + 1) * size].copy_from_slice(&of_pivot);
        }
        self
    }
}
