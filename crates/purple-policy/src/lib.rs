//! Is this allowed, and why: exact expressions, rules and verdicts without a model.
