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
    /// Removes a record that an update has made, which is one whose key is not among the
    /// collection's. Keys: record, keys of the collection. Argument: key. Says whether it may stay.
    pub take_back: Script,
    /// Removes a record and its key from the collection's. Keys: record, keys of the collection.
    /// Argument: key. Says whether it was there.
    pub delete: Script,
    /// Adds documents, their keys and the progress, or nothing. Keys: the notes, keys of the
    /// collection, documents. Arguments: name and value of the progress; then of each document its
    /// key, the number of its names and values, and these. 0 or the position of a document that is
    /// there.
    pub batch: Script,
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

const TAKE_BACK: &str = "if redis.call('ZSCORE', KEYS[2], ARGV[1]) then return 1 end \
     redis.call('DEL', KEYS[1]) return 0";

const DELETE: &str = "redis.call('ZREM', KEYS[2], ARGV[1]) return redis.call('DEL', KEYS[1])";

// One command for many keys: a command in a script costs a microsecond and more, however small.
const BATCH: &str = concat!(
    "local there, seen = 0, {} ",
    "for k = 3, #KEYS, 1000 do ",
    "there = there + redis.call('EXISTS', unpack(KEYS, k, math.min(k + 999, #KEYS))) end ",
    "for k = 3, #KEYS do ",
    "if seen[KEYS[k]] or there > 0 and redis.call('EXISTS', KEYS[k]) == 1 then return k - 2 end ",
    "seen[KEYS[k]] = true end ",
    "redis.call('HSET', KEYS[1], ARGV[1], ARGV[2]) ",
    "local at, adds, n = 3, {}, 0 ",
    "for k = 3, #KEYS do ",
    "adds[n + 1], adds[n + 2], n = 0, ARGV[at], n + 2 ",
    "if n == 1000 or k == #KEYS then redis.call('ZADD', KEYS[2], unpack(adds, 1, n)) n = 0 end ",
    "at = at + 2 + ARGV[at + 1] end ",
    "at = 3 ",
    "for k = 3, #KEYS do ",
    "local first, last = at + 2, at + 1 + ARGV[at + 1] ",
    set_from!("KEYS[k]", "first", "last"),
    "at = last + 1 end ",
    "return 0"
);

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
            take_back: script(TAKE_BACK),
            delete: script(DELETE),
            batch: script(BATCH),
            replace: script(REPLACE),
            compare_and_set: script(COMPARE_AND_SET),
        }
    }
}
