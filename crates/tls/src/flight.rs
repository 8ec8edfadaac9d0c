//! What can be seen on the wire: records, packets, and what the ServerHello says (RFC 8446, sections 4.1.3 and 5.1).

/// Bytes of a TCP segment's data at an MTU of 1,500: without 20 bytes of IPv4, 20 of TCP, and 12 of TCP's timestamps (RFC 7323).
pub const SEGMENT: usize = 1500 - 20 - 20 - 12;
/// Segments that a server may send before the first acknowledgement (RFC 6928).
pub const INITIAL_WINDOW: usize = 10;

const RECORD_HEADER: usize = 5;
const HANDSHAKE: u8 = 22;
const SERVER_HELLO: u8 = 2;
const KEY_SHARE: u16 = 51;
const PRE_SHARED_KEY: u16 = 41;
/// The random of a HelloRetryRequest: the SHA-256 of these words (RFC 8446, section 4.1.3).
const RETRY: [u8; 4] = [0xcf, 0x21, 0xad, 0x74];

/// What one side sends at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flight {
    /// Its length in bytes.
    pub bytes: usize,
    /// The records in it.
    pub records: usize,
}

impl Flight {
    /// Counts the records; `None` where the bytes are no whole records.
    pub fn of(bytes: &[u8]) -> Option<Flight> {
        let mut flight = Flight { bytes: bytes.len(), records: 0 };
        let mut rest = bytes;
        while !rest.is_empty() {
            let length = usize::from(u16::from_be_bytes(rest.get(3..RECORD_HEADER)?.try_into().ok()?));
            rest = rest.get(RECORD_HEADER + length..)?;
            flight.records += 1;
        }
        Some(flight)
    }

    /// Segments that carry it.
    pub fn packets(self) -> usize {
        self.bytes.div_ceil(SEGMENT)
    }

    /// Whether it is under way as a whole before the first acknowledgement comes.
    pub fn fits_the_initial_window(self) -> bool {
        self.packets() <= INITIAL_WINDOW
    }
}

/// What a ServerHello says, which everybody can read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServerHello {
    /// The number of the key exchange; `None` where there is none.
    pub group: Option<u16>,
    /// Whether a pre-shared key was taken.
    pub resumed: bool,
    /// Whether it is a HelloRetryRequest, which asks for another ClientHello.
    pub retry: bool,
}

impl ServerHello {
    /// Reads what the server's first record begins with; `None` where that is no ServerHello.
    pub fn of(flight: &[u8]) -> Option<ServerHello> {
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

/// Bytes from the wire, read from their beginning.
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

    /// What a length of so many bytes stands before.
    fn vector(&mut self, length: usize) -> Option<Reader<'a>> {
        let length = self.number(length)?;
        self.bytes(length).map(Reader)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_counted_and_half_ones_refused() {
        let records = [22, 3, 3, 0, 2, 1, 1, 20, 3, 3, 0, 1, 1];
        assert_eq!(Flight::of(&records), Some(Flight { bytes: 13, records: 2 }));
        assert_eq!(Flight::of(&[]), Some(Flight::default()));
        for length in (1..records.len()).filter(|&length| length != 7) {
            assert_eq!(Flight::of(&records[..length]), None, "{length}");
        }
    }

    #[test]
    fn ten_segments_and_no_byte_more_fit() {
        let flight = |bytes| Flight { bytes, records: 1 };
        assert_eq!((flight(1448).packets(), flight(1449).packets()), (1, 2));
        assert!(flight(14_480).fits_the_initial_window() && !flight(14_481).fits_the_initial_window());
    }

    #[test]
    fn what_is_no_server_hello_says_nothing() {
        assert_eq!(ServerHello::of(&[]), None);
        assert_eq!(ServerHello::of(&[23, 3, 3, 0, 0]), None);
        assert_eq!(ServerHello::of(&[22, 3, 3, 0, 4, 1, 0, 0, 0]), None);
    }
}
