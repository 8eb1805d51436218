package dev.probestream.collector;

import dev.probestream.bpf.btf.BtfFile;
import dev.probestream.bpf.btf.FieldPath;
import dev.probestream.bpf.btf.UnknownFieldException;
import dev.probestream.bpf.sys.SystemName;
import dev.probestream.collector.program.TaskOffsets;
import java.io.IOException;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the layout of the running kernel's task_struct from its BTF. */
final class KernelTaskLayout {
    private static final Pattern RELEASE = Pattern.compile("(\\d{1,4})\\.(\\d{1,4}).*");

    private final BtfFile btf;

    private KernelTaskLayout(BtfFile btf) {
        this.btf = btf;
    }

    /**
     * Reads the offsets.
     *
     * @throws IOException when the kernel has no BTF, or one that cannot be read
     * @throws UnknownFieldException when this kernel's task_struct has none of the fields we know
     */
    static TaskOffsets read() throws IOException, UnknownFieldException {
        return new KernelTaskLayout(BtfFile.ofKernel())
                .offsets(SystemName.read().release());
    }

    private TaskOffsets offsets(String release) throws IOException, UnknownFieldException {
        FieldPath state = state();
        return new TaskOffsets(
                offset("task_struct.pid"),
                offset("task_struct.tgid"),
                offset("task_struct.comm"),
                offset("task_struct.prio"),
                Math.toIntExact(state.offsetBytes()),
                Math.toIntExact(state.sizeBytes()),
                offset("task_struct.exit_state"),
                cpu(),
                offset("task_struct.exit_code"),
                offset("task_struct.signal"),
                offset("signal_struct.live"),
                isAtLeast(release, 5, 18));
    }

    private int offset(String path) throws IOException, UnknownFieldException {
        return Math.toIntExact(FieldPath.resolve(btf, path).offsetBytes());
    }

    /** {@code __state} since 5.14, a long called {@code state} before. */
    private FieldPath state() throws IOException, UnknownFieldException {
        try {
            return FieldPath.resolve(btf, "task_struct.__state");
        } catch (UnknownFieldException e) {
            return FieldPath.resolve(btf, "task_struct.state");
        }
    }

    /** In thread_info, which is part of the task on the machines we run on (CONFIG_THREAD_INFO_IN_TASK). */
    private OptionalInt cpu() throws IOException {
        try {
            return OptionalInt.of(offset("task_struct.thread_info.cpu"));
        } catch (UnknownFieldException e) {
            return OptionalInt.empty();
        }
    }

    static boolean isAtLeast(String release, int major, int minor) {
        Matcher matcher = RELEASE.matcher(release);
        if (!matcher.matches()) {
            return false;
        }
        int itsMajor = Integer.parseInt(matcher.group(1));
        return itsMajor > major || (itsMajor == major && Integer.parseInt(matcher.group(2)) >= minor);
    }
}
