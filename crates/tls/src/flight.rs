//! Parses the unencrypted parts of a flight: record headers and the ServerHello (RFC 8446, sections 5.1 and 4.1.3).

/// Payload of a TCP segment in bytes, if the MTU is 1,500 bytes. IPv4 and TCP headers take 20 bytes each, and TCP
/// timestamps (RFC 7323) take 12.
pub const SEGMENT: usize = 1500 - 20 - 20 - 12;
/// Maximum number of segments that a server sends before the first acknowledgement (RFC 6928).
pub const INITIAL_WINDOW: usize = 10;

const RECORD_HEADER: usize = 5;
/// Bytes that encryption adds to a record: the content type and the AEAD tag.
const PROTECTION: usize = 1 + 16;
/// Maximum length of the contents of a record in bytes (RFC 8446, section 5.1).
const LONGEST_RECORD: usize = 1 << 14;
const MESSAGE_HEADER: usize = 4;
const HANDSHAKE: u8 = 22;
const SERVER_HELLO: u8 = 2;
const KEY_SHARE: u16 = 51;
const PRE_SHARED_KEY: u16 = 41;
/// First bytes of the random value in a HelloRetryRequest: the SHA-256 of "HelloRetryRequest" (RFC 8446, section
/// 4.1.3).
const RETRY: [u8; 4] = [0xcf, 0x21, 0xad, 0x74];

/// Size of a flight: the data that one side sends before it waits for a response.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flight {
    /// Length in bytes.
    pub bytes: usize,
    /// Number of TLS records.
    pub records: usize,
}

impl Flight {
    /// Counts the records in `bytes`. Returns `None` if the last record is incomplete.
    pub fn parse(bytes: &[u8]) -> Option<Flight> {
        let mut flight = Flight { bytes: bytes.len(), records: 0 };
        let mut rest = bytes;
        while !rest.is_empty() {
            let length = usize::from(u16::from_be_bytes(rest.get(3..RECORD_HEADER)?.try_into().ok()?));
            rest = rest.get(RECORD_HEADER + length..)?;
            flight.records += 1;
        }
        Some(flight)
    }

    /// Computes the server's flight in a full handshake with X25519MLKEM768 and TLS_AES_256_GCM_SHA384, as rustls sends
    /// it. `certificates` contains the lengths of the certificates that the server sends, and `signature` is the length
    /// of its handshake signature, all in bytes.
    pub fn of_server(certificates: impl IntoIterator<Item = usize>, signature: usize) -> Flight {
        // Version, random, session ID, cipher suite, compression; then supported_versions and key_share.
        let hello = 2 + 32 + (1 + 32) + 2 + 1 + 2 + (4 + 2) + (4 + 2 + 2 + 1088 + 32);
        let change_cipher_spec = 1;
        // The server acknowledges the server name, and its certificates have no extensions.
        let extensions = 2 + 4;
        let certificate = 1 + 3 + certificates.into_iter().map(|length| 3 + length + 2).sum::<usize>();
        let verify = 2 + 2 + signature;
        let finished = 48;
        let encrypted: usize =
            [extensions, certificate, verify, finished].map(|body| MESSAGE_HEADER + body).iter().sum();
        let records = encrypted.div_ceil(LONGEST_RECORD);
        let unencrypted = RECORD_HEADER + MESSAGE_HEADER + hello + RECORD_HEADER + change_cipher_spec;
        Flight { bytes: unencrypted + encrypted + records * (RECORD_HEADER + PROTECTION), records: 2 + records }
    }

    /// Returns the number of TCP segments that carry the flight.
    pub fn packets(self) -> usize {
        self.bytes.div_ceil(SEGMENT)
    }

    /// Returns whether the whole flight can be sent before the first acknowledgement.
    pub fn fits_the_initial_window(self) -> bool {
        self.packets() <= INITIAL_WINDOW
    }
}

/// Contents of a ServerHello, which is not encrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServerHello {
    /// Code point of the key exchange group, if the message contains a key share.
    pub group: Option<u16>,
    /// Whether the server accepted a pre-shared key.
    pub resumed: bool,
    /// Whether the message is a HelloRetryRequest, which requests another ClientHello.
    pub retry: bool,
}

impl ServerHello {
    /// Parses the start of the server's flight. Returns `None` if the flight does not start with a ServerHello.
    pub fn parse(flight: &[u8]) -> Option<ServerHello> {
        let mut record = Reader(flight);
        if record.number(1)? != usize::from(HANDSHAKE) {
            return None;
        }
        record.bytes(2)?;
        let mut message = record.vector(2)?;
        if message.number(1)? != usize::from(SERVER_HELLO) {
            return None;
        }
        let mut hello = message.vector(3)?;
        hello.bytes(2)?;
        let retry = hello.bytes(32)?.starts_with(&RETRY);
        hello.vector(1)?;
        hello.bytes(3)?;
        let mut extensions = hello.vector(2)?;
        let mut found = ServerHello { group: None, resumed: false, retry };
        while !extensions.0.is_empty() {
            let number = extensions.number(2)?;
            let mut extension = extensions.vector(2)?;
            if number == usize::from(KEY_SHARE) {
                found.group = Some(u16::try_from(extension.number(2)?).ok()?);
            }
            found.resumed |= number == usize::from(PRE_SHARED_KEY);
        }
        Some(found)
    }
}

/// Reads fields from the start of received bytes.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn bytes(&mut self, length: usize) -> Option<&'a [u8]> {
        let (read, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(read)
    }

    fn number(&mut self, length: usize) -> Option<usize> {
        Some(self.bytes(length)?.iter().fold(0, |number, byte| number << 8 | usize::from(*byte)))
    }

    /// Reads a vector with a length prefix of `length` bytes. Returns a reader of its content.
    fn vector(&mut self, length: usize) -> Option<Reader<'a>> {
        let length = self.number(length)?;
        self.bytes(length).map(Reader)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_records_and_rejects_incomplete_ones() {
        let records = [22, 3, 3, 0, 2, 1, 1, 20, 3, 3, 0, 1, 1];
        assert_eq!(Flight::parse(&records), Some(Flight { bytes: 13, records: 2 }));
        assert_eq!(Flight::parse(&[]), Some(Flight::default()));
        for length in (1..records.len()).filter(|&length| length != 7) {
            assert_eq!(Flight::parse(&records[..length]), None, "{length}");
        }
    }

    #[test]
    fn initial_window_holds_ten_segments() {
        let flight = |bytes| Flight { bytes, records: 1 };
        assert_eq!((flight(1448).packets(), flight(1449).packets()), (1, 2));
        assert!(flight(14_480).fits_the_initial_window() && !flight(14_481).fits_the_initial_window());
    }

    #[test]
    fn rejects_messages_other_than_server_hello() {
        assert_eq!(ServerHello::parse(&[]), None);
        assert_eq!(ServerHello::parse(&[23, 3, 3, 0, 0]), None);
        assert_eq!(ServerHello::parse(&[22, 3, 3, 0, 4, 1, 0, 0, 0]), None);
    }
}
