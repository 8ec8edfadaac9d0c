use super::*;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

fn read(bytes: &[u8]) -> Result<Option<Message>, ReadError> {
    receive(&mut &bytes[..])
}

fn refused(bytes: &[u8]) -> Malformed {
    match read(bytes) {
        Err(ReadError::Malformed(malformed)) => malformed,
        other => panic!("{} must be rejected: {other:?}", hex::encode(bytes)),
    }
}

fn framed(body: &[u8]) -> Vec<u8> {
    [&(body.len() as u32).to_be_bytes()[..], body].concat()
}

#[test]
fn encodes_the_example_of_the_specification() {
    let bytes = encode("call", &[b"digest", b"SHA3-256", b"abc"]).unwrap();
    let text = include_str!("../../../../docs/workers.md");
    let line = text.lines().find(|line| line.starts_with("00000025")).unwrap();
    assert_eq!(hex::encode(&bytes), line.replace(' ', ""));
    let message = read(&bytes).unwrap().unwrap();
    assert_eq!(message.verb, "call");
    assert_eq!(message.fields, [&b"digest"[..], b"SHA3-256", b"abc"]);
}

#[test]
fn accepts_empty_fields_and_lone_verbs() {
    for fields in [&[][..], &[&b""[..]], &[b"", b"x", b""]] {
        let message = read(&encode("ok", fields).unwrap()).unwrap().unwrap();
        assert_eq!(message.fields, fields);
    }
    assert!(read(b"").unwrap().is_none());
}

#[test]
fn rejects_anything_but_exact_messages() {
    assert_eq!(refused(&[0, 0]), Malformed::Ended);
    assert_eq!(refused(&framed(b"\0\0\0\x02ok")[..7]), Malformed::Ended);
    assert_eq!(refused(&[0; 4]), Malformed::Length(0));
    assert_eq!(refused(&[1, 0, 0, 1]), Malformed::Length(MOST_BYTES + 1));
    assert_eq!(refused(&[255; 8]), Malformed::Length(u32::MAX as usize));
    assert_eq!(refused(&framed(b"\0\0\0\x03ok")), Malformed::Beyond(0));
    assert_eq!(refused(&framed(b"\0\0\0\x02ok\0\0\0")), Malformed::Beyond(6));
    assert_eq!(refused(&framed(b"\0\0\0\x02ok\xff\xff\xff\xff")), Malformed::Beyond(6));
    for verb in ["", "OK", "o k", "ok1", "ö"] {
        let body = [&(verb.len() as u32).to_be_bytes()[..], verb.as_bytes()].concat();
        assert_eq!(refused(&framed(&body)), Malformed::Verb);
        assert_eq!(encode(verb, &[]), Err(Malformed::Verb));
    }
    let most = [b"\0\0\0\x02ok".to_vec(), vec![0; 4 * (MOST_FIELDS - 1)]].concat();
    assert_eq!(read(&framed(&most)).unwrap().unwrap().fields.len(), MOST_FIELDS - 1);
    assert_eq!(refused(&framed(&[most, vec![0; 4]].concat())), Malformed::Fields);
    assert_eq!(encode("ok", &vec![&b""[..]; MOST_FIELDS]), Err(Malformed::Fields));
    assert!(matches!(encode("ok", &[&vec![0; MOST_BYTES]]), Err(Malformed::Length(_))));
}

#[test]
fn numbers_have_one_form() {
    for (text, value) in [("0", 0), ("7", 7), ("10", 10), ("9223372036854775807", i64::MAX as u64)] {
        assert_eq!(number(text.as_bytes()), Some(value));
    }
    for text in
        ["", "00", "01", "+1", "-1", " 1", "1 ", "1e3", "9223372036854775808", "99999999999999999999", "\u{662}"]
    {
        assert_eq!(number(text.as_bytes()), None, "{text}");
    }
}

/// Feeds random bytes and altered messages to the decoder. No input may crash the decoder or make it allocate much
/// memory, and an accepted message must encode to the same bytes. Returns the numbers of accepted and rejected inputs.
fn hammer(rounds: u32) -> (u32, u32) {
    let mut random = ChaCha8Rng::seed_from_u64(24);
    let (mut taken, mut refused) = (0, 0);
    for round in 0..rounds {
        let mut bytes = if round % 4 == 0 { noise(&mut random) } else { message(&mut random) };
        for _ in 0..round % 3 {
            change(&mut bytes, &mut random);
        }
        let mut rest = &bytes[..];
        match receive(&mut rest) {
            Ok(None) => assert!(bytes.is_empty()),
            Ok(Some(message)) => {
                let fields: Vec<&[u8]> = message.fields.iter().map(Vec::as_slice).collect();
                let read = bytes.len() - rest.len();
                assert_eq!(encode(&message.verb, &fields).unwrap(), bytes[..read]);
                taken += 1;
            }
            Err(ReadError::Malformed(_)) => refused += 1,
            Err(ReadError::Io(error)) => panic!("{error}"),
        }
        number(&bytes);
    }
    (taken, refused)
}

fn below(random: &mut ChaCha8Rng, end: usize) -> usize {
    random.next_u32() as usize % end
}

fn noise(random: &mut ChaCha8Rng) -> Vec<u8> {
    let mut bytes = vec![0; below(random, 64)];
    random.fill_bytes(&mut bytes);
    // Half of the inputs get the correct length, so that the decoder reads the body.
    if let (Some(rest), true) = (bytes.len().checked_sub(4), random.next_u32().is_multiple_of(2)) {
        bytes[..4].copy_from_slice(&(rest as u32).to_be_bytes());
    }
    bytes
}

fn message(random: &mut ChaCha8Rng) -> Vec<u8> {
    let fields: Vec<Vec<u8>> = (0..below(random, 5))
        .map(|_| {
            let mut field = vec![0; below(random, 12)];
            random.fill_bytes(&mut field);
            field
        })
        .collect();
    let fields: Vec<&[u8]> = fields.iter().map(Vec::as_slice).collect();
    encode(["ok", "visit", "error", "no-such-verb"][below(random, 4)], &fields).unwrap()
}

fn change(bytes: &mut Vec<u8>, random: &mut ChaCha8Rng) {
    let at = below(random, bytes.len().max(1));
    match random.next_u32() % 6 {
        0 => bytes.truncate(at),
        1 => bytes.insert(at.min(bytes.len()), random.next_u32() as u8),
        2 if !bytes.is_empty() => drop(bytes.remove(at)),
        3 if !bytes.is_empty() => bytes[at] = [0, 1, 127, 128, 255][below(random, 5)],
        4 => bytes.extend_from_slice(&[0; 4]),
        _ if !bytes.is_empty() => bytes[at] ^= 1 << (random.next_u32() % 8),
        _ => {}
    }
}

#[test]
fn random_and_changed_bytes_do_not_crash_the_decoder() {
    let (taken, refused) = hammer(100_000);
    assert!(taken > 20_000 && refused > 20_000, "{taken} accepted, {refused} rejected");
}

#[test]
#[ignore = "ten million rounds take up to a minute"]
fn ten_million_changed_messages_do_not_crash_the_decoder() {
    let (taken, refused) = hammer(10_000_000);
    assert!(taken > 2_000_000 && refused > 2_000_000, "{taken} accepted, {refused} rejected");
}
