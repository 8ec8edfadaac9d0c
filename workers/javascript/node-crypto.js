// A worker for pqlab in JavaScript. Uses Node's crypto module for all algorithms. ML-KEM and ML-DSA need Node.js 24.8,
// built with OpenSSL 3.5 or newer.
import crypto from 'node:crypto';
import { CLASSICAL } from './classical.js';
import { Unsupported, alone, die, inputs, length, optional, serve, verdict } from './worker.js';

// Identifiers of FIPS 203 and 204 in DER without their last byte, and lengths in bytes of the seed for key generation.
const KEM = { identifier: '060960864801650304' + '04', seed: 64 };
const SIGNATURE = { identifier: '060960864801650304' + '03', seed: 32 };

// Parameter sets: the last byte of the identifier, and the lengths in bytes of the public key, the expanded private key
// and the ciphertext.
const SETS = {
  'ML-KEM-512': { ...KEM, last: 1, publicKey: 800, expanded: 1632, ciphertext: 768 },
  'ML-KEM-768': { ...KEM, last: 2, publicKey: 1184, expanded: 2400, ciphertext: 1088 },
  'ML-KEM-1024': { ...KEM, last: 3, publicKey: 1568, expanded: 3168, ciphertext: 1568 },
  'ML-DSA-44': { ...SIGNATURE, last: 17, publicKey: 1312, expanded: 2560 },
  'ML-DSA-65': { ...SIGNATURE, last: 18, publicKey: 1952, expanded: 4032 },
  'ML-DSA-87': { ...SIGNATURE, last: 19, publicKey: 2592, expanded: 4896 },
};
const SPKI = { type: 'spki', format: 'der' };
const PKCS8 = { type: 'pkcs8', format: 'der' };

// Returns a value in DER: its tag, its length, and its parts. It must be shorter than 64 KiB.
function der(tag, ...parts) {
  const body = Buffer.concat(parts);
  const { length: size } = body;
  const lengths = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 255];
  return Buffer.concat([Buffer.from([tag, ...lengths]), body]);
}

// Returns the tag of a value in DER, its contents, and the bytes after it.
function parse(bytes) {
  const long = bytes[1] < 128 ? 0 : bytes[1] - 128;
  const start = 2 + long;
  const end = start + (long ? bytes.readUIntBE(2, long) : bytes[1]);
  return { tag: bytes[0], contents: bytes.subarray(start, end), rest: bytes.subarray(end) };
}

const algorithm = (set) => der(0x30, Buffer.from(set.identifier, 'hex'), Buffer.from([set.last]));

function publicKey(set, bytes) {
  const body = Buffer.concat([Buffer.of(0), length('a key', bytes, set.publicKey)]);
  return crypto.createPublicKey({ key: der(0x30, algorithm(set), der(0x03, body)), ...SPKI });
}

// Loads a private key, a choice of a seed with the tag 0x80 and an expanded key (RFC 9881, RFC 9935, section 6).
function privateKey(set, encoding, bytes) {
  const key = der(encoding === 'seed' ? 0x80 : 0x04, length('a key', bytes, set[encoding]));
  const version = Buffer.of(2, 1, 0);
  return crypto.createPrivateKey({ key: der(0x30, version, algorithm(set), der(0x04, key)), ...PKCS8 });
}

// Returns the seed of a private key. Node.js writes it alone, or in a sequence with the expanded key.
function readSeed(key) {
  const { rest } = parse(parse(key.export(PKCS8)).contents);
  const choice = parse(parse(parse(rest).rest).contents);
  return choice.tag === 0x30 ? parse(choice.contents).contents : choice.contents;
}

function keygen(name, set) {
  return (given) => {
    inputs(given, 0, 1);
    const seed = optional(given, 0);
    const run = seed
      ? () => {
          const key = privateKey(set, 'seed', seed);
          return { privateKey: key, publicKey: crypto.createPublicKey(key) };
        }
      : () => crypto.generateKeyPairSync(name.toLowerCase());
    const outputs = (pair) => [pair.publicKey.export(SPKI).subarray(-set.publicKey), readSeed(pair.privateKey)];
    return { run, outputs };
  };
}

function kem(name) {
  const set = SETS[name];
  return {
    keygen: keygen(name, set),
    encapsulate(given) {
      inputs(given, 1, 2);
      if (optional(given, 1)) throw new Unsupported('coins are not supported');
      const key = publicKey(set, given[0]);
      return { run: () => crypto.encapsulate(key), outputs: (sent) => [sent.ciphertext, sent.sharedKey] };
    },
    decapsulate(given) {
      inputs(given, 3, 3, 'seed', 'expanded');
      const key = privateKey(set, given[0].toString(), given[1]);
      const ciphertext = length('a ciphertext', given[2], set.ciphertext);
      return { run: () => crypto.decapsulate(key, ciphertext), outputs: alone };
    },
  };
}

function signature(name) {
  const set = SETS[name];
  const withContext = (key, context) => (context ? { key, context } : key);
  return {
    keygen: keygen(name, set),
    sign(given) {
      inputs(given, 3, 4, 'seed', 'expanded');
      const key = withContext(privateKey(set, given[0].toString(), given[1]), optional(given, 3));
      const message = given[2];
      return { run: () => crypto.sign(null, message, key), outputs: alone };
    },
    verify(given) {
      inputs(given, 3, 4);
      const key = withContext(publicKey(set, given[0]), optional(given, 3));
      const [, message, signed] = given;
      return { run: () => crypto.verify(null, message, key, signed), outputs: verdict };
    },
  };
}

function isAtLeast(version, major, minor) {
  const [first, second] = version.split('.').map(Number);
  return first > major || (first === major && second >= minor);
}

const attributes = 'encodings=seed,expanded coins=keygen';
const kems = ['ML-KEM-512', 'ML-KEM-768', 'ML-KEM-1024'];
const signatures = ['ML-DSA-44', 'ML-DSA-65', 'ML-DSA-87'];

// Node.js 24.8 added contexts, and OpenSSL 3.5 added ML-KEM and ML-DSA. Do not try an operation instead, because pqlab
// also times the first operation of a process.
const { node, openssl } = process.versions;
if (!isAtLeast(node, 24, 8) || !isAtLeast(openssl, 3, 5)) {
  die(`Node.js 24.8 or newer with OpenSSL 3.5 or newer is required, found ${node} with ${openssl}`);
}

serve({
  offers: new Map([
    ...kems.map((name) => [`kem ${name} ${attributes}`, kem(name)]),
    ...signatures.map((name) => [`signature ${name} ${attributes} context=yes hedged=yes`, signature(name)]),
    ...CLASSICAL,
  ]),
  libraries: `Node's crypto (OpenSSL ${openssl})`,
  generator: 'OpenSSL',
});
