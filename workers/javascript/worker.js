// A worker for pqlab in JavaScript. Uses noble-post-quantum, and Node's crypto module for classical algorithms.
//
// docs/workers.md describes the protocol. An operation parses its inputs once. It returns the timed function, and a
// function that converts the result to bytes. `call` runs the timed function once, `visit` runs it in a loop.
import crypto from 'node:crypto';
import fs from 'node:fs';
import { ml_dsa44, ml_dsa65, ml_dsa87 } from '@noble/post-quantum/ml-dsa.js';
import { ml_kem1024, ml_kem512, ml_kem768 } from '@noble/post-quantum/ml-kem.js';

const MOST_BYTES = 16 << 20;
const MOST_FIELDS = 1 << 16;
const MOST_SETS = 4096;

class Unsupported extends Error {}

function inputs(given, least, most, encoding) {
  if (given.length < least || given.length > most) throw new Error('wrong number of fields');
  if (encoding && given[0].toString('latin1') !== encoding) {
    throw new Unsupported(`only ${encoding} keys are supported`);
  }
}

function length(what, bytes, expected) {
  if (bytes.length !== expected) throw new Error(`${what} must be ${expected} bytes long, not ${bytes.length}`);
  return bytes;
}

const optional = (given, index) => (given.length > index && given[index].length > 0 ? given[index] : undefined);
const alone = (result) => [result];

// noble represents keys as bytes, and parses them in every call.
function nobleKem(kem) {
  const { lengths } = kem;
  return {
    keygen(given) {
      inputs(given, 0, 1);
      const seed = optional(given, 0);
      const run = seed ? () => kem.keygen(length('a seed', seed, lengths.seed)) : () => kem.keygen();
      return { run, outputs: (key) => [key.publicKey, key.secretKey] };
    },
    encapsulate(given) {
      inputs(given, 1, 2);
      const key = length('a key', given[0], lengths.publicKey);
      const coins = optional(given, 1);
      const run = coins ? () => kem.encapsulate(key, coins) : () => kem.encapsulate(key);
      return { run, outputs: (sent) => [sent.cipherText, sent.sharedSecret] };
    },
    decapsulate(given) {
      inputs(given, 3, 3, 'expanded');
      const key = length('a key', given[1], lengths.secretKey);
      const ciphertext = length('a ciphertext', given[2], lengths.cipherText);
      return { run: () => kem.decapsulate(ciphertext, key), outputs: alone };
    },
  };
}

function nobleSignature(scheme) {
  const { lengths } = scheme;
  const options = (given) => (optional(given, 3) ? { context: given[3] } : {});
  return {
    keygen(given) {
      inputs(given, 0, 1);
      const seed = optional(given, 0);
      const run = seed ? () => scheme.keygen(length('a seed', seed, lengths.seed)) : () => scheme.keygen();
      return { run, outputs: (key) => [key.publicKey, key.secretKey] };
    },
    sign(given) {
      inputs(given, 3, 5, 'expanded');
      const key = length('a key', given[1], lengths.secretKey);
      const message = given[2];
      const how = options(given);
      // Empty coins select the deterministic variant. Without coins, noble generates random bytes.
      if (given.length > 4) how.extraEntropy = given[4].length > 0 && length('coins', given[4], 32);
      return { run: () => scheme.sign(message, key, how), outputs: alone };
    },
    verify(given) {
      inputs(given, 3, 4);
      const key = length('a key', given[0], lengths.publicKey);
      const [, message, signature] = given;
      const how = options(given);
      const fits = signature.length === lengths.signature;
      return { run: () => fits && scheme.verify(signature, message, key, how), outputs: verdict };
    },
  };
}

const verdict = (valid) => [valid ? '1' : '0'];

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

