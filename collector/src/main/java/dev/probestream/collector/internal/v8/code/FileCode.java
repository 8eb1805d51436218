package dev.probestream.collector.internal.v8.code;

import dev.probestream.bpf.proc.MappedRange;
import dev.probestream.bpf.proc.ProcessMaps;
import java.io.IOException;
import java.util.Optional;
import java.util.function.LongPredicate;

/**
 * Which addresses of a process are code that comes from a file: V8's interpreter and builtins, also where V8 has mapped
 * them a second time, near its own code. What V8 compiles is in anonymous memory.
 */
public final class FileCode implements LongPredicate {
    /** A process maps its code when it begins and when isolates begin; a hostile one could have us read forever. */
    private static final int MAX_READS = 1_000;

    private final Source source;
    private ProcessMaps maps = ProcessMaps.empty();
    private int reads;

    /** The mappings of the process now. */
    @FunctionalInterface
    interface Source {
        ProcessMaps read() throws IOException;
    }

    FileCode(Source source) {
        this.source = source;
    }

    public static FileCode of(int pid) {
        return new FileCode(() -> ProcessMaps.read(pid));
    }

    @Override
    public boolean test(long address) {
        Optional<MappedRange> range = maps.covering(address);
        if (range.isEmpty() && reads < MAX_READS) {
            reads++;
            try {
                maps = source.read();
            } catch (IOException e) {
                return false; // it has ended
            }
            range = maps.covering(address);
        }
        return range.filter(mapped -> mapped.isFile() && mapped.isExecutable()).isPresent();
    }
}
