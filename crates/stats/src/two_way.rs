//! Least-squares fit of a table of processes by rounds, with one value per cell. Any cell may be missing.

use crate::crossed::Cell;
use std::collections::{BTreeMap, BTreeSet};

/// Sum of squares of one factor, adjusted for the other factor, and the parameters of its distribution. This is `R(a |
/// mu, b)` in Henderson's method III. Let `L` be the matrix in the factor's normal equations after absorbing the other
/// factor. Let `s^2` be the factor's variance, and `e^2` the residual variance. Then the sum of squares is distributed
/// as the sum of `(l s^2 + e^2)` times a chi-square with one degree of freedom, over the nonzero eigenvalues `l` of
/// `L`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct RandomEffect {
    /// Sum of squares.
    pub(crate) squares: f64,
    /// Degrees of freedom.
    pub(crate) freedom: usize,
    /// Trace of `L`, which is the coefficient of the factor's variance in the expected sum of squares.
    pub(crate) trace: f64,
    /// Trace of the square of `L`.
    pub(crate) trace_of_square: f64,
}

/// Two-way table with additive effects. If some processes share no round with the others, even indirectly, the table
/// consists of several connected parts. Effects in different parts cannot be compared.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TwoWay {
    /// Mean of the cells.
    pub(crate) mean: f64,
    /// Cells: process index, round index, and value minus `mean`.
    cells: Vec<(usize, usize, f64)>,
    /// Round numbers in ascending order.
    pub(crate) rounds: Vec<u64>,
    /// Number of cells for each process.
    pub(crate) of_process: Vec<usize>,
    /// Number of cells for each round.
    pub(crate) of_round: Vec<usize>,
    /// Number of connected parts.
    pub(crate) parts: usize,
    /// Index of the connected part to which each process belongs.
    part_of_process: Vec<usize>,
    /// Index of the connected part to which each round belongs.
    pub(crate) part_of_round: Vec<usize>,
    /// Effect of each round. Only differences within a part are meaningful.
    pub(crate) round_effects: Vec<f64>,
    /// Variation between processes, adjusted for rounds.
    pub(crate) process: RandomEffect,
    /// Variation between rounds, adjusted for processes.
    pub(crate) round: RandomEffect,
    /// Residual sum of squares.
    pub(crate) residual_squares: f64,
}

impl TwoWay {
    /// Fits the table. Several values in one cell are averaged. Returns `None` if there are no cells, or if a value is
    /// not finite.
    pub(crate) fn new(cells: &[Cell]) -> Option<TwoWay> {
        if cells.is_empty() || cells.iter().any(|cell| !cell.value.is_finite()) {
            return None;
        }
        let mut sums: BTreeMap<(u64, u64), (f64, f64)> = BTreeMap::new();
        for cell in cells {
            let (sum, count) = sums.entry((cell.process, cell.round)).or_default();
            (*sum, *count) = (*sum + cell.value, *count + 1.0);
        }
        let ascending = |numbers: BTreeSet<u64>| numbers.into_iter().collect::<Vec<u64>>();
        let processes = ascending(sums.keys().map(|(process, _)| *process).collect());
        let rounds = ascending(sums.keys().map(|(_, round)| *round).collect());
        let mean = sums.values().map(|(sum, count)| sum / count).sum::<f64>() / sums.len() as f64;
        let place = |numbers: &[u64], number: u64| numbers.partition_point(|other| *other < number);
        let cells: Vec<(usize, usize, f64)> = sums
            .iter()
            .map(|((process, round), (sum, count))| {
                (place(&processes, *process), place(&rounds, *round), sum / count - mean)
            })
            .collect();
        let (mut of_process, mut of_round) = (vec![0; processes.len()], vec![0; rounds.len()]);
        for (process, round, _) in &cells {
            of_process[*process] += 1;
            of_round[*round] += 1;
        }
        let (parts, part_of_process, part_of_round) = connected(&cells, processes.len(), rounds.len());
        let mut table = TwoWay {
            mean,
            rounds,
            of_process,
            of_round,
            parts,
            part_of_process,
            part_of_round,
            round_effects: Vec::new(),
            process: RandomEffect::default(),
            round: RandomEffect::default(),
            residual_squares: 0.0,
            cells,
        };
        table.fit();
        Some(table)
    }

