//! One integration binary: each extra file in `tests/` would link the world again.
