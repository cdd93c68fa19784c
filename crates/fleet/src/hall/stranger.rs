//! Drivers that do not belong to those that are gathered.

use super::Hall;
use crate::message::Here;

impl Hall {
    /// Why the driver does not belong here.
    pub(super) fn stranger(&self, here: &Here) -> Option<String> {
        let Here { id, part, of, hoap, command, .. } = here;
        if *of != self.of {
            return Some(format!(
                "part {part}/{of} came, and {} drivers are gathered: give every driver --part I/{}",
                self.of, self.of
            ));
        }
        let name = format!("part {part}/{of}");
        if *hoap != self.version {
            return Some(format!("{name} is hoap {hoap}, not {}", self.version));
        }
        if self.seats.get(part).is_some_and(|seat| seat.id != *id) {
            return Some(format!(
                "{name} is there twice, or was started again: what its first process wrote nobody \
                 knows; let no scheduler start it again, load the data anew and run again"
            ));
        }
        let (other, seat) = self.seats.iter().find(|(_, seat)| seat.command != *command)?;
        let pairs = command.iter().zip(&seat.command);
        let differ = pairs.clone().find(|(ours, theirs)| ours != theirs);
        let differ = match differ {
            Some((ours, theirs)) => format!("{ours:?}, not {theirs:?}"),
            None => format!("{} words, not {}", command.len(), seat.command.len()),
        };
        Some(format!("{name} has another command than part {other}/{of}: {differ}"))
    }
}
