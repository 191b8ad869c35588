//! A formal agent loop that is plain data: ask it what it needs, tell it what happened.
