//! The server's side of SCRAM-SHA-512 (RFC 5802), which the driver insists on without TLS.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha512};

const SALT: &[u8] = b"a salt of the script";

/// What is known after the first message.
pub struct Begun {
    user: String,
    /// Both first messages.
    messages: String,
    nonce: String,
}

fn hmac(key: &[u8], parts: &[&[u8]]) -> Vec<u8> {
    let mut block = [0u8; 128];
    match key.len() > block.len() {
        true => block[..64].copy_from_slice(&Sha512::digest(key)),
        false => block[..key.len()].copy_from_slice(key),
    }
    let mut inner = Sha512::new_with_prefix(block.map(|b| b ^ 0x36));
    parts.iter().for_each(|part| inner.update(part));
    let mut outer = Sha512::new_with_prefix(block.map(|b| b ^ 0x5c));
    outer.update(inner.finalize());
    outer.finalize().to_vec()
}

/// Answers the client's first message.
pub fn begin(first: &str) -> Option<(Begun, String)> {
    let bare = first.strip_prefix("n,,")?;
    let (user, nonce) = bare.strip_prefix("n=")?.split_once(",r=")?;
    let nonce = format!("{nonce}script");
    let answer = format!("r={nonce},s={},i=1", STANDARD.encode(SALT));
    let messages = format!("{bare},{answer}");
    Some((Begun { user: user.to_owned(), messages, nonce }, answer))
}

/// Answers the client's last message, if its proof is that of this user and password.
pub fn finish(begun: &Begun, last: &str, user: &str, password: &str) -> Option<String> {
    let (without, proof) = last.split_once(",p=")?;
    let salted = hmac(password.as_bytes(), &[SALT, &[0, 0, 0, 1]]);
    let messages = format!("{},{without}", begun.messages);
    let client_key = hmac(&salted, &[b"Client Key"]);
    let signature = hmac(&Sha512::digest(&client_key), &[messages.as_bytes()]);
    let expected: Vec<u8> = client_key.iter().zip(&signature).map(|(a, b)| a ^ b).collect();
    let good = begun.user == user
        && without.ends_with(&format!("r={}", begun.nonce))
        && STANDARD.decode(proof).ok()? == expected;
    let server_key = hmac(&salted, &[b"Server Key"]);
    good.then(|| format!("v={}", STANDARD.encode(hmac(&server_key, &[messages.as_bytes()]))))
}
