//! Steps with scripted clients. Nothing here depends on how fast the machine is: clients wait for
//! phases and for each other.

mod clients;
mod ending;
mod fake;
mod faults;
mod files;
mod limit;
mod loops;
mod measurement;
mod pace;
mod stall;
