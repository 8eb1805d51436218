package dev.probestream.collector;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.CProgram;
import dev.probestream.bpf.KernelTest;
import dev.probestream.collector.histogram.Bucketing;
import dev.probestream.collector.histogram.HistogramSpec;
import dev.probestream.collector.histogram.HistogramTable;
import dev.probestream.collector.probe.IntegerOperation;
import dev.probestream.collector.probe.parse.SpecParser;
import dev.probestream.collector.request.HistogramRequest;
import dev.probestream.collector.request.TargetSelection;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What programs in the kernel compute is what Java computes, for random computations of random numbers. */
@KernelTest(since = "5.8")
class ComputedNumbersTest {
    private static final int COMPUTATIONS = 40;
    private static final int CALLS = 40;
    private static final long[] EDGES = {
        0, 1, -1, 2, 10, -1000, 255, 1L << 31, -(1L << 31), Long.MIN_VALUE, Long.MAX_VALUE
    };

    @TempDir
    static Path folder;

    private final Random random = new Random(14);

    /** A computation as it is written in a filter, and in Java. */
    private record Computation(String text, boolean isUnsigned, Value value) {
        interface Value {
            long of(long a, long b);
        }
    }

    @Test
    void filtersComputeAsJavaDoes() throws Exception {
        List<Computation> computations = new ArrayList<>();
        List<HistogramSpec> specs = new ArrayList<>();
        for (int i = 0; i < COMPUTATIONS; i++) {
            Computation computation = computation(3);
            computations.add(computation);
            specs.add(counted("uprobe:checked /arg3 == " + i + " && (" + computation.text + ") == arg4:"
                    + (computation.isUnsigned ? "u64" : "s64") + "/"));
        }
        specs.add(counted("span:checked /arg3 == 0 && (duration / 1000000000) < 1000 && (ret - arg1) == 0/"));

        CProgram paths = CProgram.compile(folder, "bpf/paths");
        try (CProgram.Running program = paths.start();
                Histograms histograms =
                        Histograms.open(new HistogramRequest(TargetSelection.ofPids(List.of(program.pid())), specs))) {
            histograms.attach();
            for (int i = 0; i < COMPUTATIONS; i++) {
                for (int call = 0; call < CALLS; call++) {
                    long a = number();
                    long b = number();
                    long expected = computations.get(i).value.of(a, b);
                    program.ask("check " + a + " " + b + " " + i + " " + expected);
                    program.ask("check " + a + " " + b + " " + i + " " + (expected + 1));
                }
            }
            program.ask("check 7 -5 0 5");
            histograms.detach();
            List<HistogramTable> tables = histograms.snapshot().tables();
            for (int i = 0; i < COMPUTATIONS; i++) {
                assertThat(tables.get(i).total()).as(computations.get(i).text).isGreaterThanOrEqualTo(CALLS);
                // Of another call the expected number plus one may be right by chance only in the last one, of index 0.
                assertThat(tables.get(i).total())
                        .as(computations.get(i).text)
                        .isLessThanOrEqualTo(CALLS + (i == 0 ? 1 : 0));
            }
            assertThat(tables.get(COMPUTATIONS).total()).isGreaterThanOrEqualTo(1);
        }
    }

    private static HistogramSpec counted(String spec) {
        return HistogramSpec.of(SpecParser.parse(spec), Optional.empty(), List.of("pid"), Optional.of(Bucketing.COUNT));
    }

    private long number() {
        return switch (random.nextInt(3)) {
            case 0 -> EDGES[random.nextInt(EDGES.length)];
            case 1 -> random.nextInt(2000) - 1000;
            default -> random.nextLong();
        };
    }

    private Computation computation(int depth) {
        if (depth == 0 || random.nextInt(5) == 0) {
            return leaf();
        }
        IntegerOperation operation = List.of(IntegerOperation.values()).get(random.nextInt(5));
        Computation left = computation(depth - 1);
        Computation right = computation(depth - 1);
        boolean isUnsigned = left.isUnsigned || right.isUnsigned;
        return new Computation(
                "(" + left.text + " " + operation.sign() + " " + right.text + ")",
                isUnsigned,
                (a, b) -> operation.of(left.value.of(a, b), right.value.of(a, b), isUnsigned));
    }

    private Computation leaf() {
        return switch (random.nextInt(7)) {
            case 0, 1 -> new Computation("arg1", false, (a, b) -> a);
            case 2 -> new Computation("arg2", false, (a, b) -> b);
            case 3 -> new Computation("arg1:u64", true, (a, b) -> a);
            case 4 -> new Computation("arg2:s32", false, (a, b) -> (int) b);
            case 5 -> new Computation("arg2:u8", false, (a, b) -> b & 0xff);
            default -> {
                long constant = EDGES[random.nextInt(EDGES.length)];
                yield new Computation(String.valueOf(constant), false, (a, b) -> constant);
            }
        };
    }
}