    /// Returns the number of cells.
    pub(crate) fn count(&self) -> usize {
        self.cells.len()
    }

    /// Returns the degrees of freedom for the residual sum of squares.
    pub(crate) fn residual_freedom(&self) -> usize {
        self.count() + self.parts - self.of_process.len() - self.of_round.len()
    }

    /// Returns the unadjusted means of the rounds, minus the mean of all cells.
    pub(crate) fn round_means(&self) -> Vec<f64> {
        means(self.cells.iter().map(|(_, round, value)| (*round, *value)), &self.of_round)
    }

    /// Returns the sum of squares of the means of the connected parts, and the coefficients of the process and round
    /// variances in its expectation. The degrees of freedom of the sum are the number of parts minus one.
    pub(crate) fn between_parts(&self) -> (f64, f64, f64) {
        let (mut sums, mut counts) = (vec![0.0; self.parts], vec![0; self.parts]);
        for (process, _, value) in &self.cells {
            let part = self.part_of_process[*process];
            sums[part] += value;
            counts[part] += 1;
        }
        let squares = sums.iter().zip(&counts).map(|(sum, count)| sum * sum / f64::from(*count)).sum();
        let coefficient = |sizes: &[usize], part_of: &[usize]| {
            let square = |(cells, part): (&usize, &usize)| {
                (*cells as f64).powi(2) * (1.0 / f64::from(counts[*part]) - 1.0 / self.count() as f64)
            };
            sizes.iter().zip(part_of).map(square).sum()
        };
        (
            squares,
            coefficient(&self.of_process, &self.part_of_process),
            coefficient(&self.of_round, &self.part_of_round),
        )
    }

    fn fit(&mut self) {
        let (mut process_effects, mut round_effects) =
            (vec![0.0; self.of_process.len()], vec![0.0; self.of_round.len()]);
        for part in 0..self.parts {
            let members = |part_of: &[usize]| (0..part_of.len()).filter(|at| part_of[*at] == part).collect::<Vec<_>>();
            let (processes, rounds) = (members(&self.part_of_process), members(&self.part_of_round));
            let inside = self.cells.iter().filter(|(process, ..)| self.part_of_process[*process] == part);
            let place = |members: &[usize], member: usize| members.partition_point(|other| *other < member);
            let inside =
                inside.map(|(process, round, value)| (place(&processes, *process), place(&rounds, *round), *value));
            // The cost grows with the cube of the side that remains, so absorb the larger side and solve for the
            // smaller.
            let (by_process, by_round) = if processes.len() <= rounds.len() {
                let (rows, columns) = absorb(&inside.collect::<Vec<_>>(), processes.len(), rounds.len());
                (rows, columns)
            } else {
                let turned: Vec<_> = inside.map(|(process, round, value)| (round, process, value)).collect();
                let (rows, columns) = absorb(&turned, rounds.len(), processes.len());
                (columns, rows)
            };
            self.process.trace_of_square += by_process.trace_of_square;
            self.round.trace_of_square += by_round.trace_of_square;
            for (at, effect) in processes.iter().zip(by_process.effects) {
                process_effects[*at] = effect;
            }
            for (at, effect) in rounds.iter().zip(by_round.effects) {
                round_effects[*at] = effect;
            }
        }
        let left =
            |(process, round, value): &(usize, usize, f64)| value - process_effects[*process] - round_effects[*round];
        self.residual_squares = self.cells.iter().map(|cell| left(cell).powi(2)).sum();
        let process_means = means(self.cells.iter().map(|(process, _, value)| (*process, *value)), &self.of_process);
        let round_means = self.round_means();
        let within =
            |of: &dyn Fn(&(usize, usize, f64)) -> f64| self.cells.iter().map(|cell| of(cell).powi(2)).sum::<f64>();
        let within_rounds = within(&|(_, round, value)| value - round_means[*round]);
        let within_processes = within(&|(process, _, value)| value - process_means[*process]);
        let count = self.count();
        self.process.squares = (within_rounds - self.residual_squares).max(0.0);
        self.process.freedom = self.of_process.len() - self.parts;
        self.process.trace = (count - self.of_round.len()) as f64;
        self.round.squares = (within_processes - self.residual_squares).max(0.0);
        self.round.freedom = self.of_round.len() - self.parts;
        self.round.trace = (count - self.of_process.len()) as f64;
        self.round_effects = round_effects;
    }
}

