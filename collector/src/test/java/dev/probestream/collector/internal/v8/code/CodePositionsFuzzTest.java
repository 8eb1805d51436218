package dev.probestream.collector.internal.v8.code;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.elf.ElfFile;
import dev.probestream.collector.internal.v8.NodeExecutables;
import dev.probestream.collector.internal.v8.StoppedNode;
import dev.probestream.collector.internal.v8.StoppedNode.StoppedFrame;
import dev.probestream.collector.internal.v8.heap.HeapReader;
import dev.probestream.collector.internal.v8.heap.MemoryImage;
import dev.probestream.collector.internal.v8.layout.V8CodeLayout;
import dev.probestream.collector.internal.v8.layout.V8CodeLayoutReader;
import dev.probestream.collector.internal.v8.layout.V8Symbols;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The memory of a real Node.js with compiled code, mutated: every question ends, within its budget, with an answer. */
class CodePositionsFuzzTest {
    private static final Path SCRIPT =
            Path.of("src/test/resources/testdata/v8/calls.js").toAbsolutePath();
    private static final int IMAGES = 20_000;
    private static final int MAX_MUTATIONS = 6;

    private final Random random = new Random(0x5eed);

    @TempDir
    Path folder;

    static List<Path> nodes() throws IOException {
        return NodeExecutables.all();
    }

    @ParameterizedTest
    @MethodSource("nodes")
    void everyQuestionOnMutatedMemoryHasAnAnswer(Path node) throws Exception {
        try (ElfFile elf = ElfFile.open(node);
                StoppedNode stopped = StoppedNode.start(node, folder, "--always-sparkplug", SCRIPT.toString())) {
            V8CodeLayout layout = V8CodeLayoutReader.read(elf, V8Symbols.read(elf));
            List<StoppedFrame> frames = stopped.frames();
            MemoryImage image = new MemoryImage();
            FileCode fileCode = FileCode.of(stopped.pid());
            HeapReader recorder = new HeapReader(image.recording(stopped.memory()), stopped.layout());
            Map<StoppedFrame, List<CodePosition>> unchanged = new HashMap<>();
            for (StoppedFrame frame : frames) {
                unchanged.put(
                        frame,
                        new CodePositions(recorder, layout, fileCode)
                                .of(frame.pc(), frame.sharedFunctionInfo(), frame.word()));
            }
            image.keepChanges();
            HeapReader heap = new HeapReader(image, stopped.layout());
            ask(image, frames, unchanged, new CodePositions(heap, layout, fileCode), new InlinedClosures(heap, layout));
        }
    }

    private void ask(
            MemoryImage image,
            List<StoppedFrame> frames,
            Map<StoppedFrame, List<CodePosition>> unchanged,
            CodePositions positions,
            InlinedClosures closures) {
        long[] pages = image.pageAddresses();
        int same = 0;
        for (int i = 0; i < IMAGES; i++) {
            for (int left = 1 + random.nextInt(MAX_MUTATIONS); left > 0; left--) {
                mutate(image, pages);
            }
            StoppedFrame frame = frames.get(random.nextInt(frames.size()));
            long pc = random.nextInt(10) == 0 ? address(pages) + random.nextInt(8) : frame.pc();
            long word = random.nextInt(10) == 0 ? (long) random.nextInt() << 32 : frame.word();
            long reads = image.reads();
            long bytes = image.readBytes();
            List<CodePosition> found = random.nextInt(4) == 0
                    ? positions.ofInstruction(pc, frame.sharedFunctionInfo())
                    : positions.of(pc, frame.sharedFunctionInfo(), word);
            assertThat(image.reads() - reads).isLessThanOrEqualTo(HeapReader.READS);
            assertThat(image.readBytes() - bytes).isLessThanOrEqualTo(HeapReader.BYTES);
            assertThat(found).isNotEmpty().hasSizeLessThanOrEqualTo(128);
            long readsBefore = image.reads();
            assertThat(closures.at(pc).map(List::size).orElse(0)).isLessThan(128);
            assertThat(image.reads() - readsBefore).isLessThanOrEqualTo(HeapReader.READS);
            assertThat(found.get(found.size() - 1).sharedFunctionInfo()).isEqualTo(frame.sharedFunctionInfo());
            assertThat(found).allMatch(function -> function.sourcePosition() >= -1);
            same += found.equals(unchanged.get(frame)) ? 1 : 0;
            image.takeChangesBack();
        }
        // Most mutations hit something that the question does not need; some must hit what it needs.
        assertThat(same).isBetween(IMAGES / 4, IMAGES - IMAGES / 50);
    }

    private void mutate(MemoryImage image, long[] pages) {
        long address = address(pages);
        switch (random.nextInt(7)) {
            case 0 -> image.putByte(address + random.nextInt(8), (byte) random.nextInt());
            case 1 -> image.putLong(address, address(pages) + 1);
            case 2 -> image.putLong(address, (long) random.nextInt() << 32);
            case 3 -> image.putInt(address + 4, random.nextBoolean() ? Integer.MAX_VALUE : -1);
            case 4 -> image.putLong(address, random.nextLong());
            case 5 -> image.putInt(address + 4L * random.nextInt(2), 1 << random.nextInt(31));
            default -> image.putLong(address, image.longAt(address(pages)));
        }
    }

    private long address(long[] pages) {
        return pages[random.nextInt(pages.length)] + 8L * random.nextInt(MemoryImage.pageBytes() / 8);
    }
}
