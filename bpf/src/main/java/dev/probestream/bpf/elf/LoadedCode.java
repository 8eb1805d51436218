package dev.probestream.bpf.elf;

import java.util.List;
import java.util.OptionalLong;
import java.util.stream.LongStream;

/**
 * The PT_LOAD segments of a file: they map virtual addresses to file offsets and back. The two differ in most files (in
 * Node's by 0x400000), and a uprobe takes the file offset.
 */
final class LoadedCode {
    private final List<ElfHeaders.Segment> segments;
    /** Start and size of each executable segment, in pairs; used for every symbol. */
    private final long[] executable;

    LoadedCode(List<ElfHeaders.Segment> segments) {
        this.segments = segments.stream()
                .filter(segment -> segment.type() == ElfHeaders.Segment.PT_LOAD && segment.sizeInFileBytes() > 0)
                .toList();
        this.executable = this.segments.stream()
                .filter(ElfHeaders.Segment::isExecutable)
                .flatMapToLong(segment -> LongStream.of(segment.virtualAddress(), segment.sizeInFileBytes()))
                .toArray();
    }

    /** Whether code of the file is loaded to this address. */
    boolean covers(long virtualAddress) {
        for (int i = 0; i < executable.length; i += 2) {
            if (Long.compareUnsigned(virtualAddress - executable[i], executable[i + 1]) < 0) {
                return true;
            }
        }
        return false;
    }

    OptionalLong fileOffset(long virtualAddress) {
        for (ElfHeaders.Segment segment : segments) {
            if (segment.coversAddress(virtualAddress)) {
                return OptionalLong.of(virtualAddress - segment.virtualAddress() + segment.offsetInFile());
            }
        }
        return OptionalLong.empty();
    }

    /** Executable segments first: two segments may share a page of the file. */
    OptionalLong virtualAddress(long fileOffset) {
        OptionalLong inData = OptionalLong.empty();
        for (ElfHeaders.Segment segment : segments) {
            if (segment.coversOffset(fileOffset)) {
                long address = fileOffset - segment.offsetInFile() + segment.virtualAddress();
                if (segment.isExecutable()) {
                    return OptionalLong.of(address);
                }
                inData = OptionalLong.of(address);
            }
        }
        return inData;
    }
}