fn means(values: impl Iterator<Item = (usize, f64)>, counts: &[usize]) -> Vec<f64> {
    let mut sums = vec![0.0; counts.len()];
    for (at, value) in values {
        sums[at] += value;
    }
    sums.iter().zip(counts).map(|(sum, count)| sum / *count as f64).collect()
}

/// Finds the connected parts of the graph in which processes and rounds are nodes and cells are edges. Returns the
/// number of parts, and the part of each process and each round.
fn connected(cells: &[(usize, usize, f64)], processes: usize, rounds: usize) -> (usize, Vec<usize>, Vec<usize>) {
    let mut parent: Vec<usize> = (0..processes + rounds).collect();
    fn root(parent: &mut [usize], mut at: usize) -> usize {
        while parent[at] != at {
            parent[at] = parent[parent[at]];
            at = parent[at];
        }
        at
    }
    for (process, round, _) in cells {
        let (one, other) = (root(&mut parent, *process), root(&mut parent, processes + round));
        parent[one.max(other)] = one.min(other);
    }
    // The root of a part is its first process, because a parent always has the smaller index.
    let roots: Vec<usize> = (0..processes).filter(|at| parent[*at] == *at).collect();
    let mut part = |at: usize| {
        let root = root(&mut parent, at);
        roots.partition_point(|other| *other < root)
    };
    let of_process = (0..processes).map(&mut part).collect();
    let of_round = (processes..processes + rounds).map(&mut part).collect();
    (roots.len(), of_process, of_round)
}

/// Solution for one side (rows or columns) of a connected part: the effects, and the trace of the squared matrix in the
/// normal equations after absorption.
struct Absorbed {
    effects: Vec<f64>,
    trace_of_square: f64,
}

/// Solves the normal equations of a connected part by absorbing the columns into the rows. Sets the effect of the last
/// row to zero. A cell consists of row, column and value. Returns the solutions for the rows and for the columns.
fn absorb(cells: &[(usize, usize, f64)], rows: usize, columns: usize) -> (Absorbed, Absorbed) {
    let (mut of_row, mut row_sums) = (vec![0.0; rows], vec![0.0; rows]);
    let (mut in_column, mut column_sums) = (vec![Vec::new(); columns], vec![0.0; columns]);
    for (row, column, value) in cells {
        of_row[*row] += 1.0;
        row_sums[*row] += value;
        in_column[*column].push(*row);
        column_sums[*column] += value;
    }
    let (mut matrix, mut common) = (vec![vec![0.0; rows]; rows], vec![vec![0.0; rows]; rows]);
    let mut right = row_sums;
    for (members, sum) in in_column.iter().zip(&column_sums) {
        let share = 1.0 / members.len() as f64;
        for row in members {
            matrix[*row][*row] += 1.0;
            right[*row] -= share * sum;
            for other in members {
                matrix[*row][*other] -= share;
                common[*row][*other] += 1.0;
            }
        }
    }
    let row_squares = matrix.iter().flatten().map(|entry| entry * entry).sum();
    // The matrix of the columns is D - N' diag(1 / of_row) N. The trace of its square follows from
    // the number of columns that each pair of rows shares.
    let diagonal = |members: &Vec<usize>| {
        let count = members.len() as f64;
        count * (count - 2.0 * members.iter().map(|row| 1.0 / of_row[*row]).sum::<f64>())
    };
    let mut column_squares: f64 = in_column.iter().map(diagonal).sum();
    for (row, entries) in common.iter().enumerate() {
        column_squares += entries.iter().zip(&of_row).map(|(both, of)| both * both / (of * of_row[row])).sum::<f64>();
    }
    let row_effects = solve(matrix, right);
    let column_effect = |(members, sum): (&Vec<usize>, &f64)| {
        (sum - members.iter().map(|row| row_effects[*row]).sum::<f64>()) / members.len() as f64
    };
    let column_effects = in_column.iter().zip(&column_sums).map(column_effect).collect();
    (
        Absorbed { trace_of_square: row_squares, effects: row_effects },
        Absorbed { trace_of_square: column_squares, effects: column_effects },
    )
}

