//! The type of an absent workload.

use std::convert::Infallible;
use std::time::Duration;

use hoap_record::Result;

use crate::{Client, Completion, Look, Next, Probe, Probing, Workload};

/// The type of a side or probe that a step does not have, as in `run_step(plan, Some(&workload),
/// None::<&NoWorkload>, …)`. It has no value.
#[derive(Clone, Copy, Debug)]
pub struct NoWorkload(Infallible);

/// The client of [`NoWorkload`].
#[derive(Clone, Copy, Debug)]
pub struct NoClient(Infallible);

impl Workload for NoWorkload {
    type Client = NoClient;

    fn kinds(&self) -> Vec<&str> {
        match self.0 {}
    }

    fn blocking(&self) -> bool {
        match self.0 {}
    }

    async fn client(&self, _number: usize) -> Result<NoClient> {
        match self.0 {}
    }
}

impl Probing for NoWorkload {
    type Probe = NoClient;

    fn every(&self) -> Duration {
        match self.0 {}
    }

    async fn probe(&self) -> Result<NoClient> {
        match self.0 {}
    }
}

impl Probe for NoClient {
    async fn look(&mut self) -> Result<Look> {
        match self.0 {}
    }
}

impl Client for NoClient {
    type Memory = ();

    fn next(&mut self) -> Next {
        match self.0 {}
    }

    async fn run(&mut self) -> Completion {
        match self.0 {}
    }

    fn finish(self) {
        match self.0 {}
    }
}
