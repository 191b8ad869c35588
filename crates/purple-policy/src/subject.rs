//! What is being judged, beside the facts: the task's words and one operation.

/// The task and, if one is judged, the operation.
///
/// ```
/// use purple_policy::Subject;
///
/// let subject = Subject {
///     task: "change order ORD-5592",
///     tool: Some("modify_order_items"),
///     arguments: r#"{"order_id":"ORD-5592"}"#,
///     satisfied: &["get_order"],
///     approval_tools: &["confirm_with_user"],
/// };
/// assert!(subject.tool.is_some());
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Subject<'a> {
    /// The words of the task.
    pub task: &'a str,
    /// The tool that the operation calls; `None` if only the task is judged.
    pub tool: Option<&'a str>,
    /// The operation's arguments as text. Without a tool they are not looked at.
    pub arguments: &'a str,
    /// Tools that count as done before this operation: called and verified in this round, earlier in the same
    /// plan, or covered by an approval of the plan.
    pub satisfied: &'a [&'a str],
    /// Tools that ask somebody something. If one of these is missing, a human can still say yes.
    pub approval_tools: &'a [&'a str],
}