/// Solves the equations with the last unknown set to zero. For a connected part, the remaining matrix is positive
/// definite, so elimination needs no pivoting.
fn solve(mut matrix: Vec<Vec<f64>>, mut right: Vec<f64>) -> Vec<f64> {
    let unknowns = right.len() - 1;
    for pivot in 0..unknowns {
        let (above, below) = matrix.split_at_mut(pivot + 1);
        for (offset, row) in below.iter_mut().enumerate().take(unknowns - pivot - 1) {
            let factor = row[pivot] / above[pivot][pivot];
            for (entry, by) in row[pivot..unknowns].iter_mut().zip(&above[pivot][pivot..unknowns]) {
                *entry -= factor * by;
            }
            right[pivot + 1 + offset] -= factor * right[pivot];
        }
    }
    right[unknowns] = 0.0;
    for row in (0..unknowns).rev() {
        let known: f64 = (row + 1..unknowns).map(|column| matrix[row][column] * right[column]).sum();
        right[row] = (right[row] - known) / matrix[row][row];
    }
    right
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(cells: &[(u64, u64, f64)]) -> TwoWay {
        let cells: Vec<Cell> = cells
            .iter()
            .map(|(process, round, value)| Cell { process: *process, round: *round, value: *value })
            .collect();
        TwoWay::new(&cells).unwrap()
    }

    fn close(left: f64, right: f64) {
        assert!((left - right).abs() <= 1e-9 * right.abs().max(1.0), "{left} should be {right}");
    }

    #[test]
    fn missing_cells_do_not_change_additive_effects() {
        // The process effects are 0, 3 and 10, and the round effects 0, 1, 2 and 7. Five of the
        // twelve cells are missing.
        let (processes, rounds) = ([0.0, 3.0, 10.0], [0.0, 1.0, 2.0, 7.0]);
        let kept = [(0, 0), (0, 1), (1, 1), (1, 3), (2, 2), (2, 3), (0, 3)];
        let cells: Vec<_> = kept.iter().map(|(p, r)| (*p as u64, *r as u64, processes[*p] + rounds[*r])).collect();
        let fit = table(&cells);
        assert_eq!((fit.parts, fit.process.freedom, fit.round.freedom, fit.residual_freedom()), (1, 2, 3, 1));
        close(fit.residual_squares, 0.0);
        for (effect, round) in fit.round_effects.iter().zip(rounds) {
            close(effect - fit.round_effects[0], round);
        }
        // In the transposed table, processes become rounds, and the sums of squares swap.
        let turned = table(&cells.iter().map(|(p, r, value)| (*r, *p, *value)).collect::<Vec<_>>());
        for (one, other) in [(fit.process, turned.round), (fit.round, turned.process)] {
            assert_eq!(one.freedom, other.freedom);
            close(one.squares, other.squares);
            close(one.trace, other.trace);
            close(one.trace_of_square, other.trace_of_square);
        }
    }

    #[test]
    fn complete_table_has_equal_eigenvalues() {
        // With three processes and four rounds, the processes have two eigenvalues of 4, and the
        // rounds have three of 3.
        let cells: Vec<_> = (0..12).map(|at| (at % 3, at / 3, (at * at % 7) as f64)).collect();
        let fit = table(&cells);
        assert_eq!((fit.process.trace, fit.round.trace), (8.0, 9.0));
        close(fit.process.trace_of_square, 32.0);
        close(fit.round.trace_of_square, 27.0);
    }

    #[test]
    fn separates_processes_without_common_rounds() {
        let mut cells: Vec<_> = (0..6).map(|at| (at % 2, at / 2, at as f64)).collect();
        cells.extend((0..6).map(|at| (7 + at % 3, 9 + at / 3, 100.0 + (at * at) as f64)));
        let fit = table(&cells);
        assert_eq!((fit.parts, fit.process.freedom, fit.round.freedom, fit.residual_freedom()), (2, 3, 3, 4));
        assert_eq!(fit.part_of_round, [0, 0, 0, 1, 1]);
        let (squares, of_processes, of_rounds) = fit.between_parts();
        // The means of the two parts are 2.5 and 109 1/6, with six cells each. Both coefficients
        // are 2 x 9 / 6 + 3 x 4 / 6 - 30 / 12.
        close(squares, 3.0 * (109.0 + 1.0 / 6.0 - 2.5_f64).powi(2));
        close(of_processes, 5.0 - 2.5);
        close(of_rounds, 3.0 * 4.0 / 6.0 + 2.0 * 9.0 / 6.0 - 2.5);
    }
}
