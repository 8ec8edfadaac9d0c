use super::super::block::{BlockError, BlockReader, BlockWriter, HEADER, Header};
use super::*;
use std::io::{self, Cursor, ErrorKind, Read, Seek, SeekFrom, Write};

fn block(transactions: &[&[u8]]) -> Vec<u8> {
    let mut writer = BlockWriter::new(Cursor::new(Vec::new()), Form::TxV2).unwrap();
    transactions.iter().for_each(|transaction| writer.push(transaction).unwrap());
    writer.finish().unwrap().into_inner()
}

fn read(input: impl Read) -> Result<Vec<Vec<u8>>, BlockError> {
    let mut reader = BlockReader::new(input)?;
    let mut all = Vec::new();
    loop {
        let mut transaction = Vec::new();
        match reader.read_into(&mut transaction)? {
            Some(length) => assert_eq!(length, transaction.len()),
            None => return Ok(all),
        }
        all.push(transaction);
    }
}

const THREE: [&[u8]; 3] = [b"first", b"", b"the third"];

#[test]
fn what_is_written_is_read() {
    let bytes = block(&THREE);
    assert_eq!(read(&bytes[..]).unwrap(), THREE);
    let header = BlockReader::new(&bytes[..]).unwrap().header();
    assert_eq!(header, Header { form: Form::TxV2, count: 3, bytes: bytes.len() as u64 - HEADER as u64 });
    assert_eq!(read(&block(&[])[..]).unwrap(), Vec::<Vec<u8>>::new());
}

#[test]
fn an_empty_a_foreign_and_a_damaged_file_are_told_apart() {
    assert!(matches!(read(&[][..]), Err(BlockError::Empty)));
    for foreign in [&b"PAR1"[..], b"{\"a\": 1}", &[0; 1000]] {
        assert!(matches!(read(foreign), Err(BlockError::Foreign)), "{foreign:?}");
    }
    let damaged = |at: usize, value: u8| {
        let mut bytes = block(&THREE);
        bytes[at] = value;
        read(&bytes[..]).unwrap_err()
    };
    assert!(matches!(damaged(9, 2), BlockError::Format(2)));
    assert!(matches!(damaged(10, 3), BlockError::Header(_)));
    assert!(matches!(damaged(11, 1), BlockError::Header(_)));
    assert!(matches!(damaged(12, 1), BlockError::Header(_)));
    assert!(matches!(damaged(HEADER, 1), BlockError::TooLong { index: 0, length: 0x0100_0005 }));
}

#[test]
fn every_truncation_is_an_error_and_so_is_every_extra_byte() {
    let bytes = block(&THREE);
    for length in 0..bytes.len() {
        let error = read(&bytes[..length]).unwrap_err();
        match length {
            0 => assert!(matches!(error, BlockError::Empty)),
            1..HEADER => assert!(matches!(error, BlockError::Header(_)), "{length}: {error}"),
            _ => assert!(matches!(error, BlockError::Truncated { count: 3, .. }), "{length}: {error}"),
        }
    }
    let grown = [&bytes[..], &[0]].concat();
    assert!(matches!(read(&grown[..]), Err(BlockError::Grown { count: 3 })));
}

#[test]
fn every_bit_of_the_framing_counts() {
    let bytes = block(&THREE);
    let framing = (0..HEADER).chain([HEADER, HEADER + 3, HEADER + 9, HEADER + 12, HEADER + 13, HEADER + 16]);
    for at in framing {
        for bit in 0..8 {
            let mut flipped = bytes.clone();
            flipped[at] ^= 1 << bit;
            // The form says how to read the transactions, not how many there are.
            let known = at == 10 && flipped[at] == 1;
            assert_eq!(read(&flipped[..]).is_ok(), known, "byte {at}, bit {bit}");
        }
    }
}

#[test]
fn what_an_interrupted_writer_leaves_is_refused() {
    let mut bytes = Cursor::new(Vec::new());
    BlockWriter::new(&mut bytes, Form::TxV2).unwrap().push(b"one").unwrap();
    assert!(matches!(read(&bytes.get_ref()[..]), Err(BlockError::Grown { count: 0 })));
}

#[test]
fn no_longer_transaction_is_written_than_is_read() {
    let mut writer = BlockWriter::new(Cursor::new(Vec::new()), Form::TxV1).unwrap();
    writer.push(&vec![0; LONGEST_TRANSACTION]).unwrap();
    assert_eq!(writer.push(&vec![0; LONGEST_TRANSACTION + 1]).unwrap_err().kind(), ErrorKind::InvalidInput);
    let bytes = writer.finish().unwrap().into_inner();
    assert_eq!(read(&bytes[..]).unwrap()[0].len(), LONGEST_TRANSACTION);
}

/// Takes some bytes and then no more.
struct Full {
    room: usize,
    taken: Cursor<Vec<u8>>,
}

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.room = self.room.checked_sub(bytes.len()).ok_or(ErrorKind::StorageFull)?;
        self.taken.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for Full {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.taken.seek(to)
    }
}

#[test]
fn a_full_disk_is_an_error_wherever_it_fills() {
    let all = block(&THREE).len() + HEADER;
    for room in 0..all {
        let outcome = BlockWriter::new(Full { room, taken: Cursor::default() }, Form::TxV2).and_then(|mut writer| {
            THREE.iter().try_for_each(|transaction| writer.push(transaction))?;
            writer.finish().map(drop)
        });
        assert_eq!(outcome.unwrap_err().kind(), ErrorKind::StorageFull, "{room}");
    }
}
