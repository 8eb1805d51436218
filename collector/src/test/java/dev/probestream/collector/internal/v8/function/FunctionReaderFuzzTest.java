package dev.probestream.collector.internal.v8.function;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.collector.internal.v8.heap.HeapReader;
import dev.probestream.collector.internal.v8.heap.MemoryImage;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The memory of real Node.js processes, mutated: every question ends, within its budget, without an exception. */
class FunctionReaderFuzzTest {
    private static final Path FOLDER = Path.of("src/test/resources/testdata/v8");
    private static final long SEED = 0x5eed;
    private static final int MAX_MUTATIONS = 6;
    /** A function, and the line of its first character. */
    private static final long READS_OF_A_QUESTION =
            (long) FunctionReader.NAME_BUDGET.reads() + FunctionReader.SOURCE_BUDGET.reads();

    private static final long BYTES_OF_A_QUESTION =
            FunctionReader.NAME_BUDGET.bytes() + FunctionReader.SOURCE_BUDGET.bytes();

    private final Random random = new Random(SEED);

    @ParameterizedTest
    @ValueSource(ints = {20, 24})
    void imageNamesTheFunctionsOfItsProgram(int version) throws Exception {
        MemoryImage.Recorded recorded = image(version);
        FunctionReader reader = new FunctionReader(new HeapReader(recorded.memory(), recorded.layout()));
        List<String> names = recorded.functions().stream()
                .map(function -> reader.function(function).orElseThrow())
                .map(function -> function.name() + ":" + function.line() + ":" + function.column())
                .toList();
        // As in the text of NodeSnapshot's program.
        assertThat(names)
                .contains("next:3:14", "#hidden:5:22", "area:5:40", "get size:5:70", "of:5:100")
                .contains("plain:6:96", "later:8:94", ":1:20", "generator:9:20", "map:0:0");
        assertThat(reader.failures()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {20, 24})
    void everyQuestionOnMutatedMemoryEndsWithinItsBudget(int version) throws Exception {
        askMutated(version, 10_000);
    }

    @Test
    @Tag("deep")
    void aMillionMutatedImagesAreRead() throws Exception {
        askMutated(20, 500_000);
        askMutated(24, 500_000);
    }

    private void askMutated(int version, int images) throws Exception {
        MemoryImage.Recorded recorded = image(version);
        MemoryImage memory = recorded.memory();
        long[] pages = memory.pageAddresses();
        FunctionReader reader = new FunctionReader(new HeapReader(memory, recorded.layout()));
        int named = 0;
        for (int i = 0; i < images; i++) {
            for (int left = 1 + random.nextInt(MAX_MUTATIONS); left > 0; left--) {
                mutate(memory, pages);
            }
            long function = random.nextInt(20) == 0
                    ? word(memory, pages)
                    : recorded.functions()
                            .get(random.nextInt(recorded.functions().size()));
            named += ask(reader, memory, function);
            memory.takeChangesBack();
            if (random.nextInt(4) != 0) {
                reader.forget();
            }
        }
        // Most mutations hit something that the function does not need; some must hit what it needs.
        assertThat(named).isBetween(images / 4, images - images / 100);
    }

    /** 1 if the function has a name. */
    private int ask(FunctionReader reader, MemoryImage memory, long function) {
        long reads = memory.reads();
        long bytes = memory.readBytes();
        Optional<FunctionDescription> found = reader.function(function);
        assertThat(memory.reads() - reads).isLessThanOrEqualTo(READS_OF_A_QUESTION);
        assertThat(memory.readBytes() - bytes).isLessThanOrEqualTo(BYTES_OF_A_QUESTION);
        if (found.isEmpty()) {
            return 0;
        }
        assertThat(found.get().name().length()).isLessThanOrEqualTo(4_096);
        assertThat(found.get().line()).isNotNegative();
        assertThat(found.get().column()).isNotNegative();
        found.get().script().filter(script -> random.nextInt(4) == 0).ifPresent(script -> {
            script.positionOf(random.nextInt());
            script.positionOf(random.nextInt(2_000));
            script.sourceMappingUrl(1_000);
        });
        return 1;
    }

    private void mutate(MemoryImage memory, long[] pages) {
        long address = address(pages);
        switch (random.nextInt(8)) {
            case 0 -> memory.putByte(address + random.nextInt(8), (byte) random.nextInt());
            case 1 -> memory.putLong(address, address + 1);
            case 2 -> memory.putLong(address, address(pages) + 1);
            case 3 -> memory.putLong(address, (long) random.nextInt() << 32);
            case 4 -> memory.putInt(address + 4, random.nextBoolean() ? Integer.MAX_VALUE : -1);
            case 5 -> memory.putLong(address, random.nextLong());
            case 6 -> memory.putInt(address + 4L * random.nextInt(2), 1 << random.nextInt(31));
            default -> memory.putLong(address, word(memory, pages));
        }
    }

    private long address(long[] pages) {
        return pages[random.nextInt(pages.length)] + 8L * random.nextInt(MemoryImage.pageBytes() / 8);
    }

    /** A word that stands somewhere in the image: often a pointer. */
    private long word(MemoryImage memory, long[] pages) {
        return memory.longAt(address(pages));
    }

    private static MemoryImage.Recorded image(int version) throws Exception {
        return MemoryImage.read(FOLDER.resolve("functions-" + version + ".image"));
    }
}
