use super::super::block::{BlockError, BlockReader, BlockWriter, HEADER, Header};
use super::super::index::STRIDE;
use super::super::stream::TransactionSource;
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
fn reads_what_it_writes() {
    let bytes = block(&THREE);
    assert_eq!(read(&bytes[..]).unwrap(), THREE);
    let header = BlockReader::new(&bytes[..]).unwrap().header();
    let index = 20;
    let expected = bytes.len() as u64 - HEADER as u64 - index;
    assert_eq!(header, Header { form: Form::TxV2, count: 3, bytes: expected, indexed: true });
    assert_eq!(read(&block(&[])[..]).unwrap(), Vec::<Vec<u8>>::new());
}

#[test]
fn distinguishes_empty_foreign_and_damaged_files() {
    assert!(matches!(read(&[][..]), Err(BlockError::Empty)));
    for foreign in [&b"PAR1"[..], b"{\"a\": 1}", &[0; 1000]] {
        assert!(matches!(read(foreign), Err(BlockError::Foreign)), "{foreign:?}");
    }
    let damaged = |at: usize, value: u8| {
        let mut bytes = block(&THREE);
        bytes[at] = value;
        read(&bytes[..]).unwrap_err()
    };
    assert!(matches!(damaged(9, 3), BlockError::Format(3)));
    assert!(matches!(damaged(10, 3), BlockError::Header(_)));
    assert!(matches!(damaged(11, 1), BlockError::Header(_)));
    assert!(matches!(damaged(12, 1), BlockError::Header(_)));
    assert!(matches!(damaged(HEADER, 1), BlockError::TooLong { index: 0, length: 0x0100_0005 }));
}

#[test]
fn rejects_truncated_and_extended_files() {
    let bytes = block(&THREE);
    for length in 0..bytes.len() {
        let error = read(&bytes[..length]).unwrap_err();
        match length {
            0 => assert!(matches!(error, BlockError::Empty)),
            1..HEADER => assert!(matches!(error, BlockError::Header(_)), "{length}: {error}"),
            _ if length < bytes.len() - 20 => {
                assert!(matches!(error, BlockError::Truncated { count: 3, .. }), "{length}: {error}");
            }
            _ => assert!(matches!(error, BlockError::Index(_)), "{length}: {error}"),
        }
    }
    let grown = [&bytes[..], &[0]].concat();
    assert!(matches!(read(&grown[..]), Err(BlockError::Grown { count: 3 })));
}

#[test]
fn rejects_every_bit_flip_in_the_framing() {
    let bytes = block(&THREE);
    let framing = (0..HEADER).chain([HEADER, HEADER + 3, HEADER + 9, HEADER + 12, HEADER + 13, HEADER + 16]);
    let framing = framing.chain(bytes.len() - 20..bytes.len());
    for at in framing {
        for bit in 0..8 {
            let mut flipped = bytes.clone();
            flipped[at] ^= 1 << bit;
            // Flipping the form byte changes how transactions are decoded, but not the framing.
            let known = at == 10 && flipped[at] == 1;
            assert_eq!(read(&flipped[..]).is_ok(), known, "byte {at}, bit {bit}");
        }
    }
}

/// Converts a block to format 1, which older versions wrote and which has no index.
fn without_index(bytes: &[u8]) -> Vec<u8> {
    let header = BlockReader::new(bytes).unwrap().header();
    let mut old = bytes[..HEADER + header.bytes as usize].to_vec();
    old[9] = 1;
    old
}

#[test]
fn reads_blocks_without_an_index() {
    let old = without_index(&block(&THREE));
    assert_eq!(read(&old[..]).unwrap(), THREE);
    assert!(matches!(BlockReader::part(Cursor::new(&old), 0, 3), Err(BlockError::NoIndex)));
    let grown = [&old[..], &[0]].concat();
    assert!(matches!(read(&grown[..]), Err(BlockError::Grown { count: 3 })));
}

/// Returns transactions of different lengths, enough for three index entries.
fn many() -> Vec<Vec<u8>> {
    (0..3 * STRIDE + 100).map(|number| number.to_be_bytes()[(number % 8) as usize..].to_vec()).collect()
}

