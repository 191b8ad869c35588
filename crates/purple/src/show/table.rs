//! Columns that line up.

use crate::show::style::{Paint, Tone};

/// Rows of cells under a heading. The last column is as wide as it is.
pub(crate) struct Table {
    heading: Vec<&'static str>,
    rows: Vec<Vec<(Option<Tone>, String)>>,
}

impl Table {
    pub(crate) fn new(heading: &[&'static str]) -> Self {
        Self { heading: heading.to_vec(), rows: Vec::new() }
    }

    /// Adds a row of plain cells.
    pub(crate) fn row<const N: usize>(&mut self, cells: [String; N]) {
        self.rows.push(cells.into_iter().map(|cell| (None, cell)).collect());
    }

    /// Adds a row whose first cell has a tone.
    pub(crate) fn toned<const N: usize>(&mut self, tone: Tone, cells: [String; N]) {
        let mut row: Vec<_> = cells.into_iter().map(|cell| (None, cell)).collect();
        if let Some((first, _)) = row.first_mut() {
            *first = Some(tone);
        }
        self.rows.push(row);
    }

    /// The lines, the heading first.
    pub(crate) fn lines(&self, paint: Paint) -> Vec<String> {
        let columns = self.heading.len();
        let width = |column: usize| {
            let cells =
                self.rows.iter().filter_map(|row| row.get(column)).map(|(_, cell)| cell.chars().count());
            let heading = self.heading.get(column).map_or(0, |cell| cell.chars().count());
            cells.chain([heading]).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        let padding = |column: usize, cell: &str| {
            let last = column + 1 == columns;
            let missing = widths.get(column).map_or(0, |width| width.saturating_sub(cell.chars().count()));
            if last { String::new() } else { " ".repeat(missing + 2) }
        };
        let heading: String =
            self.heading.iter().enumerate().map(|(i, cell)| format!("{cell}{}", padding(i, cell))).collect();
        let mut lines = vec![paint.text(Tone::Faint, heading.trim_end())];
        for row in &self.rows {
            let mut line = String::new();
            for (column, (tone, cell)) in row.iter().enumerate() {
                line.push_str(&tone.map_or_else(|| cell.clone(), |tone| paint.text(tone, cell)));
                line.push_str(&padding(column, cell));
            }
            lines.push(line.trim_end().to_owned());
        }
        lines
    }
}
