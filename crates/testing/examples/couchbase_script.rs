//! The tests' script of a Couchbase cluster as a program of its own: `couchbase_script` prints the
//! cluster's place, user and password, and answers until its standard input ends.
#![allow(clippy::print_stdout)]

use std::io::Read;

use hoap_testing::couchbase::{PASSWORD, Service, USER};

fn main() -> std::io::Result<()> {
    println!("{} {USER} {PASSWORD}", Service::start().place());
    std::io::stdin().read_to_end(&mut Vec::new()).map(drop)
}
