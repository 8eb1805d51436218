package dev.probestream.bpf;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.internal.FileDescriptor;
import dev.probestream.bpf.internal.NativeMemory;
import dev.probestream.bpf.internal.Syscalls;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * What this process holds of the kernel: descriptors of BPF objects, perf events and processes, and mapped maps. Tests
 * take it before and after to show that nothing is left behind.
 *
 * @param descriptors how many of each kind, such as {@code anon_inode:bpf-map}
 * @param mappings lines of /proc/self/maps that are BPF maps
 */
public record HeldKernelObjects(Map<String, Integer> descriptors, List<String> mappings) {
    // enum bpf_cmd and union bpf_attr in linux/bpf.h
    private static final int BPF_PROG_GET_NEXT_ID = 11;
    private static final int BPF_MAP_GET_NEXT_ID = 12;
    private static final int BPF_PROG_GET_FD_BY_ID = 13;
    private static final int BPF_MAP_GET_FD_BY_ID = 14;
    private static final int BPF_OBJ_GET_INFO_BY_FD = 15;
    private static final int PROGRAM_NAME_OFFSET = 64;
    private static final int MAP_NAME_OFFSET = 24;

    /** What this process holds now. */
    public static HeldKernelObjects held() throws IOException {
        Map<String, Integer> descriptors = new TreeMap<>();
        try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
            for (Path file : files.toList()) {
                String target = target(file);
                if (target.matches("anon_inode:(bpf.*|\\[(perf_event|pidfd)\\])")) {
                    descriptors.merge(target, 1, Integer::sum);
                }
            }
        }
        List<String> mappings = Files.readAllLines(Path.of("/proc/self/maps")).stream()
                .filter(line -> line.contains("bpf-map"))
                .toList();
        return new HeldKernelObjects(descriptors, mappings);
    }

    /**
     * Waits until the kernel lists no program and no map whose name begins like this: it takes objects apart a little
     * after their last user is gone.
     */
    public static void awaitGone(String namePrefix) {
        long startNs = System.nanoTime();
        while (!named(namePrefix).isEmpty()) {
            assertThat(System.nanoTime() - startNs)
                    .as("BPF objects left behind: %s", named(namePrefix))
                    .isLessThan(TimeUnit.SECONDS.toNanos(60));
            Thread.onSpinWait();
        }
    }

    /** Names of all programs and maps of the machine that begin like this. */
    public static List<String> named(String prefix) {
        List<String> names = new ArrayList<>();
        names.addAll(names(BPF_PROG_GET_NEXT_ID, BPF_PROG_GET_FD_BY_ID, PROGRAM_NAME_OFFSET));
        names.addAll(names(BPF_MAP_GET_NEXT_ID, BPF_MAP_GET_FD_BY_ID, MAP_NAME_OFFSET));
        names.removeIf(name -> !name.startsWith(prefix));
        return names;
    }

    private static List<String> names(int nextIdCommand, int openCommand, int nameOffset) {
        List<String> names = new ArrayList<>();
        NativeMemory attr = NativeMemory.allocate(12);
        while (Syscalls.bpf(nextIdCommand, attr) == 0) {
            int id = attr.getInt(4);
            long fd = Syscalls.bpf(openCommand, NativeMemory.allocate(12).putInt(0, id));
            if (fd >= 0) {
                try (var descriptor = FileDescriptor.of(fd, "open BPF object", "")) {
                    NativeMemory info = NativeMemory.allocate(256);
                    NativeMemory infoAttr = NativeMemory.allocate(16)
                            .putInt(0, descriptor.number())
                            .putInt(4, 256)
                            .putPointer(8, info);
                    Syscalls.bpf(BPF_OBJ_GET_INFO_BY_FD, infoAttr);
                    names.add(info.getString(nameOffset, 16));
                }
            }
            attr = NativeMemory.allocate(12).putInt(0, id);
        }
        return names;
    }

    private static String target(Path file) throws IOException {
        try {
            return Files.readSymbolicLink(file).toString();
        } catch (NoSuchFileException e) {
            return ""; // the descriptor of the listing itself
        }
    }
}
