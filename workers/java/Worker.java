// A worker for pqlab in Java. Uses the lightweight API of Bouncy Castle.
//
// docs/workers.md describes the protocol. An operation parses its inputs once and returns the timed function. `call`
// runs the timed function once, `visit` runs it in a loop.

import java.io.*;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.*;
import java.util.function.Supplier;
import org.bouncycastle.crypto.*;
import org.bouncycastle.crypto.digests.*;
import org.bouncycastle.crypto.generators.*;
import org.bouncycastle.crypto.kems.*;
import org.bouncycastle.crypto.params.*;
import org.bouncycastle.crypto.signers.*;
import org.bouncycastle.jce.provider.BouncyCastleProvider;

public final class Worker {
    private static final int MOST_BYTES = 16 << 20;
    private static final int MOST_FIELDS = 1 << 16;
    private static final int MOST_SETS = 4096;
    private static final SecureRandom RANDOM = new SecureRandom();

    /** An operation on one set of inputs: the timed function, and a function that converts its result to bytes. */
    private interface Operation {
        Object run() throws Exception;

        byte[][] outputs(Object result);
    }

    private interface Ready {
        Operation of(List<byte[]> inputs) throws Exception;
    }

    private interface Run<T> {
        T run() throws Exception;
    }

    private interface Outputs<T> {
        byte[][] of(T result);
    }

    /** The worker does not support the request. */
    @SuppressWarnings("serial")
    private static final class Unsupported extends Exception {
        Unsupported(String reason) {
            super(reason);
        }
    }

    /** The input is not a message. */
    @SuppressWarnings("serial")
    private static final class Garbage extends IOException {
        Garbage(String reason) {
            super(reason);
        }
    }

    private static <T> Operation operation(Run<T> run, Outputs<T> outputs) {
        return new Operation() {
            @Override
            public Object run() throws Exception {
                return run.run();
            }

            @Override
            @SuppressWarnings("unchecked")
            public byte[][] outputs(Object result) {
                return outputs.of((T) result);
            }
        };
    }

