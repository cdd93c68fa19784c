//! What is no database's own: the answers of all to the queries, opening by URL, no database at
//! all. And SQLite, which every build has.

mod answers;
mod ch2;
mod null;
mod open;
mod sqlite;
