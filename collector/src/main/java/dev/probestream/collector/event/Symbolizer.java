package dev.probestream.collector.event;

import dev.probestream.bpf.sys.CxxDemangler;
import dev.probestream.collector.resolve.MappedRange;
import dev.probestream.schema.record.Frame;
import dev.probestream.schema.record.FrameKind;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Names the frames of stacks. The rules:
 *
 * <ul>
 *   <li>Code of a file takes the name of the ELF symbol that covers it, demangled with its arguments. A stripped file
 *       names only what it exports; other frames keep their module and offset, with which they can be named later.
 *   <li>Code of no file was generated: its name is that of the last entry over it in /tmp/perf-PID.map, as the process
 *       sees that file and numbers itself. The name stays as V8 wrote it ({@code JS:*fib /app/x.js:1:13}: kind, tier,
 *       function, place). It is JS when V8 compiled it from JavaScript (see {@link JitNames}), else NATIVE: V8's own
 *       {@code Builtin:} and {@code BytecodeHandler:} code, and what other run-times generate.
 *   <li>Kernel code takes its name from /proc/kallsyms; the vDSO's from the vDSO.
 *   <li>All addresses but the first of each part of the stack are return addresses: the call is before them, which
 *       matters where a call ends a function.
 * </ul>
 *
 * Keeps at most {@value ElfNames#MAX_FILES} ELF files open until {@link #close}. For one thread at a time.
 */
public final class Symbolizer implements AutoCloseable {
    private static final String KERNEL_MODULE = "[kernel]";
    static final String VDSO = "[vdso]";

    private final Notices notices = new Notices();
    private final ElfNames elfNames;
    private final JitNames jitNames = new JitNames(notices);
    private final KernelNames kernelNames = new KernelNames(Path.of("/proc/kallsyms"), notices);

    public Symbolizer(CxxDemangler demangler) {
        this.elfNames = new ElfNames(demangler, notices);
    }

    /** What kept frames from being named, in words for the user; each is said once. */
    public List<String> notices() {
        return notices.take();
    }

    @Override
    public void close() {
        elfNames.close();
    }

    /** Says that some time has passed: perf maps may have grown since. */
    void refresh() {
        jitNames.refresh();
    }

    List<Frame> frames(UnnamedStack stack) {
        List<Frame> frames = new ArrayList<>(stack.frameCount());
        for (int i = 0; i < stack.frameCount(); i++) {
            long address = stack.address(i);
            long within = stack.isLeaf(i) ? address : address - 1;
            frames.add(
                    stack.isKernelFrame(i)
                            ? new Frame(kernelNames.nameOf(within), KERNEL_MODULE, address, FrameKind.KERNEL)
                            : userFrame(stack, address, within));
        }
        return frames;
    }

    private Frame userFrame(UnnamedStack stack, long address, long within) {
        // The maps of then; or, for code that was mapped while they were young, those of now.
        Optional<MappedRange> range =
                stack.maps().covering(within).or(() -> stack.process().maps().covering(within));
        if (range.isPresent() && range.get().isFile()) {
            return fileFrame(stack.process(), range.get(), address, within);
        }
        if (range.isPresent() && range.get().path().equals(VDSO)) {
            long start = range.get().start();
            return new Frame(elfNames.nameInVdso(within - start), VDSO, address - start, FrameKind.NATIVE);
        }
        String name = jitNames.nameOf(stack.process(), within);
        return new Frame(name, "", address, JitNames.kindOf(name));
    }

    private Frame fileFrame(ProcessView process, MappedRange range, long address, long within) {
        String symbol = elfNames.nameOf(process, range, range.fileOffsetOf(within));
        FrameKind kind = FrameKind.NATIVE;
        if (symbol.isEmpty()) {
            // Some run-times keep generated code in a memory file.
            symbol = jitNames.nameOf(process, within);
            kind = JitNames.kindOf(symbol);
        }
        return new Frame(symbol, range.path(), range.fileOffsetOf(address), kind);
    }
}
