//! The answer without its rows.

use hoap_database::failure::one_line;
use serde_json::Value;

/// An answer without its rows.
#[derive(Clone, Debug, Default)]
pub struct Envelope {
    /// All members but the rows.
    members: Value,
}

/// One error or warning of a service.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fault {
    /// The number by which the service's manual lists it. AsterixDB writes 1 and a code such as
    /// `ASX1077` in the message: then it is that code's number, and 0 where there is none.
    pub code: u64,
    /// The letters before the code's number: `ASX`, `HYR`, or none.
    pub family: String,
    /// The service's text, in one line.
    pub message: String,
    /// Whether the service says that a retry may succeed.
    pub retry: bool,
    /// How a transaction ended, in the cause of its error: `failed`, `expired`, `commit_ambiguous`,
    /// …; else empty.
    pub raise: String,
    /// The code of the reason, where the error itself only says that something failed; 0 without
    /// one.
    pub reason: u64,
}

impl Envelope {
    pub(super) fn new(members: Value) -> Self {
        Envelope { members }
    }

    /// A member of the answer, such as `metrics`, `plans`, `profile`; null where there is none.
    pub fn get(&self, member: &str) -> &Value {
        &self.members[member]
    }

    /// `success`, `fatal`, `timeout`, `running`, …
    pub fn status(&self) -> &str {
        self.get("status").as_str().unwrap_or("")
    }

    /// Errors. A service may report some beside rows that it had already sent.
    pub fn errors(&self) -> Vec<Fault> {
        faults(self.get("errors"))
    }

    /// Warnings, in the service's words: as many as `max-warnings` asks for.
    pub fn warnings(&self) -> Vec<String> {
        faults(self.get("warnings")).into_iter().map(|fault| fault.message).collect()
    }

    /// The names of the columns in their order, where the service tells them (`client-type`
    /// `jdbc`).
    pub fn columns(&self) -> Option<Vec<String>> {
        let names = self.get("signature").get("name")?.as_array()?;
        names.iter().map(|name| name.as_str().map(str::to_owned)).collect()
    }
}

fn faults(value: &Value) -> Vec<Fault> {
    value.as_array().map_or(&[][..], Vec::as_slice).iter().map(Fault::new).collect()
}

impl Fault {
    fn new(value: &Value) -> Fault {
        let text = value["msg"].as_str().or_else(|| value["message"].as_str());
        let text = text.map_or_else(|| value.to_string(), str::to_owned);
        let message = one_line(text);
        let code = value["code"].as_u64().unwrap_or(0);
        // In transactions the cause of the error has it.
        let retry = value["retry"] == true || value["cause"]["retry"] == true;
        let raise = value["cause"]["raise"].as_str().unwrap_or_default().to_owned();
        let reason = value["reason"]["code"].as_u64().unwrap_or(0);
        let (family, code) = match symbol(&message) {
            Some((family, code)) => (family.to_owned(), code),
            // AsterixDB's number for everything.
            None if code == 1 => (String::new(), 0),
            None => (String::new(), code),
        };
        Fault { code, family, message, retry, raise, reason }
    }

    /// Letters and number of the code; empty where there is none.
    pub fn name(&self) -> String {
        match (&*self.family, self.code) {
            ("", 0) => String::new(),
            ("", code) => code.to_string(),
            (family, code) => format!("{family}{code:04}"),
        }
    }
}

/// `ASX1077: …` as letters and number.
fn symbol(message: &str) -> Option<(&str, u64)> {
    let (code, _) = message.split_once(':')?;
    let letters = code.bytes().take_while(u8::is_ascii_uppercase).count();
    let (family, number) = code.split_at(letters);
    let whole = letters == 3 && number.len() >= 4 && number.bytes().all(|b| b.is_ascii_digit());
    whole.then(|| number.parse().ok().map(|number| (family, number)))?
}
