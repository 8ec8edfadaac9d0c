// A worker for pqlab in Java. Uses only the JDK's own providers, which have ML-KEM and ML-DSA since JDK 24.

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.security.*;
import java.security.spec.*;
import java.util.*;
import java.util.stream.Collectors;
import javax.crypto.KEM;
import javax.crypto.KeyAgreement;

public final class Jdk extends Worker {
    /** Beginnings of the algorithms' object identifiers in DER (RFC 8410, FIPS 203, FIPS 204). */
    private static final String CURVES = "06032b65";
    private static final String ML_KEM = "06096086480165030404";
    private static final String ML_DSA = "06096086480165030403";

    /** Providers of the offered algorithms. */
    private final Set<Provider> providers = new LinkedHashSet<>();

    private Jdk() throws GeneralSecurityException {
        kem(new Keys("ML-KEM-512", ML_KEM + "01", 800, "expanded", 1632, 64));
        kem(new Keys("ML-KEM-768", ML_KEM + "02", 1184, "expanded", 2400, 64));
        kem(new Keys("ML-KEM-1024", ML_KEM + "03", 1568, "expanded", 3168, 64));
        signature(new Keys("ML-DSA-44", ML_DSA + "11", 1312, "expanded", 2560, 32), true);
        signature(new Keys("ML-DSA-65", ML_DSA + "12", 1952, "expanded", 4032, 32), true);
        signature(new Keys("ML-DSA-87", ML_DSA + "13", 2592, "expanded", 4896, 32), true);
        signature(new Keys("Ed25519", CURVES + "70", 32, "seed", 32, 32), false);
        x25519(new Keys("X25519", CURVES + "6e", 32, "scalar", 32, 32));
        for (String name : List.of("SHA3-224", "SHA3-256", "SHA3-384", "SHA3-512", "SHA-256", "SHA-512")) {
            digest(name);
        }
    }

    @Override
    String libraries() {
        return providers.stream().map(one -> one.getName() + " " + one.getVersionStr())
            .collect(Collectors.joining(", "));
    }

    public static void main(String[] arguments) throws IOException {
        // JDK 24 and 25 read and write only expanded private keys. These properties make later ones write them, too.
        System.setProperty("jdk.mlkem.pkcs8.encoding", "expandedKey");
        System.setProperty("jdk.mldsa.pkcs8.encoding", "expandedKey");
        try {
            new Jdk().run();
        } catch (GeneralSecurityException error) {
            die("JDK 24 or newer is required, found " + System.getProperty("java.version") + ": " + error.getMessage());
        }
    }

    /** Conversions of an algorithm's keys between the bytes of the standards and the JDK's objects. */
    private static final class Keys {
        final String name;
        final String encoding;
        final KeyFactory factory;
        private final int seedLength;
        private final Frame publicFrame;
        private final Frame privateFrame;

        /** Takes an object identifier in DER, lengths in bytes, and the encoding of private keys. */
        Keys(String name, String identifier, int publicLength, String encoding, int privateLength, int seedLength)
            throws GeneralSecurityException {
            this.name = name;
            this.encoding = encoding;
            this.factory = KeyFactory.getInstance(name);
            this.seedLength = seedLength;
            byte[] algorithm = der(0x30, HexFormat.of().parseHex(identifier));
            byte[] version = {2, 1, 0};
            byte[] bits = der(0x03, new byte[1], new byte[publicLength]);
            byte[] octets = der(0x04, der(0x04, new byte[privateLength]));
            this.publicFrame = new Frame(der(0x30, algorithm, bits), publicLength);
            this.privateFrame = new Frame(der(0x30, version, algorithm, octets), privateLength);
        }

        PublicKey parsePublic(byte[] key) throws GeneralSecurityException {
            return factory.generatePublic(new X509EncodedKeySpec(publicFrame.wrap(key)));
        }

        PrivateKey parsePrivate(byte[] key) throws GeneralSecurityException {
            return factory.generatePrivate(new PKCS8EncodedKeySpec(privateFrame.wrap(key)));
        }

        byte[] encode(PublicKey key) {
            return publicFrame.unwrap(key.getEncoded());
        }

        byte[] encode(PrivateKey key) {
            return privateFrame.unwrap(key.getEncoded());
        }

