// The protocol of the workers in JavaScript. docs/workers.md describes it.
//
// An operation parses its inputs once. It returns the timed function, and a function that converts the result to bytes.
// `call` runs the timed function once, `visit` runs it in a loop.
import fs from 'node:fs';

const MOST_BYTES = 16 << 20;
const MOST_FIELDS = 1 << 16;
const MOST_SETS = 4096;

export class Unsupported extends Error {}

// Checks the number of inputs. If encodings are given, also checks that the first input names one of them.
export function inputs(given, least, most, ...encodings) {
  if (given.length < least || given.length > most) throw new Error('wrong number of fields');
  if (encodings.length > 0 && !encodings.includes(given[0].toString('latin1'))) {
    throw new Unsupported(`only ${encodings.join(' and ')} keys are supported`);
  }
}

export function length(what, bytes, expected) {
  if (bytes.length !== expected) throw new Error(`${what} must be ${expected} bytes long, not ${bytes.length}`);
  return bytes;
}

export const optional = (given, index) => (given.length > index && given[index].length > 0 ? given[index] : undefined);
export const alone = (result) => [result];
export const verdict = (valid) => [valid ? '1' : '0'];

const NULL = {
  null(given) {
    inputs(given, 0, 0);
    return { run: () => undefined, outputs: () => [] };
  },
};

// Operations by the name of their algorithm.
const algorithms = new Map([['null', NULL]]);
const cases = new Map();

function number(field) {
  const text = field.toString('latin1');
  if (!/^(0|[1-9][0-9]{0,18})$/.test(text) || BigInt(text) >= 1n << 63n) throw new Error('invalid number');
  return BigInt(text);
}

function find(operation, algorithm) {
  const operations = algorithms.get(algorithm.toString('latin1'));
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

function answer(worker, verb, given) {
  const known = Object.hasOwn(LENGTHS, verb);
  if ((known && given.length !== LENGTHS[verb]) || (verb === 'call' && given.length < 2)) {
    throw new Error('wrong number of fields');
  }
  if (verb === 'hello') {
    if (number(given[0]) < 1n) throw new Error('the version must be at least 1');
    return ['1', 'javascript', `Node.js ${process.versions.node}`, worker.libraries, worker.generator];
  }
  if (verb === 'list') return worker.offers.keys();
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

// Exits with an error. Used if the input is not a message, or if Node.js lacks what the worker needs.
export function die(why) {
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

// Answers requests until the input ends. `worker` has `offers`, a map from their texts to their operations, and
// `libraries` and `generator`, texts for the answer to `hello`.
export function serve(worker) {
  for (const [text, operations] of worker.offers) algorithms.set(text.split(' ')[1], operations);
  for (let message = receive(); message; message = receive()) {
    const [verb, ...given] = message;
    const name = verb.toString('latin1');
    let last = false;
    try {
      const fields = [...answer(worker, name, given)];
      last = name === 'goodbye';
      send('ok', fields);
    } catch (error) {
      const kind = error instanceof Unsupported ? 'unsupported' : 'error';
      send(kind, [String(error.message || error).replaceAll('\n', ' ')]);
    }
    if (last) break;
  }
}
