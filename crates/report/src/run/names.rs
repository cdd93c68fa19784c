//! The names of steps as people write them.

use hoap_record::Step;

/// The step's name with its mark, if it is not whole.
pub fn step_name(step: &Step) -> String {
    match step.partial {
        Some(_) => format!("{} (partial)", step.name),
        None => step.name.clone(),
    }
}
