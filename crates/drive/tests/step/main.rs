//! Steps with scripted clients. No test depends on the speed of the machine: clients wait for
//! phases and for each other.

mod clients;
mod ending;
mod fake;
mod faults;
mod files;
mod gate;
mod level;
mod limit;
mod loops;
mod measurement;
mod pace;
mod stall;
