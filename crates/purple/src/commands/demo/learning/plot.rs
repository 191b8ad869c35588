//! The curves as a drawing: three panels, one line a series, each point the mean of the last tasks.

use std::fmt::Write as _;

use super::measure::Cost;

/// One series.
pub(super) struct Line<'a> {
    pub(super) name: &'a str,
    pub(super) costs: &'a [Cost],
}

/// The heading of a panel, and what it draws.
type Panel = (&'static str, fn(&Cost) -> u32);

/// So many tasks are averaged for one point.
const WINDOW: usize = 10;
const WIDTH: usize = 960;
const PANEL: usize = 300;
const LEFT: usize = 60;
const TOP: usize = 66;
const BOTTOM: usize = 320;
const HEIGHT: usize = 390;
/// A line's colour, its dashes and its width, so that it can be told without colours and where two lie on each other.
const STROKES: [(&str, &str, &str); 4] = [
    ("#5b2a86", "none", "2.5"),
    ("#1b7a9c", "8 4", "2.5"),
    ("#c4c4c4", "none", "7"),
    ("#c0392b", "10 3 2 3", "2.5"),
];
/// Thousandths, so that no float is needed.
const MILLI: usize = 1000;

/// The whole drawing.
pub(super) fn svg(lines: &[Line<'_>]) -> String {
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <title>Steps, questions and errors per task</title>\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#ffffff\"/>\n\
         <text x=\"{}\" y=\"24\" font-size=\"16\" fill=\"#222222\">Per task, mean of the last {WINDOW} tasks</text>\n",
        LEFT - 40
    );
    let panels: [Panel; 3] = [
        ("Steps: calls of models and tools", |cost| cost.steps),
        ("Questions to people", |cost| cost.questions),
        ("Errors", |cost| cost.errors),
    ];
    for (place, (title, part)) in panels.into_iter().enumerate() {
        panel(&mut out, place, title, lines, part);
    }
    for (place, (line, (colour, dashes, width))) in lines.iter().zip(STROKES).enumerate() {
        let x = LEFT - 40 + place * (WIDTH - 20) / lines.len().max(1);
        let y = HEIGHT - 18;
        let _ = writeln!(
            out,
            "<line x1=\"{x}\" y1=\"{y}\" x2=\"{}\" y2=\"{y}\" stroke=\"{colour}\" stroke-width=\"{width}\" stroke-dasharray=\"{dashes}\"/>\
             <text x=\"{}\" y=\"{}\" font-size=\"11\" fill=\"#222222\">{}</text>",
            x + 26,
            x + 31,
            y + 4,
            escaped(line.name)
        );
    }
    out.push_str("</svg>\n");
    out
}

fn panel(out: &mut String, place: usize, title: &str, lines: &[Line<'_>], part: fn(&Cost) -> u32) {
    let left = LEFT + place * (PANEL + 10);
    let right = left + PANEL - 60;
    let curves: Vec<Vec<usize>> = lines.iter().map(|line| smooth(line.costs, part)).collect();
    let top = curves.iter().flatten().copied().max().unwrap_or(0).max(MILLI).div_ceil(MILLI);
    let count = lines.iter().map(|line| line.costs.len()).max().unwrap_or(0).max(2);
    let x = |at: usize| left + at * (right - left) / (count - 1);
    let y = |milli: usize| BOTTOM - milli * (BOTTOM - TOP) / (top * MILLI);
    let _ = writeln!(out, "<text x=\"{left}\" y=\"{}\" fill=\"#222222\">{}</text>", TOP - 14, escaped(title));
    for tick in 0..=4 {
        let milli = top * MILLI * tick / 4;
        let (height, value) = (y(milli), label(milli));
        let _ = writeln!(
            out,
            "<line x1=\"{left}\" y1=\"{height}\" x2=\"{right}\" y2=\"{height}\" stroke=\"#dddddd\"/>\
             <text x=\"{}\" y=\"{}\" text-anchor=\"end\" fill=\"#555555\">{value}</text>",
            left - 6,
            height + 4
        );
    }
    for tick in 0..=3 {
        let at = (count - 1) * tick / 3;
        let _ = writeln!(
            out,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\" fill=\"#555555\">{}</text>",
            x(at),
            BOTTOM + 18,
            at + 1
        );
    }
    let _ = writeln!(
        out,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\" fill=\"#555555\">task</text>",
        left + (right - left) / 2,
        BOTTOM + 34
    );
    for (curve, (colour, dashes, width)) in curves.iter().zip(STROKES) {
        let points: Vec<String> =
            curve.iter().enumerate().map(|(at, milli)| format!("{},{}", x(at), y(*milli))).collect();
        let _ = writeln!(
            out,
            "<polyline fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\" stroke-dasharray=\"{dashes}\" points=\"{}\"/>",
            points.join(" ")
        );
    }
}

/// The mean of the last tasks at each task, in thousandths.
fn smooth(costs: &[Cost], part: fn(&Cost) -> u32) -> Vec<usize> {
    (0..costs.len())
        .map(|at| {
            let last = costs.get(at.saturating_sub(WINDOW - 1)..=at).unwrap_or_default();
            let sum: u32 = last.iter().map(part).sum();
            usize::try_from(sum).unwrap_or(usize::MAX).saturating_mul(MILLI) / last.len().max(1)
        })
        .collect()
}

/// Thousandths as a short decimal.
fn label(milli: usize) -> String {
    let text = format!("{}.{:02}", milli / MILLI, milli % MILLI / 10);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn costs(steps: &[u32]) -> Vec<Cost> {
        steps.iter().map(|steps| Cost { steps: *steps, ..Cost::default() }).collect()
    }

    #[test]
    fn a_point_is_the_mean_of_the_tasks_before_it() {
        assert_eq!(smooth(&costs(&[10, 20, 3]), |cost| cost.steps), [10_000, 15_000, 11_000]);
        let many = costs(&[100, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]);
        assert_eq!(smooth(&many, |cost| cost.steps)[WINDOW], MILLI);
    }

    #[test]
    fn a_drawing_has_a_line_for_each_series_in_each_panel_and_stays_inside() {
        let (one, other) = (costs(&[30, 10, 5]), costs(&[30, 30, 30]));
        let lines = [Line { name: "on & off", costs: &one }, Line { name: "<off>", costs: &other }];
        let drawn = svg(&lines);
        assert_eq!(drawn.matches("<polyline").count(), 6);
        assert!(drawn.contains("on &amp; off") && drawn.contains("&lt;off&gt;"));
        for points in drawn.split("points=\"").skip(1) {
            for point in points.split('"').next().unwrap().split(' ') {
                let (x, y) = point.split_once(',').unwrap();
                assert!(
                    x.parse::<usize>().unwrap() <= WIDTH && y.parse::<usize>().unwrap() <= BOTTOM,
                    "{point}"
                );
            }
        }
        assert_eq!(svg(&[]).matches("<polyline").count(), 0);
    }

    #[test]
    fn labels_are_short() {
        assert_eq!([0, 1_000, 2_500, 12_340].map(label), ["0", "1", "2.5", "12.34"]);
    }
}
