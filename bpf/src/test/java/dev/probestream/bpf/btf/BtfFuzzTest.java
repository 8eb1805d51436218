package dev.probestream.bpf.btf;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;

/** Seeded mutations of a good file: nothing but the package's own exceptions may escape, and soon. */
class BtfFuzzTest {
    private static final long SEED = 20_261_121;
    private static final int MUTANTS = 100_000;
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    @Test
    void mutatedFileIsReadOrRefused() throws Exception {
        byte[] good = BtfFixture.types();
        Random random = new Random(SEED);
        int[] refused = new int[1];
        Assertions.assertTimeoutPreemptively(PATIENCE, () -> {
            for (int i = 0; i < MUTANTS; i++) {
                byte[] mutant = mutate(good, random);
                try {
                    readAll(mutant);
                } catch (BtfFormatException e) {
                    refused[0]++;
                } catch (RuntimeException | Error e) {
                    throw new AssertionError("mutant " + i + " of seed " + SEED, e);
                }
            }
        });
        assertThat(refused[0]).as("mutants refused").isBetween(MUTANTS / 20, MUTANTS);
    }

    @Test
    void fileCutOffAnywhereIsRefused() throws Exception {
        byte[] good = BtfFixture.types();
        for (int size = 0; size < good.length; size++) {
            ByteBuffer cut = ByteBuffer.wrap(good, 0, size);
            Assertions.assertThrows(BtfFormatException.class, () -> BtfFile.parse("cut", cut));
        }
    }

    private static byte[] mutate(byte[] good, Random random) {
        byte[] mutant = good.clone();
        ByteBuffer words = ByteBuffer.wrap(mutant).order(ByteOrder.LITTLE_ENDIAN);
        for (int changes = 1 + random.nextInt(4); changes > 0; changes--) {
            int word = 4 * random.nextInt(mutant.length / 4);
            switch (random.nextInt(4)) {
                case 0 -> words.putInt(word, random.nextInt(40)); // mostly the id of some type
                case 1 -> words.putInt(word, -1);
                case 2 -> words.putInt(word, words.getInt(4 * random.nextInt(mutant.length / 4)));
                default -> mutant[random.nextInt(mutant.length)] = (byte) random.nextInt();
            }
        }
        return mutant;
    }

    private static void readAll(byte[] bytes) throws BtfFormatException {
        BtfFile btf = BtfFile.parse("mutant", ByteBuffer.wrap(bytes));
        for (String path :
                List.of("outer.named.deep", "outer.matrix", "inner_t.second", "outer.level", "outer.nobody")) {
            try {
                FieldPath.resolve(btf, path);
            } catch (UnknownFieldException e) {
                assertThat(e).hasMessageContaining("look up " + path);
            }
        }
    }
}
