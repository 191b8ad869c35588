//! What synthesis may spend: it serves every later task of the kind, so it is not taken from the budget of this one.

use crate::drive::Drive;
use crate::drive::budget::Budget;

/// The most tokens that one call for synthesis may cost.
const CALL_TOKENS_MAX: u64 = 8_000;

/// Asks with a purse of its own. Calls are numbered on, so that a call that is lost is known by its number.
pub(crate) async fn with_purse<T>(drive: &mut Drive, ask: impl AsyncFnOnce(&mut Drive) -> T) -> T {
    let budget = std::mem::replace(&mut drive.budget, Budget::new(CALL_TOKENS_MAX));
    let calls_left = std::mem::replace(&mut drive.calls_left, 1);
    let asked = ask(drive).await;
    (drive.budget, drive.calls_left) = (budget, calls_left);
    asked
}