fn part(bytes: &[u8], first: u64, count: u64) -> Result<Vec<Vec<u8>>, BlockError> {
    let mut reader = BlockReader::part(Cursor::new(bytes), first, count)?;
    assert_eq!(reader.first(), first);
    let mut all = Vec::new();
    loop {
        let mut transaction = Vec::new();
        if reader.read_into(&mut transaction)?.is_none() {
            return Ok(all);
        }
        all.push(transaction);
    }
}

#[test]
fn reads_any_part_with_the_index() {
    let all = many();
    let bytes = block(&all.iter().map(|one| &one[..]).collect::<Vec<_>>());
    assert_eq!(read(&bytes[..]).unwrap(), all);
    let count = all.len() as u64;
    for first in [0, 1, STRIDE - 1, STRIDE, STRIDE + 5, 3 * STRIDE, count - 1, count] {
        for length in [0, 1, STRIDE - 1, STRIDE, STRIDE + 7, count] {
            let length = length.min(count - first);
            let expected = &all[first as usize..(first + length) as usize];
            assert_eq!(part(&bytes, first, length).unwrap(), expected, "first {first}, length {length}");
        }
    }
    for (first, length) in [(0, count + 1), (count, 1), (u64::MAX, 1), (1, u64::MAX)] {
        assert!(matches!(part(&bytes, first, length), Err(BlockError::Range { .. })));
    }
    let exactly = block(&all[..STRIDE as usize].iter().map(|one| &one[..]).collect::<Vec<_>>());
    assert_eq!(part(&exactly, 0, STRIDE).unwrap(), &all[..STRIDE as usize]);
    assert_eq!(part(&block(&[]), 0, 0).unwrap(), Vec::<Vec<u8>>::new());
}

#[test]
fn rejects_an_index_that_contradicts_the_transactions() {
    let all = many();
    let bytes = block(&all.iter().map(|one| &one[..]).collect::<Vec<_>>());
    let index = bytes.len() - 20 - 3 * 8;
    for at in index..bytes.len() {
        let mut flipped = bytes.clone();
        flipped[at] ^= 1;
        assert!(matches!(read(&flipped[..]), Err(BlockError::Index(_))), "{at}");
        // Choose parts that start or end at the changed entry. A changed trailer affects every part.
        let entry = ((at - index) / 8) as u64 + 1;
        let parts = if entry < 4 { vec![((entry - 1) * STRIDE, STRIDE), (entry * STRIDE, 50)] } else { vec![(5, 1)] };
        assert!(part(&flipped, parts[0].0, parts[0].1).is_err(), "{at}");
        // Reading at the wrong offset must yield different transactions or an error.
        assert!(parts.iter().all(|&(first, length)| {
            part(&flipped, first, length)
                .map_or(true, |read| read[..] != all[first as usize..(first + length) as usize])
        }));
    }
    for cut in 1..=44 {
        assert!(part(&bytes[..bytes.len() - cut], 0, 1).is_err(), "{cut}");
    }
    assert!(matches!(part(&[&bytes[..], &[0]].concat(), 0, 1), Err(BlockError::Grown { .. })));
}

#[test]
fn rejects_files_from_interrupted_writers() {
    let mut bytes = Cursor::new(Vec::new());
    BlockWriter::new(&mut bytes, Form::TxV2).unwrap().push(b"one").unwrap();
    assert!(matches!(read(&bytes.get_ref()[..]), Err(BlockError::Grown { count: 0 })));
}

#[test]
fn rejects_transactions_too_long_to_read() {
    let mut writer = BlockWriter::new(Cursor::new(Vec::new()), Form::TxV1).unwrap();
    writer.push(&vec![0; LONGEST_TRANSACTION]).unwrap();
    assert_eq!(writer.push(&vec![0; LONGEST_TRANSACTION + 1]).unwrap_err().kind(), ErrorKind::InvalidInput);
    let bytes = writer.finish().unwrap().into_inner();
    assert_eq!(read(&bytes[..]).unwrap()[0].len(), LONGEST_TRANSACTION);
}

/// Writer that returns an error after `room` bytes.
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
fn reports_a_full_disk_at_any_point() {
    let all = block(&THREE).len() + HEADER;
    for room in 0..all {
        let outcome = BlockWriter::new(Full { room, taken: Cursor::default() }, Form::TxV2).and_then(|mut writer| {
            THREE.iter().try_for_each(|transaction| writer.push(transaction))?;
            writer.finish().map(drop)
        });
        assert_eq!(outcome.unwrap_err().kind(), ErrorKind::StorageFull, "{room}");
    }
}
