//! What the nodes of a cluster share.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};

use super::faults::Fault;
use super::store::Store;

/// A connection, with TLS or without.
pub trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}

impl<S: AsyncRead + AsyncWrite + Unpin + Send> Stream for S {}

pub struct Shared {
    pub(super) tls: bool,
    pub(super) kv_port: u16,
    pub(super) query_ports: Vec<u16>,
    pub store: Mutex<Store>,
    pub faults: Mutex<Vec<Fault>>,
    /// Node, text and body of every statement so far.
    pub seen: Mutex<Vec<(usize, String, Value)>>,
    /// Durability levels of key-value writes so far.
    pub durabilities: Mutex<Vec<u8>>,
    /// Codes of the operations that wrote a document so far: 1 upsert, 2 insert, 3 replace, 0xd1
    /// fields of one.
    pub writes: Mutex<Vec<u8>>,
    /// Expiries of key-value writes so far, in seconds.
    pub expiries: Mutex<Vec<u32>>,
    /// Statuses with which the next operation on a key is refused.
    pub kv_refuses: Mutex<HashMap<String, u16>>,
    /// Whether operations on documents get no answer.
    pub kv_hangs: AtomicBool,
}
