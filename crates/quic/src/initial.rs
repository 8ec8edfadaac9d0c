//! Reads the TLS messages in Initial packets (RFC 9000, section 17.2.2). Their keys follow from a connection ID that the
//! client sends unencrypted (RFC 9001, section 5.2).

use pqlab_tls::{Error, Result, ServerHello};
use rustls::Side;
use rustls::quic::{DirectionalKeys, Suite, Version};

/// QUIC version 1.
const VERSION_1: u64 = 1;
/// Header bit of a long header.
const LONG: u8 = 0x80;
/// Header bits of the packet type. Initial packets have type 0.
const TYPE: u8 = 0x30;
/// Distance in bytes from the packet number to the sample for header protection (RFC 9001, section 5.4.2).
const SAMPLE: usize = 4;

const PADDING: u64 = 0x00;
const PING: u64 = 0x01;
const ACK: u64 = 0x02;
const CRYPTO: u64 = 0x06;

/// TLS record type of a handshake message, and the version in its header.
const RECORD: [u8; 3] = [22, 3, 3];

/// TLS messages in the Initial packets of a handshake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Initials {
    /// ClientHello, with the header of the message.
    pub client_hello: Vec<u8>,
    /// Contents of the ServerHello.
    pub server_hello: ServerHello,
}

impl Initials {
    /// Decrypts the Initial packets of the client and of the server. `datagrams` contains the datagrams of each side in
    /// the order of sending, the client's first. Datagrams that do not start with an Initial packet are skipped.
    ///
    /// # Errors
    /// [`Error::Wrong`] if a packet cannot be decrypted, or if a message is missing or malformed.
    pub fn read(suite: Suite, datagrams: &[Vec<Vec<u8>>; 2]) -> Result<Initials> {
        let [client, server] = datagrams;
        let first = client.iter().find_map(|datagram| Header::parse(datagram));
        let first = first.ok_or_else(|| wrong("the client sent no Initial packet"))?;
        let keys = suite.keys(&first.destination, Side::Client, Version::V1);
        let messages = |datagrams: &[Vec<u8>], keys: &DirectionalKeys| {
            crypto(datagrams, keys).ok_or_else(|| wrong("an Initial packet cannot be decrypted or read"))
        };
        let client_hello = messages(client, &keys.local)?;
        let message = messages(server, &keys.remote)?;
        let length = u16::try_from(message.len()).map_err(|_| wrong("the server's Initial packets are too long"))?;
        let record = [&RECORD, &length.to_be_bytes()[..], &message].concat();
        let server_hello = ServerHello::parse(&record).ok_or_else(|| wrong("the server sent no ServerHello"))?;
        Ok(Initials { client_hello, server_hello })
    }
}

fn wrong(what: &str) -> Error {
    Error::Wrong(what.to_owned())
}

/// Returns whether a datagram starts with an Initial packet.
pub(crate) fn is_initial(datagram: &[u8]) -> bool {
    datagram.first().is_some_and(|first| first & LONG != 0 && first & TYPE == 0)
}

/// Header of an Initial packet at the start of a datagram.
struct Header {
    destination: Vec<u8>,
    /// Offset of the packet number, in bytes.
    number: usize,
    /// Offset of the first byte after the packet.
    end: usize,
}

impl Header {
    fn parse(datagram: &[u8]) -> Option<Header> {
        if !is_initial(datagram) {
            return None;
        }
        let mut reader = Reader(datagram.get(1..)?);
        if reader.number(4)? != VERSION_1 {
            return None;
        }
        let length = reader.number(1)?;
        let destination = reader.bytes(length)?.to_vec();
        let length = reader.number(1)?;
        reader.bytes(length)?;
        let token = reader.varint()?;
        reader.bytes(token)?;
        let length = usize::try_from(reader.varint()?).ok()?;
        let number = datagram.len() - reader.0.len();
        Some(Header { destination, number, end: number.checked_add(length)? })
    }
}

/// Returns the data of all CRYPTO frames in order of their offsets. Returns `None` if a packet is malformed.
fn crypto(datagrams: &[Vec<u8>], keys: &DirectionalKeys) -> Option<Vec<u8>> {
    let mut frames = Vec::new();
    for datagram in datagrams {
        if let Some(header) = Header::parse(datagram) {
            frames.extend(read_frames(&decrypt(datagram, &header, keys)?)?);
        }
    }
    join(frames)
}

/// Joins pieces of a stream by their offsets. Returns `None` if a piece is missing.
fn join(mut pieces: Vec<(u64, Vec<u8>)>) -> Option<Vec<u8>> {
    pieces.sort();
    let mut all = Vec::new();
    for (offset, data) in pieces {
        // A retransmission repeats earlier data.
        let known = all.len().checked_sub(usize::try_from(offset).ok()?)?;
        all.extend(data.into_iter().skip(known));
    }
    Some(all)
}

/// Returns the decrypted payload of a packet.
fn decrypt(datagram: &[u8], header: &Header, keys: &DirectionalKeys) -> Option<Vec<u8>> {
    let mut packet = datagram.get(..header.end)?.to_vec();
    let (before, after) = packet.split_at_mut_checked(header.number + SAMPLE)?;
    let sample = after.get(..keys.header.sample_len())?;
    let (first, rest) = before.split_first_mut()?;
    keys.header.decrypt_in_place(sample, first, rest.get_mut(header.number - 1..)?).ok()?;
    let payload = header.number + usize::from(*first & 0x03) + 1;
    let (before, after) = packet.split_at_mut_checked(payload)?;
    let number = before[header.number..].iter().fold(0, |number, byte| number << 8 | u64::from(*byte));
    keys.packet.decrypt_in_place(number, before, after).ok().map(<[u8]>::to_vec)
}

