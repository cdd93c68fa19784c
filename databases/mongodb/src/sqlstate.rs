//! PostgreSQL's error codes as DocumentDB's gateway has them.

/// PostgreSQL's SQLSTATE in the gateway's numbers: six bits a character, from `0` on.
pub(super) const fn sqlstate(code: &[u8; 5]) -> i32 {
    let (mut number, mut at) = (0, 5);
    while at > 0 {
        at -= 1;
        number = number << 6 | (code[at] - b'0') as i32;
    }
    number
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sqlstates_are_packed_as_the_gateway_packs_them() {
        // Seen: "could not serialize access", and "function … does not exist".
        assert_eq!((sqlstate(b"40001"), sqlstate(b"42883")), (16_777_220, 52_461_700));
    }
}
