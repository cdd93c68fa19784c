//! The Lua scripts, which the server runs atomically.
//!
//! A script runs alone on the server, which keeps it under the hash of its text; its writes go to
//! the append-only file and to replicas as one transaction. Redis does not undo the writes of a
//! script that fails, so each script checks everything before it writes.

use tokio::sync::OnceCell;

/// A script.
#[derive(Debug)]
pub(super) struct Script {
    pub text: &'static str,
    /// The hash that the server names it by.
    pub hash: OnceCell<String>,
}

/// The scripts, a set for each target.
#[derive(Debug)]
pub(super) struct Scripts {
    /// Adds a record and its key to the collection's. Keys: record, keys of the collection.
    /// Arguments: key, then names and values. Returns 1 where it was added, 0 where it exists.
    pub insert: Script,
    /// Adds a record alone, for a cluster. Key: record. Arguments: names and values. 0 where it was
    /// added, 1 where another one is there, 2 where one of just these fields is there.
    pub insert_alone: Script,
    /// Sets fields of a record. Key: record. Arguments: names and values. Says whether it is there.
    pub update: Script,
    /// Removes a record and its key from the collection's. Keys: record, keys of the collection.
    /// Argument: key. Says whether it was there.
    pub delete: Script,
    /// Adds documents and their keys, unless one of them is there. Keys: documents, keys of the
    /// collection. Arguments of each document: key, number of arguments, names and values. 0 where
    /// they were added, else the number of one that is there.
    pub insert_all: Script,
    /// Puts a document in the place of whatever is there, and its key among the collection's. Keys:
    /// document, keys of the collection. Arguments: key, then names and values.
    pub put: Script,
    /// Changes fields of a document.
    pub patch: Script,
    /// Puts a document in the place of whatever is there. Key: document. Arguments: names and
    /// values.
    pub replace: Script,
    /// Compares a field of a hash with a text (empty: absent) and sets it. Says whether it did.
    pub compare_and_set: Script,
}

/// HSET in portions, since Lua's stack is limited.
macro_rules! set_from {
    ($key:literal, $first:literal, $last:literal) => {
        concat!(
            "for i = ",
            $first,
            ", ",
            $last,
            ", 1000 do redis.call('HSET', ",
            $key,
            ", unpack(ARGV, i, math.min(i + 999, ",
            $last,
            "))) end "
        )
    };
}

const INSERT: &str = concat!(
    "if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end ",
    "redis.call('ZADD', KEYS[2], 0, ARGV[1]) ",
    set_from!("KEYS[1]", "2", "#ARGV"),
    "return 1"
);

const INSERT_ALONE: &str = concat!(
    "if redis.call('EXISTS', KEYS[1]) == 1 then ",
    "if redis.call('HLEN', KEYS[1]) ~= #ARGV / 2 then return 1 end ",
    "for i = 1, #ARGV, 2 do ",
    "if redis.call('HGET', KEYS[1], ARGV[i]) ~= ARGV[i + 1] then return 1 end end ",
    "return 2 end ",
    set_from!("KEYS[1]", "1", "#ARGV"),
    "return 0"
);

const UPDATE: &str = concat!(
    "if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end ",
    set_from!("KEYS[1]", "1", "#ARGV"),
    "return 1"
);

const DELETE: &str = "redis.call('ZREM', KEYS[2], ARGV[1]) return redis.call('DEL', KEYS[1])";

const INSERT_ALL: &str = concat!(
    "local set, at = KEYS[#KEYS], 1 ",
    "for d = 1, #KEYS - 1 do if redis.call('EXISTS', KEYS[d]) == 1 then return d end end ",
    "for d = 1, #KEYS - 1 do redis.call('ZADD', set, 0, ARGV[at]) ",
    "local from, last = at + 2, at + 1 + ARGV[at + 1] ",
    set_from!("KEYS[d]", "from", "last"),
    "at = last + 1 end return 0"
);

const PUT: &str = concat!(
    "redis.call('DEL', KEYS[1]) redis.call('ZADD', KEYS[2], 0, ARGV[1]) ",
    set_from!("KEYS[1]", "2", "#ARGV"),
    "return 1"
);

const PATCH: &str = include_str!("patch.lua");

const REPLACE: &str =
    concat!("redis.call('DEL', KEYS[1]) ", set_from!("KEYS[1]", "1", "#ARGV"), "return 1");

const COMPARE_AND_SET: &str = "if (redis.call('HGET', KEYS[1], ARGV[1]) or '') ~= ARGV[2] then \
     return 0 end redis.call('HSET', KEYS[1], ARGV[1], ARGV[3]) return 1";

impl Default for Scripts {
    fn default() -> Self {
        let script = |text| Script { text, hash: OnceCell::new() };
        Scripts {
            insert: script(INSERT),
            insert_alone: script(INSERT_ALONE),
            update: script(UPDATE),
            delete: script(DELETE),
            insert_all: script(INSERT_ALL),
            put: script(PUT),
            patch: script(PATCH),
            replace: script(REPLACE),
            compare_and_set: script(COMPARE_AND_SET),
        }
    }
}
