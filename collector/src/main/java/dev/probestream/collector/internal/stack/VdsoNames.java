package dev.probestream.collector.internal.stack;

import dev.probestream.bpf.elf.ElfFile;
import dev.probestream.bpf.elf.ElfSymbol;
import dev.probestream.bpf.proc.MappedRange;
import dev.probestream.bpf.proc.ProcessMaps;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Looks up names of code in the vDSO (vdso(7)), which is in no file. The kernel maps the same image into this process,
 * where it is read.
 */
final class VdsoNames {
    private static final int MAX_BYTES = 1 << 16;

    private @Nullable ElfFile image;
    private boolean isRead;

    /** The function that covers a byte of the vDSO, or "". */
    String nameOf(long offset) {
        if (!isRead) {
            isRead = true;
            image = readOurs().orElse(null);
        }
        try {
            return image == null
                    ? ""
                    : image.functionCovering(offset).map(ElfSymbol::name).orElse("");
        } catch (IOException e) {
            image = null;
            return "";
        }
    }

    /** Empty if the vDSO is disabled (vdso=0) or this process may not read its own memory. */
    private static Optional<ElfFile> readOurs() {
        int self = Math.toIntExact(ProcessHandle.current().pid());
        try (FileChannel memory = FileChannel.open(Path.of("/proc/self/mem"), StandardOpenOption.READ)) {
            Optional<MappedRange> vdso = ProcessMaps.read(self).ranges().stream()
                    .filter(range -> range.path().equals(Symbolizer.VDSO))
                    .findFirst();
            if (vdso.isEmpty()) {
                return Optional.empty();
            }
            long start = vdso.get().start();
            ByteBuffer bytes = ByteBuffer.allocate((int) Math.min(vdso.get().end() - start, MAX_BYTES));
            int count = 0;
            while (bytes.hasRemaining() && count >= 0) {
                count = memory.read(bytes, start + bytes.position());
            }
            return Optional.of(ElfFile.parse(Symbolizer.VDSO, bytes.flip()));
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
