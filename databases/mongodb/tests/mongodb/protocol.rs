//! MongoDB's wire protocol, as much of it as a driver speaks: OP_MSG, and OP_QUERY for the first
//! hello.
//!
//! <https://www.mongodb.com/docs/manual/reference/mongodb-wire-protocol/>

use std::io::{Error, ErrorKind, Read, Result, Write};

use mongodb::bson::{Bson, Document, RawDocumentBuf};

const OP_REPLY: i32 = 1;
const OP_QUERY: i32 = 2004;
const OP_MSG: i32 = 2013;

/// A command and how its answer is to be sent.
pub struct Request {
    pub id: i32,
    legacy: bool,
    pub command: Document,
}

fn bad(what: &str) -> Error {
    Error::new(ErrorKind::InvalidData, what.to_owned())
}

fn number(bytes: &[u8]) -> Result<i32> {
    let four = bytes.get(..4).ok_or_else(|| bad("short"))?;
    Ok(i32::from_le_bytes(four.try_into().unwrap()))
}

/// Reads a document and gives what follows it.
fn document(bytes: &[u8]) -> Result<(Document, &[u8])> {
    let length = usize::try_from(number(bytes)?).map_err(|_| bad("length"))?;
    let (own, rest) = bytes.split_at_checked(length).ok_or_else(|| bad("short"))?;
    let raw = RawDocumentBuf::from_bytes(own.to_vec()).map_err(|e| bad(&e.to_string()))?;
    Ok((Document::try_from(&raw).map_err(|e| bad(&e.to_string()))?, rest))
}

fn read_message(stream: &mut impl Read) -> Result<(i32, i32, Vec<u8>)> {
    let mut head = [0; 16];
    stream.read_exact(&mut head)?;
    let length = usize::try_from(number(&head)? - 16).map_err(|_| bad("length"))?;
    let mut body = vec![0; length];
    stream.read_exact(&mut body)?;
    Ok((number(&head[4..])?, number(&head[12..])?, body))
}

/// Reads a command; sequences of documents become arrays in it.
pub fn read_request(stream: &mut impl Read) -> Result<Request> {
    let (id, code, body) = read_message(stream)?;
    match code {
        OP_MSG => Ok(Request { id, legacy: false, command: sections(&body[4..])? }),
        OP_QUERY => {
            let name = body[4..].iter().position(|b| *b == 0).ok_or_else(|| bad("name"))?;
            let (command, _) = document(&body[4 + name + 1 + 8..])?;
            Ok(Request { id, legacy: true, command })
        }
        _ => Err(bad("an operation that is no command")),
    }
}

fn sections(mut bytes: &[u8]) -> Result<Document> {
    let mut command = Document::new();
    let mut sequences = Document::new();
    while let Some((kind, rest)) = bytes.split_first() {
        if *kind == 0 {
            let (own, rest) = document(rest)?;
            command = own;
            bytes = rest;
            continue;
        }
        let size = usize::try_from(number(rest)?).map_err(|_| bad("size"))?;
        let (sequence, after) = rest.split_at_checked(size).ok_or_else(|| bad("short"))?;
        let end = sequence[4..].iter().position(|b| *b == 0).ok_or_else(|| bad("name"))?;
        let name = String::from_utf8_lossy(&sequence[4..4 + end]).into_owned();
        let mut documents = &sequence[4 + end + 1..];
        let mut all = Vec::new();
        while !documents.is_empty() {
            let (one, rest) = document(documents)?;
            all.push(Bson::Document(one));
            documents = rest;
        }
        sequences.insert(name, all);
        bytes = after;
    }
    command.extend(sequences);
    Ok(command)
}

fn bytes_of(document: &Document) -> Result<Vec<u8>> {
    let raw = RawDocumentBuf::try_from(document).map_err(|e| bad(&e.to_string()))?;
    Ok(raw.into_bytes())
}

fn write_message(stream: &mut impl Write, code: i32, to: i32, body: &[u8]) -> Result<()> {
    let length = i32::try_from(body.len() + 16).map_err(|_| bad("length"))?;
    let mut message = Vec::with_capacity(body.len() + 16);
    for part in [length, 0, to, code] {
        message.extend_from_slice(&part.to_le_bytes());
    }
    message.extend_from_slice(body);
    stream.write_all(&message)
}

/// Answers a command.
pub fn answer(stream: &mut impl Write, request: &Request, answer: &Document) -> Result<()> {
    let document = bytes_of(answer)?;
    let mut body = match request.legacy {
        // Flags, cursor, position, one document.
        true => [8i32, 0, 0, 0, 1].iter().flat_map(|n| n.to_le_bytes()).collect(),
        false => vec![0; 5],
    };
    body.extend_from_slice(&document);
    write_message(stream, if request.legacy { OP_REPLY } else { OP_MSG }, request.id, &body)
}

/// Sends a command to a server and reads its answer.
pub fn ask(stream: &mut (impl Read + Write), command: &Document) -> Result<Document> {
    let mut body = vec![0; 5];
    body.extend_from_slice(&bytes_of(command)?);
    write_message(stream, OP_MSG, 0, &body)?;
    let (_, code, body) = read_message(stream)?;
    match code {
        OP_MSG => sections(&body[4..]),
        _ => Err(bad("an answer that is none")),
    }
}
