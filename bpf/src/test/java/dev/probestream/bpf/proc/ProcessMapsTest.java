package dev.probestream.bpf.proc;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class ProcessMapsTest {
    private static final String TEXT = """
            00400000-00b6f000 r--p 00000000 fe:00 260689                             /usr/bin/node
            00b6f000-02600000 r-xp 0076f000 fe:00 260689                             /usr/bin/node
            02600000-02601000 r-xp 02200000 fe:00 260689                             /usr/bin/node
            0622e000-0634f000 rw-p 00000000 00:00 0                                  [heap]
            7f3c14000000-7f3c14021000 rwxp 00000000 00:00 0
            7f3c1a000000-7f3c1a001000 r-xp 00001000 fe:00 77                         /tmp/with a blank\\012and more.so (deleted)
            7f3c1b000000-7f3c1b001000 r-xp 00000000 00:01 99                         /memfd:probes (deleted)
            7ffd3f5d5000-7ffd3f5d7000 r-xp 00000000 00:00 0                          [vdso]
            ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]
            """;

    private final ProcessMaps maps = ProcessMaps.parse(TEXT);

    @Test
    void addressLiesInTheRangeThatCoversIt() {
        assertThat(maps.covering(0x00b6f000).orElseThrow().fileOffsetOf(0x00b6f010))
                .isEqualTo(0x76f010);
        assertThat(maps.covering(0x02600000).orElseThrow().start()).isEqualTo(0x02600000);
        assertThat(maps.covering(0x7ffd3f5d6fffL).orElseThrow().path()).isEqualTo("[vdso]");
        assertThat(maps.covering(0xffffffffff600000L).orElseThrow().path()).isEqualTo("[vsyscall]");
    }

    @Test
    void addressOutsideLiesInNone() {
        assertThat(maps.covering(0)).isEmpty();
        assertThat(maps.covering(0x02601000)).isEmpty();
        assertThat(maps.covering(0x7ffd3f5d7000L)).isEmpty();
        assertThat(maps.covering(-1)).isEmpty();
        assertThat(ProcessMaps.empty().covering(0x400000)).isEmpty();
    }

    @Test
    void codeFilesAreEachNamedOnce() {
        assertThat(maps.codeFiles())
                .extracting(MappedRange::path)
                .containsExactly("/usr/bin/node", "/tmp/with a blank\nand more.so", "/memfd:probes");
    }

    @Test
    void deletedFileIsMarkedAndKeepsItsName() {
        MappedRange deleted = maps.covering(0x7f3c1a000000L).orElseThrow();
        assertThat(deleted.isDeleted()).isTrue();
        assertThat(deleted.fileName()).isEqualTo("with a blank\nand more.so");
        assertThat(maps.covering(0x00400000).orElseThrow().isDeleted()).isFalse();
    }

    @Test
    void memoryOfNoFileIsNone() {
        MappedRange generated = maps.covering(0x7f3c14000000L).orElseThrow();
        assertThat(generated.isFile()).isFalse();
        assertThat(generated.path()).isEmpty();
    }

    @Test
    void lineThatIsNoneIsPassedOver() {
        assertThat(ProcessMaps.parse("hello\n\nx-y r-xp 0 0 0\n00400000-00b6f000 r-x\n")
                        .ranges())
                .isEmpty();
    }

    @Test
    void ownMapsHoldTheJavaVirtualMachine() throws Exception {
        ProcessMaps own = ProcessMaps.read((int) ProcessHandle.current().pid());
        assertThat(own.codeFiles()).extracting(MappedRange::fileName).contains("libjvm.so");
        assertThat(own.codeFiles())
                .extracting(MappedRange::path)
                .contains(Path.of("/proc/self/exe").toRealPath().toString());
    }
}