    private static byte[][] fields(byte[]... fields) {
        return fields;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(byte[] field) {
        return new String(field, StandardCharsets.ISO_8859_1);
    }

    private static void inputs(List<byte[]> given, int least, int most, String encoding) throws Unsupported {
        check(given.size() >= least && given.size() <= most, "wrong number of fields");
        if (encoding != null && !text(given.get(0)).equals(encoding)) {
            throw new Unsupported("only " + encoding + " keys are supported");
        }
    }

    private static void check(boolean holds, String otherwise) {
        if (!holds) {
            throw new IllegalArgumentException(otherwise);
        }
    }

    private static byte[] length(String what, byte[] bytes, int expected) {
        check(bytes.length == expected, what + " must be " + expected + " bytes long, not " + bytes.length);
        return bytes;
    }

    private static byte[] optional(List<byte[]> given, int index) {
        return given.size() > index && given.get(index).length > 0 ? given.get(index) : null;
    }

    /** Returns the operation that generates a key pair, from a seed or with the library's randomness. */
    private static Ready keygen(AsymmetricCipherKeyPairGenerator generator, int seedLength, Made made, Outputs<Pair> outputs) {
        return given -> {
            inputs(given, 0, 1, null);
            byte[] seed = optional(given, 0);
            if (seed == null) {
                return operation(() -> Pair.of(generator.generateKeyPair()), outputs);
            }
            length("a seed", seed, seedLength);
            return operation(() -> made.of(seed), outputs);
        };
    }

    private interface Made {
        Pair of(byte[] seed);
    }

    private record Pair(AsymmetricKeyParameter open, AsymmetricKeyParameter secret) {
        static Pair of(AsymmetricCipherKeyPair pair) {
            return new Pair(pair.getPublic(), pair.getPrivate());
        }
    }

    private static Map<String, Ready> mlKem(MLKEMParameters parameters, int keyLength, int ciphertextLength) {
        MLKEMKeyPairGenerator generator = new MLKEMKeyPairGenerator();
        generator.init(new MLKEMKeyGenerationParameters(RANDOM, parameters));
        Made made = seed -> {
            MLKEMPrivateKeyParameters key = new MLKEMPrivateKeyParameters(parameters, seed);
            return new Pair(key.getPublicKeyParameters(), key);
        };
        Outputs<Pair> outputs = pair -> fields(
            ((MLKEMPublicKeyParameters) pair.open).getEncoded(), ((MLKEMPrivateKeyParameters) pair.secret).getSeed());
        Ready encapsulate = given -> {
            inputs(given, 1, 2, null);
            MLKEMPublicKeyParameters key = new MLKEMPublicKeyParameters(parameters, length("a key", given.get(0), keyLength));
            byte[] coins = optional(given, 1);
            Outputs<SecretWithEncapsulation> sent = both -> fields(both.getEncapsulation(), both.getSecret());
            if (coins != null) {
                length("coins", coins, 32);
                return operation(() -> MLKEMGenerator.internalGenerateEncapsulated(key, coins), sent);
            }
            MLKEMGenerator sender = new MLKEMGenerator(RANDOM);
            return operation(() -> sender.generateEncapsulated(key), sent);
        };
        Ready decapsulate = given -> {
            inputs(given, 3, 3, "seed");
            byte[] seed = length("a seed", given.get(1), 64);
            byte[] ciphertext = length("a ciphertext", given.get(2), ciphertextLength);
            MLKEMExtractor receiver = new MLKEMExtractor(new MLKEMPrivateKeyParameters(parameters, seed));
            return operation(() -> receiver.extractSecret(ciphertext), Worker::fields);
        };
        return Map.of("keygen", keygen(generator, 64, made, outputs), "encapsulate", encapsulate, "decapsulate", decapsulate);
    }

    /**
     * Returns the operations of a signature scheme. Each call initializes the `Signer`, because a `Signer` holds the
     * state of one message.
     */
    private static Map<String, Ready> signature(Ready keygen, Supplier<Signer> signers, Load secret, Load open, boolean contexts) {
        Ready sign = given -> {
            inputs(given, 3, 4, "seed");
            CipherParameters key = parameters(secret.of(given.get(1)), optional(given, 3), contexts, true);
            byte[] message = given.get(2);
            Signer signer = signers.get();
            return operation(() -> signed(signer, key, message), Worker::fields);
        };
        Ready verify = given -> {
            inputs(given, 3, 4, null);
            CipherParameters key = parameters(open.of(given.get(0)), optional(given, 3), contexts, false);
            byte[] message = given.get(1);
            byte[] signature = given.get(2);
            Signer signer = signers.get();
            return operation(() -> {
                signer.init(false, key);
                signer.update(message, 0, message.length);
                return signer.verifySignature(signature);
            }, valid -> fields(bytes(valid ? "1" : "0")));
        };
        return Map.of("keygen", keygen, "sign", sign, "verify", verify);
    }

    private interface Load {
        AsymmetricKeyParameter of(byte[] encoded);
    }

    private static CipherParameters parameters(AsymmetricKeyParameter key, byte[] context, boolean hedged, boolean signs)
        throws Unsupported {
        if (context != null && !hedged) {
            throw new Unsupported("contexts are not supported");
        }
        CipherParameters randomized = hedged && signs ? new ParametersWithRandom(key, RANDOM) : key;
        return context == null ? randomized : new ParametersWithContext(randomized, context);
    }

    private static byte[] signed(Signer signer, CipherParameters key, byte[] message) throws CryptoException {
        signer.init(true, key);
        signer.update(message, 0, message.length);
        return signer.generateSignature();
    }

    private static Map<String, Ready> mlDsa(MLDSAParameters parameters, int keyLength) {
        MLDSAKeyPairGenerator generator = new MLDSAKeyPairGenerator();
        generator.init(new MLDSAKeyGenerationParameters(RANDOM, parameters));
        Made made = seed -> {
            MLDSAPrivateKeyParameters key = new MLDSAPrivateKeyParameters(parameters, seed);
            return new Pair(key.getPublicKeyParameters(), key);
        };
        Outputs<Pair> outputs = pair -> fields(
            ((MLDSAPublicKeyParameters) pair.open).getEncoded(), ((MLDSAPrivateKeyParameters) pair.secret).getSeed());
        Load secret = seed -> new MLDSAPrivateKeyParameters(parameters, length("a seed", seed, 32));
        Load open = key -> new MLDSAPublicKeyParameters(parameters, length("a key", key, keyLength));
        return signature(keygen(generator, 32, made, outputs), MLDSASigner::new, secret, open, true);
    }

    private static Map<String, Ready> ed25519() {
        Ed25519KeyPairGenerator generator = new Ed25519KeyPairGenerator();
        generator.init(new Ed25519KeyGenerationParameters(RANDOM));
        Made made = seed -> {
            Ed25519PrivateKeyParameters key = new Ed25519PrivateKeyParameters(seed, 0);
            return new Pair(key.generatePublicKey(), key);
        };
        Outputs<Pair> outputs = pair -> fields(
            ((Ed25519PublicKeyParameters) pair.open).getEncoded(), ((Ed25519PrivateKeyParameters) pair.secret).getEncoded());
        Load secret = seed -> new Ed25519PrivateKeyParameters(length("a seed", seed, 32), 0);
        Load open = key -> new Ed25519PublicKeyParameters(length("a key", key, 32), 0);
        return signature(keygen(generator, 32, made, outputs), Ed25519Signer::new, secret, open, false);
    }

    private static Map<String, Ready> x25519() {
        X25519KeyPairGenerator generator = new X25519KeyPairGenerator();
        generator.init(new X25519KeyGenerationParameters(RANDOM));
        Made made = seed -> {
            X25519PrivateKeyParameters key = new X25519PrivateKeyParameters(seed, 0);
            return new Pair(key.generatePublicKey(), key);
        };
        Outputs<Pair> outputs = pair -> fields(
            ((X25519PublicKeyParameters) pair.open).getEncoded(), ((X25519PrivateKeyParameters) pair.secret).getEncoded());
        Ready encapsulate = given -> {
            inputs(given, 1, 2, null);
            X25519PublicKeyParameters peer = new X25519PublicKeyParameters(length("a key", given.get(0), 32), 0);
            byte[] coins = optional(given, 1);
            check(coins == null || coins.length == 32, "coins must be 32 bytes long");
            return operation(() -> {
                Pair pair = coins == null ? Pair.of(generator.generateKeyPair()) : made.of(coins);
                return fields(((X25519PublicKeyParameters) pair.open).getEncoded(), agree(pair.secret, peer));
            }, sent -> sent);
        };
        Ready decapsulate = given -> {
            inputs(given, 3, 3, "scalar");
            X25519PrivateKeyParameters key = new X25519PrivateKeyParameters(length("a key", given.get(1), 32), 0);
            byte[] ciphertext = length("a ciphertext", given.get(2), 32);
            return operation(() -> agree(key, new X25519PublicKeyParameters(ciphertext, 0)), Worker::fields);
        };
        return Map.of("keygen", keygen(generator, 32, made, outputs), "encapsulate", encapsulate, "decapsulate", decapsulate);
    }

    private static byte[] agree(CipherParameters key, X25519PublicKeyParameters peer) {
        byte[] secret = new byte[32];
        ((X25519PrivateKeyParameters) key).generateSecret(peer, secret, 0);
        return secret;
    }

    private static Map<String, Ready> digest(Supplier<ExtendedDigest> digests) {
        return Map.of("digest", given -> {
            inputs(given, 1, 1, null);
            byte[] message = given.get(0);
            ExtendedDigest digest = digests.get();
            return operation(() -> {
                byte[] out = new byte[digest.getDigestSize()];
                digest.update(message, 0, message.length);
                digest.doFinal(out, 0);
                return out;
            }, Worker::fields);
        });
    }

    private static final Map<String, Map<String, Ready>> OFFERS = new LinkedHashMap<>();
    private static final Map<String, Map<String, Ready>> ALGORITHMS = new HashMap<>();
    private static final Map<Long, Case> CASES = new HashMap<>();

    static {
        String kem = " encodings=seed coins=keygen,operation";
        OFFERS.put("kem ML-KEM-512" + kem, mlKem(MLKEMParameters.ml_kem_512, 800, 768));
        OFFERS.put("kem ML-KEM-768" + kem, mlKem(MLKEMParameters.ml_kem_768, 1184, 1088));
        OFFERS.put("kem ML-KEM-1024" + kem, mlKem(MLKEMParameters.ml_kem_1024, 1568, 1568));
        String signature = " encodings=seed coins=keygen context=yes hedged=yes";
        OFFERS.put("signature ML-DSA-44" + signature, mlDsa(MLDSAParameters.ml_dsa_44, 1312));
        OFFERS.put("signature ML-DSA-65" + signature, mlDsa(MLDSAParameters.ml_dsa_65, 1952));
        OFFERS.put("signature ML-DSA-87" + signature, mlDsa(MLDSAParameters.ml_dsa_87, 2592));
        OFFERS.put("signature Ed25519 encodings=seed coins=keygen", ed25519());
        OFFERS.put("kem X25519 encodings=scalar coins=keygen,operation", x25519());
        for (int bits : new int[] {224, 256, 384, 512}) {
            OFFERS.put("hash SHA3-" + bits, digest(() -> new SHA3Digest(bits)));
        }
        OFFERS.put("hash SHA-256", digest(SHA256Digest::new));
        OFFERS.put("hash SHA-512", digest(SHA512Digest::new));
        OFFERS.forEach((text, operations) -> ALGORITHMS.put(text.split(" ")[1], operations));
        ALGORITHMS.put("null", Map.of("null", given -> {
            inputs(given, 0, 0, null);
            return operation(() -> null, nothing -> fields());
        }));
    }

    /** A prepared case, with the results of its last visit. */
    private static final class Case {
        private final Operation[] operations;
        private final Object[] results;
        private int first;
        private int touched;

        Case(Operation[] operations) {
            this.operations = operations;
            this.results = new Object[operations.length];
        }

        long visit(int first, long n) throws Exception {
            Operation[] operations = this.operations;
            Object[] results = this.results;
            int at = first;
            long begun = System.nanoTime();
            for (long i = 0; i < n; i++) {
                results[at] = operations[at].run();
                if (++at == operations.length) {
                    at = 0;
                }
            }
            long elapsed = System.nanoTime() - begun;
            this.first = first;
            this.touched = (int) Math.min(n, operations.length);
            return elapsed;
        }

        List<byte[]> answers() {
            List<byte[]> all = new ArrayList<>();
            for (int turn = 0; turn < touched; turn++) {
                int at = (first + turn) % operations.length;
                all.add(bytes(Integer.toString(at)));
                all.addAll(Arrays.asList(operations[at].outputs(results[at])));
            }
            return all;
        }
    }

    private static long number(byte[] field) {
        String text = text(field);
        check(text.matches("0|[1-9][0-9]{0,18}"), "invalid number");
        return Long.parseLong(text);
    }

    private static Ready find(byte[] operation, byte[] algorithm) throws Unsupported {
        Map<String, Ready> operations = ALGORITHMS.get(text(algorithm));
        Ready found = operations == null ? null : operations.get(text(operation));
        if (found == null) {
            throw new Unsupported("not offered");
        }
        return found;
    }

    private static void prepare(List<byte[]> given) throws Exception {
        check(given.size() >= 4, "wrong number of fields");
        long handle = number(given.get(0));
        long count = number(given.get(3));
        List<byte[]> sets = given.subList(4, given.size());
        boolean fits = count >= 1 && count <= MOST_SETS && sets.size() % count == 0 && !CASES.containsKey(handle);
        check(fits, "invalid number of sets, or the handle is already in use");
        Ready ready = find(given.get(1), given.get(2));
        int each = sets.size() / (int) count;
        Operation[] operations = new Operation[(int) count];
        for (int set = 0; set < count; set++) {
            operations[set] = ready.of(sets.subList(set * each, (set + 1) * each));
        }
        CASES.put(handle, new Case(operations));
    }

    private static final Map<String, Integer> LENGTHS =
        Map.of("hello", 1, "list", 0, "visit", 3, "answers", 1, "release", 1, "goodbye", 0);

    private static List<byte[]> answer(String verb, List<byte[]> given) throws Exception {
        Integer expected = LENGTHS.get(verb);
        check(expected == null || given.size() == expected, "wrong number of fields");
        List<byte[]> found = new ArrayList<>();
        switch (verb) {
            case "hello" -> {
                check(number(given.get(0)) >= 1, "the version must be at least 1");
                String runtime = System.getProperty("java.vm.name") + " " + System.getProperty("java.version");
                String libraries = "Bouncy Castle " + new BouncyCastleProvider().getVersionStr();
                for (String field : List.of("1", "java", runtime, libraries, "SecureRandom " + RANDOM.getAlgorithm())) {
                    found.add(bytes(field));
                }
            }
            case "list" -> OFFERS.keySet().forEach(text -> found.add(bytes(text)));
            case "call" -> {
                check(given.size() >= 2, "wrong number of fields");
                Operation operation = find(given.get(0), given.get(1)).of(given.subList(2, given.size()));
                found.addAll(Arrays.asList(operation.outputs(operation.run())));
            }
            case "prepare" -> prepare(given);
            case "goodbye" -> { }
            case "visit", "answers", "release" -> {
                Case known = CASES.get(number(given.get(0)));
                check(known != null, "unknown handle");
                if (verb.equals("answers")) {
                    return known.answers();
                } else if (verb.equals("release")) {
                    CASES.remove(number(given.get(0)));
                } else {
                    long first = number(given.get(1));
                    long n = number(given.get(2));
                    check(n >= 1 && n <= 1L << 32, "invalid number of operations");
                    found.add(bytes(Long.toString(known.visit((int) (first % known.operations.length), n))));
                }
            }
            default -> throw new Unsupported("unknown request");
        }
        return found;
    }

    /** Reads a message and returns its fields, or null at the end of the input. */
    private static List<byte[]> receive(DataInputStream in) throws IOException {
        int head = in.read();
        if (head < 0) {
            return null;
        }
        byte[] body;
        try {
            long size = (long) head << 24 | in.readUnsignedByte() << 16 | in.readUnsignedShort();
            if (size == 0 || size > MOST_BYTES) {
                throw new Garbage("invalid message length");
            }
            body = new byte[(int) size];
            in.readFully(body);
        } catch (EOFException end) {
            throw new Garbage("the input ends inside a message");
        }
        List<byte[]> fields = new ArrayList<>();
        for (int at = 0; at < body.length; ) {
            long size = body.length - at < 4 ? MOST_BYTES
                : (body[at] & 255L) << 24 | (body[at + 1] & 255) << 16 | (body[at + 2] & 255) << 8 | body[at + 3] & 255;
            if (size > body.length - at - 4 || fields.size() == MOST_FIELDS) {
                throw new Garbage("the fields do not match the message length");
            }
            fields.add(Arrays.copyOfRange(body, at + 4, at + 4 + (int) size));
            at += 4 + (int) size;
        }
        if (!text(fields.get(0)).matches("[a-z-]+")) {
            throw new Garbage("the message contains no valid verb");
        }
        return fields;
    }

    private static void send(OutputStream out, String verb, List<byte[]> fields) throws IOException {
        ByteArrayOutputStream message = new ByteArrayOutputStream();
        DataOutputStream data = new DataOutputStream(message);
        data.writeInt(4 + verb.length() + fields.stream().mapToInt(field -> 4 + field.length).sum());
        data.writeInt(verb.length());
        data.write(bytes(verb));
        for (byte[] field : fields) {
            data.writeInt(field.length);
            data.write(field);
        }
        message.writeTo(out);
    }

    private static void serve() throws IOException {
        DataInputStream in = new DataInputStream(new BufferedInputStream(System.in, 1 << 16));
        OutputStream out = new FileOutputStream(FileDescriptor.out);
        // Redirect standard output, so that text printed by a library does not mix with answers.
        System.setOut(System.err);
        for (List<byte[]> message = receive(in); message != null; message = receive(in)) {
            String verb = text(message.get(0));
            List<byte[]> found;
            String kind = "ok";
            try {
                found = answer(verb, message.subList(1, message.size()));
            } catch (Exception | StackOverflowError error) {
                kind = error instanceof Unsupported ? "unsupported" : "error";
                found = List.of(bytes(String.valueOf(error).replace('\n', ' ')));
            }
            send(out, kind, found);
            if (verb.equals("goodbye") && kind.equals("ok")) {
                return;
            }
        }
    }

    public static void main(String[] arguments) throws IOException {
        try {
            serve();
        } catch (Garbage garbage) {
            System.err.println("pqlab worker in Java: " + garbage.getMessage());
            System.exit(1);
        }
    }
}
