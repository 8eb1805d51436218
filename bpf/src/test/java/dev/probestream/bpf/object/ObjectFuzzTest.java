package dev.probestream.bpf.object;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;

/** Seeded mutations of good objects: nothing but the package's own exception may escape, and soon. */
class ObjectFuzzTest {
    private static final long SEED = 20_261_124;
    private static final int MUTANTS = 4_000;
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    @Test
    void mutatedObjectIsReadOrRefused() throws Exception {
        List<byte[]> objects = new ArrayList<>();
        for (String name : ObjectFixture.GOOD) {
            objects.add(ObjectFixture.bytes(name));
        }
        KernelFacts kernel = ObjectFixture.kernelLike("core");
        Random random = new Random(SEED);
        int[] refused = new int[1];
        Assertions.assertTimeoutPreemptively(PATIENCE, () -> {
            for (int i = 0; i < MUTANTS; i++) {
                byte[] mutant = mutate(objects.get(i % objects.size()), random);
                try {
                    readAll(mutant, kernel);
                } catch (BpfObjectException e) {
                    refused[0]++;
                } catch (RuntimeException | Error e) {
                    throw new AssertionError("mutant " + i + " of seed " + SEED, e);
                }
            }
        });
        assertThat(refused[0]).as("mutants refused").isBetween(MUTANTS / 20, MUTANTS);
    }

    @Test
    void objectCutOffAnywhereIsRefused() throws Exception {
        byte[] good = ObjectFixture.bytes("calls");
        for (int size = 0; size < good.length; size++) {
            ByteBuffer cut = ByteBuffer.wrap(good, 0, size);
            Assertions.assertThrows(BpfObjectException.class, () -> ObjectFile.parse("cut", cut));
        }
    }

    private static byte[] mutate(byte[] good, Random random) {
        byte[] mutant = good.clone();
        ByteBuffer words = ByteBuffer.wrap(mutant).order(ByteOrder.LITTLE_ENDIAN);
        for (int changes = 1 + random.nextInt(4); changes > 0; changes--) {
            int word = 4 * random.nextInt(mutant.length / 4);
            switch (random.nextInt(5)) {
                case 0 -> words.putInt(word, random.nextInt(60)); // the id of some type, a section, a symbol
                case 1 -> words.putInt(word, -1);
                case 2 -> words.putInt(word, words.getInt(4 * random.nextInt(mutant.length / 4)));
                case 3 -> words.putInt(word, 8 * random.nextInt(mutant.length / 8)); // an offset
                default -> mutant[random.nextInt(mutant.length)] = (byte) random.nextInt();
            }
        }
        return mutant;
    }

    /** Each program alone, as one that is refused would hide the others. */
    private static void readAll(byte[] bytes, KernelFacts kernel) throws BpfObjectException {
        ObjectSpec spec = ObjectFile.parse("mutant", ByteBuffer.wrap(bytes));
        spec.maps().forEach(map -> spec.setMaxEntries(map, 4096));
        BpfObjectException first = null;
        for (String program : spec.programs()) {
            spec.programs().forEach(spec::exclude);
            spec.include(program);
            try {
                assertThat(spec.resolve(kernel).programs()).hasSize(1);
            } catch (BpfObjectException e) {
                first = first == null ? e : first;
            }
        }
        if (first != null) {
            throw first;
        }
    }
}
