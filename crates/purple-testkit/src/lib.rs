//! What tests share, and the checks of the workspace itself.
