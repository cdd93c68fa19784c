//! CH2 and CH2++.