const OFFERS = new Map([
  ['kem ML-KEM-512 encodings=expanded coins=keygen,operation', nobleKem(ml_kem512)],
  ['kem ML-KEM-768 encodings=expanded coins=keygen,operation', nobleKem(ml_kem768)],
  ['kem ML-KEM-1024 encodings=expanded coins=keygen,operation', nobleKem(ml_kem1024)],
  ['signature ML-DSA-44 encodings=expanded coins=keygen,operation context=yes hedged=yes', nobleSignature(ml_dsa44)],
  ['signature ML-DSA-65 encodings=expanded coins=keygen,operation context=yes hedged=yes', nobleSignature(ml_dsa65)],
  ['signature ML-DSA-87 encodings=expanded coins=keygen,operation context=yes hedged=yes', nobleSignature(ml_dsa87)],
  ['signature Ed25519 encodings=seed coins=keygen', ed25519],
  ['kem X25519 encodings=scalar coins=keygen,operation', x25519],
  ['hash SHA3-224', digest('sha3-224')],
  ['hash SHA3-256', digest('sha3-256')],
  ['hash SHA3-384', digest('sha3-384')],
  ['hash SHA3-512', digest('sha3-512')],
  ['hash SHA-256', digest('sha256')],
  ['hash SHA-512', digest('sha512')],
]);
const ALGORITHMS = new Map([...OFFERS].map(([text, operations]) => [text.split(' ')[1], operations]));
const NULL = {
  null(given) {
    inputs(given, 0, 0);
    return { run: () => undefined, outputs: () => [] };
  },
};
ALGORITHMS.set('null', NULL);

const cases = new Map();

function number(field) {
  const text = field.toString('latin1');
  if (!/^(0|[1-9][0-9]{0,18})$/.test(text) || BigInt(text) >= 1n << 63n) throw new Error('invalid number');
  return BigInt(text);
}

function find(operation, algorithm) {
  const operations = ALGORITHMS.get(algorithm.toString('latin1'));
  const name = operation.toString('latin1');
  if (!operations || !Object.hasOwn(operations, name)) throw new Unsupported('not offered');
  return operations[name];
}

class Case {
  constructor(operations) {
    this.runs = operations.map((operation) => operation.run);
    this.outputs = operations.map((operation) => operation.outputs);
    this.results = operations.map(() => undefined);
    this.first = this.touched = 0;
    this.visit = loop();
  }

  *answers() {
    for (let turn = 0; turn < this.touched; turn += 1) {
      const at = (this.first + turn) % this.runs.length;
      yield String(at);
      yield* this.outputs[at](this.results[at]);
    }
  }
}

// Creates a separate loop function for each case. V8 would optimize a shared loop for the functions
// that earlier cases called, which makes later cases slower.
function loop() {
  return new Function(
    'first',
    'n',
    `const { runs, results } = this;
     const count = runs.length;
     let at = first;
     const begun = process.hrtime.bigint();
     for (let i = 0; i < n; i += 1) {
       results[at] = runs[at]();
       at += 1;
       if (at === count) at = 0;
     }
     const elapsed = process.hrtime.bigint() - begun;
     this.first = first;
     this.touched = Math.min(n, count);
     return elapsed;`,
  );
}

function prepare(given) {
  if (given.length < 4) throw new Error('wrong number of fields');
  const handle = number(given[0]);
  const count = Number(number(given[3]));
  const sets = given.slice(4);
  if (count < 1 || count > MOST_SETS || sets.length % count || cases.has(handle)) {
    throw new Error('invalid number of sets, or the handle is already in use');
  }
  const ready = find(given[1], given[2]);
  const each = sets.length / count;
  const made = [];
  for (let set = 0; set < count; set += 1) made.push(ready(sets.slice(set * each, (set + 1) * each)));
  cases.set(handle, new Case(made));
  return [];
}

const LENGTHS = { hello: 1, list: 0, visit: 3, answers: 1, release: 1, goodbye: 0 };

