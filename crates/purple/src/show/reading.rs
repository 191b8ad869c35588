//! How a text was read, for people.

use purple_worker::ReadAs;

use super::text::one_line;

/// One line for what the text is and leads to, and one for each thing that is not understood or missing.
pub(crate) fn reading_lines(read: &ReadAs) -> Vec<String> {
    let leads = match (&read.function, &read.process, &read.task) {
        _ if !read.tasks.is_empty() => String::new(),
        (Some(function), _, _) => format!(", calculated by `{function}`"),
        (None, Some(process), Some(task)) if process != task => format!(", about `{process}` ({task})"),
        (None, Some(process), _) => format!(", about `{process}`"),
        (None, None, _) => ", and no process fits".to_owned(),
    };
    let mut lines = vec![format!("read as         {}{leads}", read.kind)];
    lines.extend(read.tasks.iter().map(|task| format!("task            {}", one_line(task))));
    if !read.not_understood.is_empty() {
        lines.push(format!("not understood  {}", one_line(&read.not_understood.join(", "))));
    }
    lines.extend(read.missing.iter().map(|missing| format!("missing         {}", one_line(missing))));
    lines
}
