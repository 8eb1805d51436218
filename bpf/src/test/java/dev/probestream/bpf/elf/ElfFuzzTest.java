package dev.probestream.bpf.elf;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Seeded mutations of a good file: nothing but an ElfFormatException may escape, and soon. */
class ElfFuzzTest {
    private static final long SEED = 20_261_121;
    private static final int MUTANTS = 20_000;
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    @TempDir
    Path folder;

    @Test
    void mutatedFileIsReadOrRefused() throws Exception {
        byte[] good = Files.readAllBytes(ElfFixture.compile(folder, "names.cpp", "good", "-s", "-rdynamic"));
        byte[] unstripped = Files.readAllBytes(ElfFixture.compile(folder, "functions.c", "unstripped"));
        Random random = new Random(SEED);
        int[] refused = new int[1];
        Assertions.assertTimeoutPreemptively(PATIENCE, () -> {
            for (int i = 0; i < MUTANTS; i++) {
                byte[] mutant = mutate(i % 2 == 0 ? good : unstripped, random);
                try {
                    readAll(mutant, random);
                } catch (ElfFormatException e) {
                    refused[0]++;
                } catch (RuntimeException | Error e) {
                    throw new AssertionError("mutant " + i + " of seed " + SEED, e);
                }
            }
        });
        assertThat(refused[0]).as("mutants refused").isBetween(MUTANTS / 20, MUTANTS);
    }

    private static byte[] mutate(byte[] good, Random random) {
        byte[] mutant = good.clone();
        // The headers at both ends are where it hurts.
        int sectionHeaders = (int)
                ByteBuffer.wrap(good).order(java.nio.ByteOrder.LITTLE_ENDIAN).getLong(40);
        for (int changes = 1 + random.nextInt(4); changes > 0; changes--) {
            int at = switch (random.nextInt(4)) {
                case 0 -> random.nextInt(1024);
                case 1 -> sectionHeaders + random.nextInt(mutant.length - sectionHeaders);
                default -> random.nextInt(mutant.length);
            };
            int width = 1 << random.nextInt(4);
            for (int i = at; i < Math.min(at + width, mutant.length); i++) {
                mutant[i] = interesting(random);
            }
        }
        return mutant;
    }

    private static byte interesting(Random random) {
        return switch (random.nextInt(4)) {
            case 0 -> 0;
            case 1 -> (byte) 0xff;
            case 2 -> 0x7f;
            default -> (byte) random.nextInt();
        };
    }

    private static void readAll(byte[] bytes, Random random) throws IOException {
        try (ElfFile elf = ElfFile.parse("mutant", ByteBuffer.wrap(bytes))) {
            elf.notes();
            elf.buildId();
            elf.function("main");
            for (ElfSymbol symbol : elf.functions("*")) {
                elf.fileOffset(symbol);
                elf.code(symbol, 4);
                symbol.qualifiedName();
            }
            elf.cxxFunctions("outer::*::Heap::collect");
            elf.nearestNames("outer::Heap::colect", 5);
            for (int i = 0; i < 20; i++) {
                elf.functionCovering(random.nextInt(bytes.length));
            }
        }
    }
}