function answer(verb, given) {
  const known = Object.hasOwn(LENGTHS, verb);
  if ((known && given.length !== LENGTHS[verb]) || (verb === 'call' && given.length < 2)) {
    throw new Error('wrong number of fields');
  }
  if (verb === 'hello') {
    if (number(given[0]) < 1n) throw new Error('the version must be at least 1');
    const manifest = new URL('node_modules/@noble/post-quantum/package.json', import.meta.url);
    const { version } = JSON.parse(fs.readFileSync(manifest));
    const libraries = `noble-post-quantum ${version}, Node's crypto (OpenSSL ${process.versions.openssl})`;
    return ['1', 'javascript', `Node.js ${process.versions.node}`, libraries, 'Web Crypto, OpenSSL'];
  }
  if (verb === 'list') return OFFERS.keys();
  if (verb === 'call') {
    const { run, outputs } = find(given[0], given[1])(given.slice(2));
    return outputs(run());
  }
  if (verb === 'prepare') return prepare(given);
  if (verb === 'goodbye') return [];
  if (!known) throw new Unsupported('unknown request');
  const handle = number(given[0]);
  const found = cases.get(handle);
  if (!found) throw new Error('unknown handle');
  if (verb === 'answers') return found.answers();
  if (verb === 'visit') {
    const [first, n] = [number(given[1]), number(given[2])];
    if (n < 1n || n > 1n << 32n) throw new Error('invalid number of operations');
    return [String(found.visit(Number(first % BigInt(found.runs.length)), Number(n)))];
  }
  cases.delete(handle);
  return [];
}

// Exits with an error. Used if the input is not a message.
function die(why) {
  process.stderr.write(`pqlab worker in JavaScript: ${why}\n`);
  process.exit(1);
}

// Reads or writes a whole buffer. Returns the number of bytes, which is less than the buffer's
// length if the input ended.
function whole(call, descriptor, buffer) {
  let done = 0;
  while (done < buffer.length) {
    try {
      const part = call(descriptor, buffer, done, buffer.length - done);
      if (part === 0) break;
      done += part;
    } catch (error) {
      if (error.code === 'EOF') break;
      // Retry if the pipe is non-blocking.
      if (error.code !== 'EAGAIN') die(error.message);
    }
  }
  return done;
}

function receive() {
  const head = Buffer.alloc(4);
  const found = whole(fs.readSync, 0, head);
  if (found === 0) return null;
  const size = found === 4 ? head.readUInt32BE() : 0;
  if (size === 0 || size > MOST_BYTES) die('invalid message length');
  const body = Buffer.alloc(size);
  if (whole(fs.readSync, 0, body) < size) die('the input ends inside a message');
  const fields = [];
  for (let at = 0; at < size; ) {
    const end = size - at < 4 ? size + 1 : at + 4 + body.readUInt32BE(at);
    if (end > size || fields.length === MOST_FIELDS) die('the fields do not match the message length');
    fields.push(body.subarray(at + 4, end));
    at = end;
  }
  if (!/^[a-z-]+$/.test(fields[0].toString('latin1'))) die('the message contains no valid verb');
  return fields;
}

function send(verb, fields) {
  const parts = [Buffer.alloc(4)];
  let size = 0;
  for (const field of [verb, ...fields]) {
    const bytes = Buffer.from(field);
    const head = Buffer.alloc(4);
    head.writeUInt32BE(bytes.length);
    parts.push(head, bytes);
    size += 4 + bytes.length;
  }
  parts[0].writeUInt32BE(size);
  whole(fs.writeSync, 1, Buffer.concat(parts));
}

for (let message = receive(); message; message = receive()) {
  const [verb, ...given] = message;
  const name = verb.toString('latin1');
  let last = false;
  try {
    const fields = [...answer(name, given)];
    last = name === 'goodbye';
    send('ok', fields);
  } catch (error) {
    send(error instanceof Unsupported ? 'unsupported' : 'error', [String(error.message || error).replaceAll('\n', ' ')]);
  }
  if (last) break;
}
