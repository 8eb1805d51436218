package dev.probestream.bench.node;

import dev.probestream.bench.measure.Benchmark;
import dev.probestream.bench.measure.Folder;
import dev.probestream.bench.measure.ResultTable;
import dev.probestream.bench.measure.Samples;
import dev.probestream.bench.probe.Capture;
import dev.probestream.bpf.btf.BtfFile;
import dev.probestream.bpf.btf.FieldPath;
import dev.probestream.bpf.btf.UnknownFieldException;
import dev.probestream.bpf.elf.ElfFile;
import dev.probestream.collector.internal.program.layout.MapNames;
import dev.probestream.collector.internal.v8.V8Executables;
import dev.probestream.collector.internal.v8.V8Processes;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** What the stack of a hit costs a Node that was started without any option: addresses, and the functions of JavaScript. */
public final class JavaScriptStackBenchmark implements Benchmark {
    private static final String FUNCTION = "uv_fs_fstat";
    private static final int[] DEPTHS = {5, 20, 60};
    private static final int BUDGET_DEPTH = 20;
    private static final double FUNCTIONS_ABOVE_ADDRESSES_NS = 3000;
    private static final int ROUNDS = 11;
    private static final int CALLS = 10_000;
    /** Every sample of a round fits: nothing has to be read while the target runs. */
    private static final int RING_SIZE_BYTES = 32 << 20;

    @Override
    public String name() {
        return "js-stack";
    }

    @Override
    public String about() {
        return "fs.fstatSync below 5, 20 and 60 functions: without a probe, without a stack, with addresses, with functions";
    }

    @Override
    public void run(ResultTable table) throws IOException, InterruptedException {
        try (Folder folder = Folder.create();
                NodeProgram node = NodeProgram.start(folder.path(), "stacks.js");
                ElfFile elf = ElfFile.open(node.executable())) {
            long fileOffset = elf.fileOffset(elf.function(FUNCTION).orElseThrow());
            int threadPointer = Math.toIntExact(FieldPath.resolve(BtfFile.ofKernel(), "task_struct.thread.fsbase")
                    .offsetBytes());
            for (int depth : DEPTHS) {
                Rounds rounds = new Rounds(node, node.executable(), fileOffset, threadPointer, depth);
                for (int round = 0; round < ROUNDS; round++) {
                    rounds.measure();
                }
                rounds.fill(table);
            }
        } catch (UnknownFieldException e) {
            throw new IOException(e);
        }
        table.note(
                ROUNDS + " rounds of " + CALLS + " calls each, in turn; CPU time of the process. To the functions come"
                        + " five more: fstatSync, and those of readline and of Node around the answer to a line.");
    }

    /** The ways to be hit at one depth. */
    private static final class Rounds {
        private final V8Executables executables = new V8Executables();
        private final NodeProgram node;
        private final Path executable;
        private final long fileOffset;
        private final int threadPointer;
        private final int depth;
        private final Samples bare = new Samples();
        private final Samples plain = new Samples();
        private final Samples addresses = new Samples();
        private final Samples functions = new Samples();
        private final Samples difference = new Samples();

        Rounds(NodeProgram node, Path executable, long fileOffset, int threadPointer, int depth) {
            this.node = node;
            this.executable = executable;
            this.fileOffset = fileOffset;
            this.threadPointer = threadPointer;
            this.depth = depth;
        }

        void measure() throws IOException {
            bare.add(perCall());
            plain.add(captured("", false));
            double addressesNs = captured(" [ustack]", false);
            double functionsNs = captured(" [ustack]", true);
            addresses.add(addressesNs);
            functions.add(functionsNs);
            difference.add(functionsNs - addressesNs);
        }

        private double perCall() throws IOException {
            return Double.parseDouble(node.ask(depth + " " + CALLS)) / CALLS;
        }

        private double captured(String stack, boolean withJavaScript) throws IOException {
            int pid = Math.toIntExact(node.pid());
            String spec = "uprobe:" + FUNCTION + stack;
            try (Capture capture = Capture.attach(executable, fileOffset, pid, spec, RING_SIZE_BYTES, withJavaScript)) {
                if (withJavaScript) {
                    new V8Processes(
                                    capture.map(MapNames.V8_PROCESSES),
                                    executables,
                                    watched -> Optional.empty(),
                                    threadPointer)
                            .add(pid);
                }
                perCall(); // touches the ring's pages
                capture.drain();
                double perCallNs = perCall();
                long samples = capture.drain();
                if (samples != CALLS) {
                    throw new IllegalStateException(spec + " gave " + samples + " samples of " + CALLS + " calls");
                }
                return perCallNs;
            }
        }

        void fill(ResultTable table) {
            String below = " below " + depth + " functions";
            table.measured("no probe" + below, bare, "ns");
            table.measured("no stack", plain, "ns");
            table.measured("addresses", addresses, "ns");
            table.compared("functions", functions, "ns", functions.median() / addresses.median(), "addresses");
            if (depth == BUDGET_DEPTH) {
                table.atMost("functions above addresses", difference.median(), "ns", FUNCTIONS_ABOVE_ADDRESSES_NS);
            } else {
                table.measured("functions above addresses", difference, "ns");
            }
        }
    }
}
