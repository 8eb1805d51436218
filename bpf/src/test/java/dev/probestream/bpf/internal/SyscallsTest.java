package dev.probestream.bpf.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.probestream.bpf.sys.Errno;
import dev.probestream.bpf.sys.SyscallException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SyscallsTest {
    @TempDir
    Path folder;

    @Test
    void refusedCallReturnsMinusItsErrno() {
        long result = Syscalls.kill(Integer.MAX_VALUE, 0);

        assertThat(Errno.ESRCH.is(result)).isTrue();
        assertThat(Errno.EPERM.is(result)).isFalse();
    }

    @Test
    void exceptionSaysWhatWasTriedAndWhatTheKernelSaid() {
        SyscallException refusal =
                catchThrowableOfType(SyscallException.class, () -> Syscalls.check(-1, "create map events"));

        assertThat(refusal).hasMessage("create map events: EPERM (Operation not permitted)");
        assertThat(refusal.errno()).isEqualTo(Errno.EPERM);
    }

    @Test
    void adviceTakesThePlaceOfTheErrnosMeaning() {
        assertThatThrownBy(() -> Syscalls.check(-1, "create map events", "needs CAP_BPF"))
                .isInstanceOf(SyscallException.class)
                .hasMessage("create map events: EPERM (needs CAP_BPF)");
    }

    @Test
    void unknownErrnoKeepsItsNumber() {
        SyscallException refusal = new SyscallException("try", 999, "");

        assertThat(refusal.errno()).isEqualTo(Errno.OTHER);
        assertThat(refusal.errnoNumber()).isEqualTo(999);
        assertThat(refusal).hasMessage("try: errno 999 (Unknown error)");
    }

    @Test
    void sixthArgumentReachesTheKernel() throws Exception {
        Path file = folder.resolve("two-pages");
        byte[] bytes = new byte[2 * PageSize.bytes()];
        bytes[PageSize.bytes()] = 42;
        Files.write(file, bytes);

        // The offset is mmap's sixth argument.
        try (FileDescriptor open = FileDescriptor.open(file);
                MappedMemory second =
                        MappedMemory.map(open.number(), PageSize.bytes(), PageSize.bytes(), false, "the second page")) {
            assertThat(second.buffer().get(0)).isEqualTo((byte) 42);
        }
    }

    @Test
    void mappingSaysWhatCouldNotBeMapped() throws Exception {
        Path file = Files.write(folder.resolve("file"), new byte[1]);
        try (FileDescriptor open = FileDescriptor.open(file)) {
            assertThatThrownBy(() -> MappedMemory.map(open.number(), 1, 4096, false, "file"))
                    .isInstanceOf(SyscallException.class)
                    .hasMessage("map 4096 bytes at 1 of file: EINVAL (Invalid argument)");
        }
    }

    @Test
    void closedMappingGivesNoBufferAndClosesTwice() throws Exception {
        Path file = Files.write(folder.resolve("file"), new byte[1]);
        try (FileDescriptor open = FileDescriptor.open(file)) {
            MappedMemory mapped = MappedMemory.map(open.number(), 0, 1, false, "file");
            mapped.close();
            mapped.close();

            assertThatThrownBy(mapped::buffer).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void closedDescriptorIsNotHandedOutAgain() {
        FileDescriptor open = FileDescriptor.open(folder);
        open.close();
        open.close();

        assertThatThrownBy(open::number)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("was closed");
    }

    @Test
    void missingFileIsNamed() {
        assertThatThrownBy(() -> FileDescriptor.open(Path.of("/no/such/file")))
                .isInstanceOf(SyscallException.class)
                .hasMessage("open /no/such/file: ENOENT (No such file or directory)");
    }

    @Test
    void mountOfAnUnknownFileSystemNamesItAndTheFolder() {
        assertThatThrownBy(() -> Mounts.mount("nosuchfs", folder))
                .isInstanceOf(SyscallException.class)
                .hasMessageStartingWith("mount nosuchfs at " + folder + ": E");
    }
}
