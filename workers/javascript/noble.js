// A worker for pqlab in JavaScript. Uses noble-post-quantum, and Node's crypto module for classical algorithms.
import fs from 'node:fs';
import { ml_dsa44, ml_dsa65, ml_dsa87 } from '@noble/post-quantum/ml-dsa.js';
import { ml_kem1024, ml_kem512, ml_kem768 } from '@noble/post-quantum/ml-kem.js';
import { CLASSICAL } from './classical.js';
import { alone, inputs, length, optional, serve, verdict } from './worker.js';

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

const KEM = 'encodings=expanded coins=keygen,operation';
const SIGNATURE = 'encodings=expanded coins=keygen,operation context=yes hedged=yes';
const manifest = new URL('node_modules/@noble/post-quantum/package.json', import.meta.url);
const { version } = JSON.parse(fs.readFileSync(manifest));

serve({
  offers: new Map([
    [`kem ML-KEM-512 ${KEM}`, nobleKem(ml_kem512)],
    [`kem ML-KEM-768 ${KEM}`, nobleKem(ml_kem768)],
    [`kem ML-KEM-1024 ${KEM}`, nobleKem(ml_kem1024)],
    [`signature ML-DSA-44 ${SIGNATURE}`, nobleSignature(ml_dsa44)],
    [`signature ML-DSA-65 ${SIGNATURE}`, nobleSignature(ml_dsa65)],
    [`signature ML-DSA-87 ${SIGNATURE}`, nobleSignature(ml_dsa87)],
    ...CLASSICAL,
  ]),
  libraries: `noble-post-quantum ${version}, Node's crypto (OpenSSL ${process.versions.openssl})`,
  generator: 'Web Crypto, OpenSSL',
});
