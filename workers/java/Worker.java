// The protocol of the workers in Java, described in docs/workers.md. A subclass offers the algorithms of one library.
//
// An operation parses its inputs once and returns the timed function. `call` runs the timed function once, `visit` runs
// it in a loop.

import java.io.*;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.*;

abstract class Worker {
    static final SecureRandom RANDOM = new SecureRandom();
    private static final int MOST_BYTES = 16 << 20;
    private static final int MOST_FIELDS = 1 << 16;
    private static final int MOST_SETS = 4096;

    private final Map<String, Map<String, Ready>> offers = new LinkedHashMap<>();
    private final Map<String, Map<String, Ready>> algorithms = new HashMap<>();
    private final Map<Long, Case> cases = new HashMap<>();

    /** An operation on one set of inputs: the timed function, and a function that converts its result to bytes. */
    interface Operation {
        Object run() throws Exception;

        byte[][] outputs(Object result);
    }

    interface Ready {
        Operation of(List<byte[]> inputs) throws Exception;
    }

    interface Run<T> {
        T run() throws Exception;
    }

    interface Outputs<T> {
        byte[][] of(T result);
    }

    /** The worker does not support the request. */
    @SuppressWarnings("serial")
    static final class Unsupported extends Exception {
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

    static <T> Operation operation(Run<T> run, Outputs<T> outputs) {
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

    static byte[][] fields(byte[]... fields) {
        return fields;
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    static byte[][] verdict(boolean valid) {
        return fields(bytes(valid ? "1" : "0"));
    }

    static String text(byte[] field) {
        return new String(field, StandardCharsets.ISO_8859_1);
    }

    /** Checks the number of inputs. If encodings are given, also checks that the first input names one of them. */
    static void inputs(List<byte[]> given, int least, int most, String... encodings) throws Unsupported {
        check(given.size() >= least && given.size() <= most, "wrong number of fields");
        if (encodings.length > 0 && !List.of(encodings).contains(text(given.get(0)))) {
            throw new Unsupported("only " + String.join(" and ", encodings) + " keys are supported");
        }
    }

    static void check(boolean holds, String otherwise) {
        if (!holds) {
            throw new IllegalArgumentException(otherwise);
        }
    }

    static byte[] length(String what, byte[] bytes, int expected) {
        check(bytes.length == expected, what + " must be " + expected + " bytes long, not " + bytes.length);
        return bytes;
    }

    static byte[] optional(List<byte[]> given, int index) {
        return given.size() > index && given.get(index).length > 0 ? given.get(index) : null;
    }

    Worker() {
        algorithms.put("null", Map.of("null", given -> {
            inputs(given, 0, 0);
            return operation(() -> null, nothing -> fields());
        }));
    }

    /** Returns the libraries with their versions, for the answer to `hello`. */
    abstract String libraries();

    /** Adds an offer: its text and its operations. */
    final void offer(String text, Map<String, Ready> operations) {
        offers.put(text, operations);
        algorithms.put(text.split(" ")[1], operations);
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

    private Ready find(byte[] operation, byte[] algorithm) throws Unsupported {
        Map<String, Ready> operations = algorithms.get(text(algorithm));
        Ready found = operations == null ? null : operations.get(text(operation));
        if (found == null) {
            throw new Unsupported("not offered");
        }
        return found;
    }

    private void prepare(List<byte[]> given) throws Exception {
        check(given.size() >= 4, "wrong number of fields");
        long handle = number(given.get(0));
        long count = number(given.get(3));
        List<byte[]> sets = given.subList(4, given.size());
        boolean fits = count >= 1 && count <= MOST_SETS && sets.size() % count == 0 && !cases.containsKey(handle);
        check(fits, "invalid number of sets, or the handle is already in use");
        Ready ready = find(given.get(1), given.get(2));
        int each = sets.size() / (int) count;
        Operation[] operations = new Operation[(int) count];
        for (int set = 0; set < count; set++) {
            operations[set] = ready.of(sets.subList(set * each, (set + 1) * each));
        }
        cases.put(handle, new Case(operations));
    }

    private static final Map<String, Integer> LENGTHS =
        Map.of("hello", 1, "list", 0, "visit", 3, "answers", 1, "release", 1, "goodbye", 0);

    private List<byte[]> answer(String verb, List<byte[]> given) throws Exception {
        Integer expected = LENGTHS.get(verb);
        check(expected == null || given.size() == expected, "wrong number of fields");
        List<byte[]> found = new ArrayList<>();
        switch (verb) {
            case "hello" -> {
                check(number(given.get(0)) >= 1, "the version must be at least 1");
                String runtime = System.getProperty("java.vm.name") + " " + System.getProperty("java.version");
                for (String field : List.of("1", "java", runtime, libraries(), "SecureRandom " + RANDOM.getAlgorithm())) {
                    found.add(bytes(field));
                }
            }
            case "list" -> offers.keySet().forEach(text -> found.add(bytes(text)));
            case "call" -> {
                check(given.size() >= 2, "wrong number of fields");
                Operation operation = find(given.get(0), given.get(1)).of(given.subList(2, given.size()));
                found.addAll(Arrays.asList(operation.outputs(operation.run())));
            }
            case "prepare" -> prepare(given);
            case "goodbye" -> { }
            case "visit", "answers", "release" -> {
                Case known = cases.get(number(given.get(0)));
                check(known != null, "unknown handle");
                if (verb.equals("answers")) {
                    return known.answers();
                } else if (verb.equals("release")) {
                    cases.remove(number(given.get(0)));
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

    private void serve() throws IOException {
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

    /** Answers requests until the input ends. Exits with an error if the input is not a message. */
    final void run() throws IOException {
        try {
            serve();
        } catch (Garbage garbage) {
            die(garbage.getMessage());
        }
    }

    static void die(String reason) {
        System.err.println("pqlab worker in Java: " + reason);
        System.exit(1);
    }
}