/// Returns the offset and the data of each CRYPTO frame (RFC 9000, section 19). Returns `None` if a frame is malformed or
/// not expected in a handshake.
fn read_frames(payload: &[u8]) -> Option<Vec<(u64, Vec<u8>)>> {
    let (mut reader, mut found) = (Reader(payload), Vec::new());
    while !reader.0.is_empty() {
        match reader.varint()? {
            PADDING | PING => {}
            ACK => {
                reader.varint()?;
                reader.varint()?;
                let ranges = reader.varint()?;
                reader.varint()?;
                for _ in 0..ranges {
                    reader.varint()?;
                    reader.varint()?;
                }
            }
            CRYPTO => {
                let (offset, length) = (reader.varint()?, reader.varint()?);
                found.push((offset, reader.bytes(length)?.to_vec()));
            }
            _ => return None,
        }
    }
    Some(found)
}

/// Reads fields from the start of received bytes.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn bytes(&mut self, length: u64) -> Option<&'a [u8]> {
        let (read, rest) = self.0.split_at_checked(usize::try_from(length).ok()?)?;
        self.0 = rest;
        Some(read)
    }

    /// Reads an integer of `length` bytes, at most 8.
    fn number(&mut self, length: u64) -> Option<u64> {
        Some(self.bytes(length)?.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    /// Reads an integer of variable length (RFC 9000, section 16).
    fn varint(&mut self) -> Option<u64> {
        let length = 1 << (self.0.first()? >> 6);
        // The two highest bits encode the length.
        Some(self.number(length)? & (u64::MAX >> (66 - 8 * length)))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use rustls::crypto::aws_lc_rs::cipher_suite::TLS13_AES_128_GCM_SHA256;

    fn hex(text: &str) -> Vec<u8> {
        let digits: Vec<u8> = text.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
        digits.chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
    }

    /// Server's Initial packet in RFC 9001, appendix A.3. The client's connection ID is 0x8394c8f03e515708.
    fn server_initial() -> Vec<u8> {
        hex("cf000000010008f067a5502a4262b5004075c0d95a482cd0991cd25b0aac406a
             5816b6394100f37a1c69797554780bb38cc5a99f5ede4cf73c3ec2493a1839b3
             dbcba3f6ea46c5b7684df3548e7ddeb9c3bf9c73cc3f3bded74b562bfb19fb84
             022f8ef4cdd93795d77d06edbb7aaf2f58891850abbdca3d20398c276456cbc4
             2158407dd074ee")
    }

    fn keys() -> DirectionalKeys {
        let suite = TLS13_AES_128_GCM_SHA256.tls13().unwrap().quic_suite().unwrap();
        suite.keys(&hex("8394c8f03e515708"), Side::Client, Version::V1).remote
    }

    #[test]
    fn reads_integers_of_variable_length() {
        // RFC 9000, appendix A.1.
        for (bytes, number) in
            [("25", 37), ("7bbd", 15_293), ("9d7f3e7d", 494_878_333), ("c2197c5eff14e88c", 151_288_809_941_952_652)]
        {
            assert_eq!(Reader(&hex(bytes)).varint(), Some(number), "{bytes}");
        }
        assert_eq!(Reader(&[0x40]).varint(), None);
    }

    #[test]
    fn decrypts_the_packet_of_the_standard() {
        let message = crypto(&[server_initial()], &keys()).unwrap();
        let record = [&RECORD[..], &(message.len() as u16).to_be_bytes(), &message].concat();
        let hello = ServerHello::parse(&record).unwrap();
        assert_eq!(hello, ServerHello { group: Some(0x001d), resumed: false, retry: false });
    }

    #[test]
    fn rejects_changed_and_truncated_packets() {
        let packet = server_initial();
        for at in [0, 9, 30, packet.len() - 1] {
            let mut changed = packet.clone();
            changed[at] ^= 1;
            assert_eq!(crypto(&[changed], &keys()), None, "{at}");
        }
        for length in 20..packet.len() {
            assert_eq!(crypto(&[packet[..length].to_vec()], &keys()), None, "{length}");
        }
    }

    #[test]
    fn reads_only_frames_of_initial_packets() {
        let frames = |payload: &str| read_frames(&hex(payload));
        assert_eq!(frames("00 01 0200000000 060201ff"), Some(vec![(2, vec![0xff])]));
        assert_eq!(frames("060203aabb"), None, "the data is truncated");
        assert_eq!(frames("0200000100"), None, "an ACK range is missing");
        assert_eq!(frames("1e"), None, "HANDSHAKE_DONE is not allowed");
    }

    #[test]
    fn joins_pieces_by_offset_and_rejects_gaps() {
        assert_eq!(join(vec![(2, vec![3, 4]), (0, vec![1, 2]), (1, vec![2, 3])]), Some(vec![1, 2, 3, 4]));
        assert_eq!(join(vec![(0, vec![1]), (2, vec![3])]), None);
    }
}
