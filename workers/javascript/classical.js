// Classical algorithms of Node's crypto module, for all workers in JavaScript.
import crypto from 'node:crypto';
import { alone, inputs, length, optional, verdict } from './worker.js';

// DER headers for raw keys on these curves. Node does not accept raw keys, only JWK or DER.
const PRIVATE = { Ed25519: '302e020100300506032b657004220420', X25519: '302e020100300506032b656e04220420' };
const PUBLIC = { Ed25519: '302a300506032b6570032100', X25519: '302a300506032b656e032100' };
const SPKI = { type: 'spki', format: 'der' };
const der = (head, bytes) => Buffer.concat([Buffer.from(head, 'hex'), length('a key', bytes, 32)]);
const privateKey = (curve, bytes) =>
  crypto.createPrivateKey({ key: der(PRIVATE[curve], bytes), format: 'der', type: 'pkcs8' });
const publicKey = (curve, bytes) =>
  crypto.createPublicKey({ key: der(PUBLIC[curve], bytes), format: 'der', type: 'spki' });

function curveKeygen(curve) {
  const name = curve.toLowerCase();
  return (given) => {
    inputs(given, 0, 1);
    const seed = optional(given, 0);
    const run = seed
      ? () => ({ privateKey: privateKey(curve, seed) })
      : () => crypto.generateKeyPairSync(name);
    const outputs = (pair) => {
      const { x, d } = pair.privateKey.export({ format: 'jwk' });
      return [Buffer.from(x, 'base64url'), Buffer.from(d, 'base64url')];
    };
    return { run, outputs };
  };
}

const ed25519 = {
  keygen: curveKeygen('Ed25519'),
  sign(given) {
    inputs(given, 3, 3, 'seed');
    const key = privateKey('Ed25519', given[1]);
    const message = given[2];
    return { run: () => crypto.sign(null, message, key), outputs: alone };
  },
  verify(given) {
    inputs(given, 3, 3);
    const key = publicKey('Ed25519', given[0]);
    const [, message, signature] = given;
    return { run: () => crypto.verify(null, message, key, signature), outputs: verdict };
  },
};

const x25519 = {
  keygen: curveKeygen('X25519'),
  encapsulate(given) {
    inputs(given, 1, 2);
    const peer = publicKey('X25519', given[0]);
    const coins = optional(given, 1);
    const ephemeral = () => {
      if (!coins) return crypto.generateKeyPairSync('x25519', { publicKeyEncoding: SPKI });
      const key = privateKey('X25519', coins);
      return { privateKey: key, publicKey: crypto.createPublicKey(key).export(SPKI) };
    };
    const run = () => {
      const pair = ephemeral();
      const secret = crypto.diffieHellman({ privateKey: pair.privateKey, publicKey: peer });
      return [pair.publicKey.subarray(-32), secret];
    };
    return { run, outputs: (sent) => sent };
  },
  decapsulate(given) {
    inputs(given, 3, 3, 'scalar');
    const key = privateKey('X25519', given[1]);
    const ciphertext = length('a ciphertext', given[2], 32);
    const run = () => crypto.diffieHellman({ privateKey: key, publicKey: publicKey('X25519', ciphertext) });
    return { run, outputs: alone };
  },
};

function digest(name) {
  return {
    digest(given) {
      inputs(given, 1, 1);
      const message = given[0];
      return { run: () => crypto.createHash(name).update(message).digest(), outputs: alone };
    },
  };
}

export const CLASSICAL = [
  ['signature Ed25519 encodings=seed coins=keygen', ed25519],
  ['kem X25519 encodings=scalar coins=keygen,operation', x25519],
  ['hash SHA3-224', digest('sha3-224')],
  ['hash SHA3-256', digest('sha3-256')],
  ['hash SHA3-384', digest('sha3-384')],
  ['hash SHA3-512', digest('sha3-512')],
  ['hash SHA-256', digest('sha256')],
  ['hash SHA-512', digest('sha512')],
];
