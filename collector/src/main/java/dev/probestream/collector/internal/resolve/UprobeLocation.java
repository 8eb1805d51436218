package dev.probestream.collector.internal.resolve;

import dev.probestream.bpf.kernel.Uprobes;
import dev.probestream.bpf.usdt.UsdtArgument;
import dev.probestream.collector.internal.process.FileId;
import dev.probestream.collector.internal.process.ProbedFile;
import java.nio.file.Path;
import java.util.List;

/**
 * One instruction in one file: what a uprobe is attached to.
 *
 * @param scopePid the process whose hits count, or {@link Uprobes#EVERY_PROCESS}
 * @param symbol the function as the file names it (mangled, for C++), or a USDT probe's {@code PROVIDER:NAME}
 * @param file a path that opens the file the process runs; may lead through /proc/PID, and then ends with the process
 * @param fileId of that file: locations of several processes with one FileId and offset take one uprobe
 * @param fileOffset of the instruction, in bytes from the start of the file
 * @param refCtrOffset of a USDT probe's semaphore, in bytes from the start of the file; 0 = there is none
 * @param arguments the locations of a USDT probe's arguments, with no operand that is a symbol; empty for a function
 */
public record UprobeLocation(
        int scopePid,
        String symbol,
        Path file,
        FileId fileId,
        long fileOffset,
        long refCtrOffset,
        List<UsdtArgument> arguments) {
    public UprobeLocation {
        arguments = List.copyOf(arguments);
    }

    static UprobeLocation ofFunction(String symbol, ProbedFile file, long fileOffset) {
        return new UprobeLocation(Uprobes.EVERY_PROCESS, symbol, file.file(), file.id(), fileOffset, 0, List.of());
    }

    /** The same instruction, in one process or in {@link Uprobes#EVERY_PROCESS}. */
    public UprobeLocation inProcess(int pid) {
        return new UprobeLocation(pid, symbol, file, fileId, fileOffset, refCtrOffset, arguments);
    }
}
