// A worker for pqlab in Java. Uses the lightweight API of Bouncy Castle.

import java.io.IOException;
import java.util.Map;
import java.util.function.Supplier;
import org.bouncycastle.crypto.*;
import org.bouncycastle.crypto.digests.*;
import org.bouncycastle.crypto.generators.*;
import org.bouncycastle.crypto.kems.*;
import org.bouncycastle.crypto.params.*;
import org.bouncycastle.crypto.signers.*;
import org.bouncycastle.jce.provider.BouncyCastleProvider;

public final class BouncyCastle extends Worker {
    private BouncyCastle() {
        String kem = " encodings=seed coins=keygen,operation";
        offer("kem ML-KEM-512" + kem, mlKem(MLKEMParameters.ml_kem_512, 800, 768));
        offer("kem ML-KEM-768" + kem, mlKem(MLKEMParameters.ml_kem_768, 1184, 1088));
        offer("kem ML-KEM-1024" + kem, mlKem(MLKEMParameters.ml_kem_1024, 1568, 1568));
        String signature = " encodings=seed coins=keygen context=yes hedged=yes";
        offer("signature ML-DSA-44" + signature, mlDsa(MLDSAParameters.ml_dsa_44, 1312));
        offer("signature ML-DSA-65" + signature, mlDsa(MLDSAParameters.ml_dsa_65, 1952));
        offer("signature ML-DSA-87" + signature, mlDsa(MLDSAParameters.ml_dsa_87, 2592));
        offer("signature Ed25519 encodings=seed coins=keygen", ed25519());
        offer("kem X25519 encodings=scalar coins=keygen,operation", x25519());
        for (int bits : new int[] {224, 256, 384, 512}) {
            offer("hash SHA3-" + bits, digest(() -> new SHA3Digest(bits)));
        }
        offer("hash SHA-256", digest(SHA256Digest::new));
        offer("hash SHA-512", digest(SHA512Digest::new));
    }

    @Override
    String libraries() {
        return "Bouncy Castle " + new BouncyCastleProvider().getVersionStr();
    }

    public static void main(String[] arguments) throws IOException {
        new BouncyCastle().run();
    }

    /** Returns the operation that generates a key pair, from a seed or with the library's randomness. */
    private static Ready keygen(AsymmetricCipherKeyPairGenerator generator, int seedLength, Made made, Outputs<Pair> outputs) {
        return given -> {
            inputs(given, 0, 1);
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
            inputs(given, 1, 2);
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
            inputs(given, 3, 4);
            CipherParameters key = parameters(open.of(given.get(0)), optional(given, 3), contexts, false);
            byte[] message = given.get(1);
            byte[] signature = given.get(2);
            Signer signer = signers.get();
            return operation(() -> {
                signer.init(false, key);
                signer.update(message, 0, message.length);
                return signer.verifySignature(signature);
            }, Worker::verdict);
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
            inputs(given, 1, 2);
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
            inputs(given, 1, 1);
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
}
