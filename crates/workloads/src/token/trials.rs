//! Makes, parses and verifies tokens.

use super::{Format, KEY_ID, fault};
use crate::inputs::{Messages, POOL, Turn};
use pqlab_constructions::token::{Algorithm, TokenError, cose, jws};
use pqlab_harness::{Fault, Recorder, Trial};
use pqlab_primitives::{Coins, SigningKey, VerifyingKey};

fn broken(error: TokenError) -> Fault {
    match error {
        TokenError::Primitive(error) => fault(error),
        other => Fault::WrongAnswer(other.to_string()),
    }
}

fn nothing() -> Fault {
    Fault::WrongAnswer("no operation has run since the outputs were cleared".to_owned())
}

/// Token in encoded form.
enum Token {
    Jws(String),
    Cose(Vec<u8>),
}

/// A parsed token.
#[allow(clippy::large_enum_variant, reason = "only one exists at a time, and boxing it would be timed")]
enum Read<'a> {
    Jws(jws::Jws<'a>),
    Cose(cose::Sign1),
}

impl Token {
    fn parse(&self) -> Result<Read<'_>, TokenError> {
        match self {
            Token::Jws(text) => jws::Jws::parse(text).map(Read::Jws),
            Token::Cose(bytes) => cose::Sign1::parse(bytes).map(Read::Cose),
        }
    }

    /// Returns the token with one bit or character changed in the middle.
    fn flipped(&self) -> Token {
        match self {
            // Both replacement characters belong to the base64url alphabet.
            Token::Jws(text) => {
                let (middle, mut changed) = (text.len() / 2, text.clone());
                let other = if text.as_bytes()[middle] == b'B' { "C" } else { "B" };
                changed.replace_range(middle..=middle, other);
                Token::Jws(changed)
            }
            Token::Cose(bytes) => {
                let mut changed = bytes.clone();
                changed[bytes.len() / 2] ^= 1;
                Token::Cose(changed)
            }
        }
    }
}

/// Issuer of tokens, with the keys that sign and verify them.
pub(super) struct Issuer {
    format: Format,
    algorithm: &'static Algorithm,
    key: Box<dyn SigningKey>,
    public: Box<dyn VerifyingKey>,
    key_id: [u8; KEY_ID],
    key_id_text: String,
}

impl Issuer {
    pub(super) fn new(
        format: Format,
        algorithm: &'static Algorithm,
        key: Box<dyn SigningKey>,
        public: Box<dyn VerifyingKey>,
        key_id: [u8; KEY_ID],
    ) -> Issuer {
        Issuer { format, algorithm, key, public, key_id, key_id_text: jws::key_id_text(&key_id) }
    }

    fn make(&self, payload: &[u8]) -> Result<Token, TokenError> {
        let (algorithm, key) = (self.algorithm, self.key.as_ref());
        Ok(match self.format {
            Format::Jws => Token::Jws(jws::make(algorithm, key, Some(&self.key_id_text), payload, Coins::Internal)?),
            Format::Cose => Token::Cose(cose::make(algorithm, key, Some(&self.key_id), payload, Coins::Internal)?),
        })
    }

    /// Parses and verifies a token, and returns the length of its payload.
    fn verify(&self, token: &Token) -> Result<usize, TokenError> {
        self.verify_read(&token.parse()?).map(<[u8]>::len)
    }

    fn verify_read<'r>(&self, read: &'r Read<'_>) -> Result<&'r [u8], TokenError> {
        match read {
            Read::Jws(jws) => jws.verify(self.algorithm, self.public.as_ref()),
            Read::Cose(cose) => cose.verify(self.algorithm, self.public.as_ref()),
        }
    }

    /// Checks that verification accepts the token with this payload, and rejects the token after a change.
    fn check(&self, token: &Token, payload: &[u8]) -> Result<(), Fault> {
        let read = token.parse().map_err(broken)?;
        let named = match &read {
            Read::Jws(jws) => jws.key_id() == Some(&self.key_id_text),
            Read::Cose(cose) => cose.key_id() == Some(&self.key_id),
        };
        if self.verify_read(&read).map_err(broken)? != payload || !named {
            return Err(Fault::WrongAnswer("the token has a different payload or key".into()));
        }
        match self.verify(&token.flipped()) {
            Err(_) => Ok(()),
            Ok(_) => Err(Fault::WrongAnswer("verification accepts a token with a bit flipped".into())),
        }
    }

    /// Makes [`POOL`] tokens to parse or verify, and returns them with their payloads.
    fn pool(&self, mut payloads: Messages) -> Result<Vec<(Token, Vec<u8>)>, Fault> {
        let one = |_| {
            let payload = payloads.next().to_vec();
            Ok((self.make(&payload).map_err(broken)?, payload))
        };
        (0..POOL).map(one).collect()
    }
}

pub(super) struct Make {
    issuer: Issuer,
    payloads: Messages,
    made: Option<Token>,
}

impl Make {
    pub(super) fn new(issuer: Issuer, payloads: Messages) -> Make {
        Make { issuer, payloads, made: None }
    }
}

impl Trial for Make {
    fn setup(&mut self, batch: usize) -> Result<(), Fault> {
        self.payloads.setup(batch);
        self.made = None;
        Ok(())
    }

    fn routine(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        for _ in 0..batch {
            self.made = Some(self.issuer.make(self.payloads.next()).map_err(broken)?);
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        self.issuer.check(self.made.as_ref().ok_or_else(nothing)?, self.payloads.last())
    }
}

pub(super) struct Parse {
    issuer: Issuer,
    tokens: Vec<(Token, Vec<u8>)>,
    turn: Turn,
    done: bool,
}

impl Parse {
    pub(super) fn new(issuer: Issuer, payloads: Messages) -> Result<Parse, Fault> {
        let tokens = issuer.pool(payloads)?;
        Ok(Parse { turn: Turn::new(tokens.len()), issuer, tokens, done: false })
    }
}

impl Trial for Parse {
    fn setup(&mut self, _batch: usize) -> Result<(), Fault> {
        self.done = false;
        Ok(())
    }

    fn routine(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        for _ in 0..batch {
            std::hint::black_box(self.tokens[self.turn.advance()].0.parse().map_err(broken)?);
        }
        self.done = true;
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        let (token, payload) = &self.tokens[self.turn.last()];
        if self.done { self.issuer.check(token, payload) } else { Err(nothing()) }
    }
}

pub(super) struct Verify {
    issuer: Issuer,
    tokens: Vec<(Token, Vec<u8>)>,
    turn: Turn,
    /// Length in bytes of the most recently verified payload.
    believed: Option<usize>,
}

impl Verify {
    pub(super) fn new(issuer: Issuer, payloads: Messages) -> Result<Verify, Fault> {
        let tokens = issuer.pool(payloads)?;
        Ok(Verify { turn: Turn::new(tokens.len()), issuer, tokens, believed: None })
    }
}

impl Trial for Verify {
    fn setup(&mut self, _batch: usize) -> Result<(), Fault> {
        self.believed = None;
        Ok(())
    }

    fn routine(&mut self, batch: usize, _recorder: &mut Recorder) -> Result<(), Fault> {
        for _ in 0..batch {
            self.believed = Some(self.issuer.verify(&self.tokens[self.turn.advance()].0).map_err(broken)?);
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        let (token, payload) = &self.tokens[self.turn.last()];
        if self.believed.ok_or_else(nothing)? != payload.len() {
            return Err(Fault::WrongAnswer("the payload has a different length".into()));
        }
        self.issuer.check(token, payload)
    }
}
