package dev.probestream.collector.resolve;

import dev.probestream.bpf.usdt.UsdtArgument;
import dev.probestream.collector.process.FileId;
import dev.probestream.collector.process.ProbedFile;
import java.nio.file.Path;
import java.util.List;

/**
 * One instruction in one file: what a uprobe is attached to.
 *
 * @param symbol the function as the file names it (mangled, for C++), or a USDT probe's {@code PROVIDER:NAME}
 * @param file a path that opens the file the process runs; may lead through /proc/PID, and then ends with the process
 * @param fileId of that file: locations of several processes with one FileId and offset take one uprobe
 * @param fileOffset of the instruction, in bytes from the start of the file
 * @param refCtrOffset of a USDT probe's semaphore, in bytes from the start of the file; 0 = there is none
 * @param arguments where a USDT probe's arguments are at this site, with no operand that is a symbol; empty for a function
 */
public record UprobeLocation(
        String symbol, Path file, FileId fileId, long fileOffset, long refCtrOffset, List<UsdtArgument> arguments) {
    public UprobeLocation {
        arguments = List.copyOf(arguments);
    }

    static UprobeLocation ofFunction(String symbol, ProbedFile file, long fileOffset) {
        return new UprobeLocation(symbol, file.file(), file.id(), fileOffset, 0, List.of());
    }
}