        /** Generates a key pair from a seed, which replaces the random bytes. */
        KeyPair generate(byte[] seed) throws GeneralSecurityException {
            Coins coins = new Coins(length("a seed", seed, seedLength));
            KeyPairGenerator generator = KeyPairGenerator.getInstance(name);
            generator.initialize(new NamedParameterSpec(name), coins);
            KeyPair pair = generator.generateKeyPair();
            coins.end();
            return pair;
        }

        /** Returns a value in DER: its tag, its length and its parts. It must be shorter than 64 KiB. */
        private static byte[] der(int tag, byte[]... parts) {
            int size = Arrays.stream(parts).mapToInt(part -> part.length).sum();
            ByteArrayOutputStream value = new ByteArrayOutputStream(size + 4);
            value.write(tag);
            if (size > 255) {
                value.write(0x82);
                value.write(size >> 8);
            } else if (size > 127) {
                value.write(0x81);
            }
            value.write(size);
            for (byte[] part : parts) {
                value.writeBytes(part);
            }
            return value.toByteArray();
        }
    }

    /** What precedes a key in X.509 or PKCS #8, in DER (RFC 8410, RFC 9881, RFC 9935). The key is at the end. */
    private static final class Frame {
        private final byte[] head;
        private final int keyLength;

        Frame(byte[] example, int keyLength) {
            this.head = Arrays.copyOf(example, example.length - keyLength);
            this.keyLength = keyLength;
        }

        byte[] wrap(byte[] key) {
            length("a key", key, keyLength);
            byte[] whole = Arrays.copyOf(head, head.length + keyLength);
            System.arraycopy(key, 0, whole, head.length, keyLength);
            return whole;
        }

        byte[] unwrap(byte[] whole) {
            boolean known = whole.length == head.length + keyLength && Arrays.mismatch(whole, head) == head.length;
            check(known, "the JDK encodes a key in an unknown way");
            return Arrays.copyOfRange(whole, head.length, whole.length);
        }
    }

    /** Random bytes that the caller chooses. An algorithm must draw all of them, and no more. */
    @SuppressWarnings("serial")
    private static final class Coins extends SecureRandom {
        private final byte[] bytes;
        private int used;

        Coins(byte[] bytes) {
            super(null, null);
            this.bytes = bytes;
        }

        @Override
        public void nextBytes(byte[] drawn) {
            if (drawn.length > bytes.length - used) {
                throw new IllegalStateException("the JDK draws more than " + bytes.length + " random bytes");
            }
            System.arraycopy(bytes, used, drawn, 0, drawn.length);
            used += drawn.length;
        }

        void end() {
            if (used != bytes.length) {
                throw new IllegalStateException("the JDK draws " + used + " of " + bytes.length + " random bytes");
            }
        }
    }

    /** Offers an algorithm, and notes its provider. */
    private void offer(String kind, Keys keys, String attributes, Map<String, Ready> operations) {
        providers.add(keys.factory.getProvider());
        offer(kind + " " + keys.name + " encodings=" + keys.encoding + " " + attributes, operations);
    }

