//! The nearest right word for a wrong one.