    private static Ready keygen(Keys keys) throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance(keys.name);
        Outputs<KeyPair> outputs = pair -> fields(keys.encode(pair.getPublic()), keys.encode(pair.getPrivate()));
        return given -> {
            inputs(given, 0, 1);
            byte[] seed = optional(given, 0);
            return operation(seed == null ? generator::generateKeyPair : () -> keys.generate(seed), outputs);
        };
    }

    private void kem(Keys keys) throws GeneralSecurityException {
        KEM kem = KEM.getInstance(keys.name);
        Ready encapsulate = given -> {
            inputs(given, 1, 2);
            PublicKey key = keys.parsePublic(given.get(0));
            byte[] bytes = optional(given, 1);
            if (bytes == null) {
                KEM.Encapsulator sender = kem.newEncapsulator(key);
                return operation(() -> encapsulate(sender), fields -> fields);
            }
            Coins coins = new Coins(length("coins", bytes, 32));
            KEM.Encapsulator sender = kem.newEncapsulator(key, coins);
            return operation(() -> {
                byte[][] both = encapsulate(sender);
                coins.end();
                return both;
            }, fields -> fields);
        };
        Ready decapsulate = given -> {
            inputs(given, 3, 3, keys.encoding);
            KEM.Decapsulator receiver = kem.newDecapsulator(keys.parsePrivate(given.get(1)));
            byte[] ciphertext = length("a ciphertext", given.get(2), receiver.encapsulationSize());
            return operation(() -> receiver.decapsulate(ciphertext).getEncoded(), Worker::fields);
        };
        offer("kem", keys, "coins=keygen,operation",
            Map.of("keygen", keygen(keys), "encapsulate", encapsulate, "decapsulate", decapsulate));
    }

    private static byte[][] encapsulate(KEM.Encapsulator sender) {
        KEM.Encapsulated both = sender.encapsulate();
        return fields(both.encapsulation(), both.key().getEncoded());
    }

    private void signature(Keys keys, boolean hedged) throws GeneralSecurityException {
        Ready sign = given -> {
            inputs(given, 3, hedged ? 5 : 4, keys.encoding);
            rejectContext(given);
            PrivateKey key = keys.parsePrivate(given.get(1));
            byte[] message = given.get(2);
            Signature signer = Signature.getInstance(keys.name);
            if (given.size() < 5) {
                signer.initSign(key);
                return operation(() -> sign(signer, message), Worker::fields);
            }
            // Empty coins select the deterministic variant, in which FIPS 204 replaces the random bytes by zeros.
            byte[] bytes = given.get(4);
            Coins coins = new Coins(bytes.length == 0 ? new byte[32] : length("coins", bytes, 32));
            signer.initSign(key, coins);
            return operation(() -> {
                byte[] signature = sign(signer, message);
                coins.end();
                return signature;
            }, Worker::fields);
        };
        Ready verify = given -> {
            inputs(given, 3, 4);
            rejectContext(given);
            PublicKey key = keys.parsePublic(given.get(0));
            byte[] message = given.get(1);
            byte[] signature = given.get(2);
            Signature verifier = Signature.getInstance(keys.name);
            verifier.initVerify(key);
            return operation(() -> verifies(verifier, key, message, signature), Worker::verdict);
        };
        offer("signature", keys, hedged ? "coins=keygen,operation hedged=yes" : "coins=keygen",
            Map.of("keygen", keygen(keys), "sign", sign, "verify", verify));
    }

    private static void rejectContext(List<byte[]> given) throws Unsupported {
        if (optional(given, 3) != null) {
            throw new Unsupported("contexts are not supported");
        }
    }

    private static byte[] sign(Signature signer, byte[] message) throws SignatureException {
        signer.update(message);
        return signer.sign();
    }

    private static boolean verifies(Signature verifier, PublicKey key, byte[] message, byte[] signature)
        throws GeneralSecurityException {
        verifier.update(message);
        try {
            return verifier.verify(signature);
        } catch (SignatureException malformed) {
            // Initialize the verifier again, because Ed25519 keeps the message if the signature is malformed.
            verifier.initVerify(key);
            return false;
        }
    }

    private void x25519(Keys keys) throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance(keys.name);
        Ready encapsulate = given -> {
            inputs(given, 1, 2);
            PublicKey peer = keys.parsePublic(given.get(0));
            byte[] coins = optional(given, 1);
            KeyAgreement agreement = KeyAgreement.getInstance(keys.name);
            return operation(() -> {
                KeyPair pair = coins == null ? generator.generateKeyPair() : keys.generate(coins);
                agreement.init(pair.getPrivate());
                return fields(keys.encode(pair.getPublic()), agree(agreement, peer));
            }, fields -> fields);
        };
        Ready decapsulate = given -> {
            inputs(given, 3, 3, keys.encoding);
            KeyAgreement agreement = KeyAgreement.getInstance(keys.name);
            agreement.init(keys.parsePrivate(given.get(1)));
            byte[] ciphertext = length("a ciphertext", given.get(2), 32);
            return operation(() -> agree(agreement, keys.parsePublic(ciphertext)), Worker::fields);
        };
        offer("kem", keys, "coins=keygen,operation",
            Map.of("keygen", keygen(keys), "encapsulate", encapsulate, "decapsulate", decapsulate));
    }

    private static byte[] agree(KeyAgreement agreement, PublicKey peer) throws GeneralSecurityException {
        agreement.doPhase(peer, true);
        return agreement.generateSecret();
    }

    private void digest(String name) throws GeneralSecurityException {
        providers.add(MessageDigest.getInstance(name).getProvider());
        offer("hash " + name, Map.of("digest", given -> {
            inputs(given, 1, 1);
            byte[] message = given.get(0);
            MessageDigest digest = MessageDigest.getInstance(name);
            return operation(() -> digest.digest(message), Worker::fields);
        }));
    }
}
