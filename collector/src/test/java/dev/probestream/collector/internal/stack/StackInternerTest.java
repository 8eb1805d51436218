package dev.probestream.collector.internal.stack;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.probestream.bpf.elf.ElfFile;
import dev.probestream.bpf.elf.ElfFixture;
import dev.probestream.bpf.elf.ElfSymbol;
import dev.probestream.bpf.machine.CxxDemangler;
import dev.probestream.bpf.proc.MappedRange;
import dev.probestream.bpf.proc.ProcessMaps;
import dev.probestream.collector.internal.resolve.RunningProgram;
import dev.probestream.schema.Frames;
import dev.probestream.schema.record.Frame;
import dev.probestream.schema.record.FrameKind;
import dev.probestream.schema.record.Stack;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StackInternerTest {
    private static final long CAPTURE_ID = 77;
    private static final int SELF = (int) ProcessHandle.current().pid();
    /** Where in the test's samples the addresses begin. */
    private static final int KERNEL_OFFSET = 24;

    private static final int USER_OFFSET = 24 + 32 * 8;

    @TempDir
    Path folder;

    private final List<Stack> said = new ArrayList<>();
    private final Symbolizer symbolizer = new Symbolizer(CxxDemangler.ofThisMachine());
    private final StackInterner table = new StackInterner(CAPTURE_ID, symbolizer, JavaScriptNames.NONE, said::add);
    private final ByteBuffer sample = ByteBuffer.allocateDirect(2048).order(ByteOrder.nativeOrder());

    @AfterEach
    void close() {
        symbolizer.close();
    }

    private long idOf(int pid, long[] kernel, long... user) {
        for (int i = 0; i < kernel.length; i++) {
            sample.putLong(KERNEL_OFFSET + i * 8, kernel[i]);
        }
        for (int i = 0; i < user.length; i++) {
            sample.putLong(USER_OFFSET + i * 8, user[i]);
        }
        return table.idOf(0, pid, sample, KERNEL_OFFSET, kernel.length * 8, USER_OFFSET, user.length * 8, -1);
    }

    private static long[] none() {
        return new long[0];
    }

    private List<Frame> framesOf(long stackId) {
        table.flush();
        return said.stream()
                .filter(stack -> stack.getStackId() == stackId)
                .findFirst()
                .orElseThrow()
                .getFrames();
    }

    /** Where a function of a file is in a process that has mapped the file. */
    private static long addressOf(int pid, Path file, String function) throws Exception {
        try (ElfFile elf = ElfFile.open(file)) {
            ElfSymbol symbol = elf.function(function).orElseThrow();
            long offset = elf.fileOffset(symbol);
            MappedRange range = ProcessMaps.read(pid).codeFiles().stream()
                    .filter(mapped -> mapped.path().equals(file.toString()))
                    .findFirst()
                    .orElseThrow();
            return range.start() - range.fileOffset() + offset;
        }
    }

    /** Larger than the largest pid_max (2^22): there is no such process, as if it had ended. */
    private static final int ENDED = 1 << 23;

    @Test
    void forkedProcessThatHasEndedHasTheMemoryOfItsParent() throws Exception {
        Path program = ElfFixture.compile(folder, "functions.c", "forks", "-pie", "-fPIE");
        try (RunningProgram parent = RunningProgram.start(program.toString())) {
            long address = addressOf(parent.pid(), program, "visible");
            table.prepare(parent.pid(), false);
            table.forked(0, parent.pid(), ENDED);
            table.forked(0, ENDED, ENDED + 1);

            for (int pid : new int[] {ENDED, ENDED + 1}) {
                assertThat(framesOf(idOf(pid, none(), address))).singleElement().satisfies(frame -> {
                    assertThat(frame.getSymbol()).isEqualTo("visible");
                    assertThat(frame.getModule()).isEqualTo(program.toString());
                });
            }
            assertThat(symbolizer.takeWarnings()).isEmpty();

            table.executed(0, ENDED);
            assertThat(framesOf(idOf(ENDED, none(), address))).singleElement().satisfies(frame -> {
                assertThat(frame.getModule()).isEmpty();
                assertThat(frame.getOffset()).isEqualTo(address);
            });
            assertThat(symbolizer.takeWarnings())
                    .singleElement()
                    .asString()
                    .startsWith("some stacks have addresses without files and functions");
        }
    }

    @Test
    void mapsOfAnExecutedProgramAreKeptWhenItEndsBeforeItsFirstStack() throws Exception {
        Path program = ElfFixture.compile(folder, "functions.c", "short", "-pie", "-fPIE");
        table.prepare(SELF, false);
        int pid;
        long address;
        try (RunningProgram ended = RunningProgram.start(program.toString())) {
            pid = ended.pid();
            address = addressOf(pid, program, "visible");
            table.executed(0, pid);
        }

        assertThat(framesOf(idOf(pid, none(), address))).singleElement().satisfies(frame -> {
            assertThat(frame.getSymbol()).isEqualTo("visible");
            assertThat(frame.getModule()).isEqualTo(program.toString());
            assertThat(frame.getOffset()).isPositive();
        });
    }

    @Test
    void sameAddressesHaveTheSameIdAndAreSaidOnce() {
        long first = idOf(SELF, none(), 0x1000, 0x2000);
        long second = idOf(SELF, none(), 0x1000, 0x2000);
        table.flush();
        table.flush();

        assertThat(first).isNotZero().isEqualTo(second);
        assertThat(said).singleElement().satisfies(stack -> {
            assertThat(stack.getCaptureId()).isEqualTo(CAPTURE_ID);
            assertThat(stack.getStackId()).isEqualTo(first);
            assertThat(stack.getFrames()).extracting(Frame::getOffset).containsExactly(0x1000L, 0x2000L);
        });
    }

    @Test
    void differentStacksHaveDifferentIds() {
        Set<Long> ids = new HashSet<>();
        ids.add(idOf(SELF, none(), 0x1000, 0x2000));
        ids.add(idOf(SELF, none(), 0x2000, 0x1000));
        ids.add(idOf(SELF, none(), 0x1000));
        ids.add(idOf(1, none(), 0x1000));
        ids.add(idOf(SELF, new long[] {0x1000}, 0x2000));
        ids.add(idOf(SELF, new long[] {0x1000, 0x2000}));

        assertThat(ids).hasSize(6).doesNotContain(0L);
    }

    @Test
    void kernelStackIsTheSameInEveryProcess() {
        assertThat(idOf(1, new long[] {-0x1000, -0x2000})).isEqualTo(idOf(2, new long[] {-0x1000, -0x2000}));
    }

    @Test
    void stackEndsBeforeWhatCanBeNoAddress() {
        long clean = idOf(SELF, none(), 0x1000, 0x2000);

        assertThat(idOf(SELF, none(), 0x1000, 0x2000, 0x2f68637461726373L, 0x3000))
                .isEqualTo(clean);
        assertThat(idOf(SELF, none(), 0x1000, 0x2000, 5, 0x3000)).isEqualTo(clean);
        assertThat(idOf(SELF, none(), 0x1000, 0x2000, -1)).isEqualTo(clean);
        assertThat(framesOf(clean)).hasSize(2);
    }

    @Test
    void stackThatCouldNotBeReadHasNoId() {
        assertThat(idOf(SELF, none())).isZero();
        assertThat(table.idOf(0, SELF, sample, KERNEL_OFFSET, -14, USER_OFFSET, -95, -1))
                .isZero();
    }

    @Test
    void knownStackCostsNoAllocation() {
        long[] user = {0x1000, 0x2000, 0x3000, 0x4000, 0x5000};
        idOf(SELF, none(), user);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long thread = Thread.currentThread().getId();
        long sum = 0;
        long before = threads.getThreadAllocatedBytes(thread);
        for (int i = 0; i < 100_000; i++) {
            sum += table.idOf(0, SELF, sample, KERNEL_OFFSET, 0, USER_OFFSET, 40, -1);
        }
        long allocated = threads.getThreadAllocatedBytes(thread) - before;

        assertThat(sum).isNotZero();
        // Measuring itself allocates a little.
        assertThat(allocated).isLessThan(10_000);
    }

    @Test
    void stacksAreFlushedWhenTooManyWait() {
        for (int i = 0; i < StackInterner.MAX_PENDING; i++) {
            assertThat(said).isEmpty();
            idOf(SELF, none(), 0x10000 + i);
        }
        assertThat(said).hasSize(StackInterner.MAX_PENDING);
        assertThat(table.pendingCount()).isZero();
    }

    @Test
    void whoKeepsTheLatestStacksOfALiveTableHasEveryOneThatIsNamed() {
        StackInterner live = StackInterner.live(CAPTURE_ID, symbolizer, JavaScriptNames.NONE, said::add);
        Map<Long, Stack> kept = new LinkedHashMap<>();
        Random random = new Random(7);
        int different = 3 * StackInterner.MAX_KNOWN_LIVE;
        for (int round = 0; round < 40; round++) {
            List<Long> named = new ArrayList<>();
            for (int i = 0; i < 1024; i++) {
                sample.putLong(USER_OFFSET, 0x10000 + random.nextInt(different));
                named.add(live.idOf(0, SELF, sample, KERNEL_OFFSET, 0, USER_OFFSET, 8, -1));
            }
            live.flush();
            for (Stack stack : said) {
                kept.remove(stack.getStackId());
                kept.put(stack.getStackId(), stack);
            }
            said.clear();
            while (kept.size() > 2 * StackInterner.MAX_KNOWN_LIVE) {
                kept.remove(kept.keySet().iterator().next());
            }
            assertThat(kept).containsKeys(named.toArray(new Long[0]));
        }
    }

    @Test
    void programThatRunsNowHasOtherStacksThanTheOneBefore() {
        long before = idOf(SELF, none(), 0x1000);
        long ofAnother = idOf(SELF + 1, none(), 0x1000);
        table.forget(SELF);

        assertThat(idOf(SELF, none(), 0x1000)).isNotEqualTo(before);
        assertThat(idOf(SELF + 1, none(), 0x1000)).isEqualTo(ofAnother);
    }

    @Test
    void framesOfAProgramAreNamedByItsSymbols() throws Exception {
        Path program = ElfFixture.compile(folder, "functions.c", "program", "-pie", "-fPIE");
        try (RunningProgram process = RunningProgram.start(program.toString())) {
            long leaf = addressOf(process.pid(), program, "hidden");
            long caller = addressOf(process.pid(), program, "main");
            List<Frame> frames = framesOf(idOf(process.pid(), none(), leaf, caller + 5));

            assertThat(frames).extracting(Frame::getSymbol).containsExactly("hidden", "main");
            assertThat(frames).extracting(Frame::getModule).containsOnly(program.toString());
            assertThat(frames).extracting(Frame::getKind).containsOnly(FrameKind.NATIVE);
            try (ElfFile elf = ElfFile.open(program)) {
                assertThat(frames.get(1).getOffset())
                        .isEqualTo(elf.fileOffset(elf.function("main").orElseThrow()) + 5);
            }
        }
    }

    @Test
    void returnAddressBelongsToTheFunctionThatCalledEvenIfTheCallIsItsLastInstruction() throws Exception {
        Path program = ElfFixture.compile(folder, "functions.c", "program", "-pie", "-fPIE");
        try (RunningProgram process = RunningProgram.start(program.toString());
                ElfFile elf = ElfFile.open(program)) {
            ElfSymbol caller = elf.function("visible").orElseThrow();
            long behind = addressOf(process.pid(), program, "visible") + caller.sizeBytes();

            assertThat(framesOf(idOf(process.pid(), none(), 0x10000, behind))
                            .get(1)
                            .getSymbol())
                    .isIn("visible", "same");
            assertThat(framesOf(idOf(process.pid(), none(), behind)).get(0).getSymbol())
                    .isNotIn("visible", "same");
        }
    }

    @Test
    void framesOfAPreparedProcessAreNamedAlsoWhenItsFileHasGone() throws Exception {
        Path program = ElfFixture.compile(folder, "functions.c", "program", "-pie", "-fPIE");
        long id;
        try (RunningProgram process = RunningProgram.start(program.toString())) {
            table.prepare(process.pid(), false);
            id = idOf(process.pid(), none(), addressOf(process.pid(), program, "hidden"));
            Files.delete(program);
        }
        assertThat(framesOf(id)).extracting(Frame::getSymbol).containsExactly("hidden");
        assertThat(symbolizer.takeWarnings()).isEmpty();
    }

    @Test
    void framesAreNamedAlsoWhenTheProcessHasGone() throws Exception {
        Path program = ElfFixture.compile(folder, "functions.c", "program", "-pie", "-fPIE");
        long id;
        try (RunningProgram process = RunningProgram.start(program.toString())) {
            id = idOf(process.pid(), none(), addressOf(process.pid(), program, "hidden"));
        }
        assertThat(framesOf(id)).extracting(Frame::getSymbol).containsExactly("hidden");
    }

    @Test
    void frameOfAFileThatCannotBeReachedKeepsItsPlaceAndSaysWhy() throws Exception {
        Path program = ElfFixture.compile(folder, "functions.c", "program", "-pie", "-fPIE");
        long id;
        try (RunningProgram process = RunningProgram.start(program.toString())) {
            long address = addressOf(process.pid(), program, "hidden");
            Files.delete(program);
            id = idOf(process.pid(), none(), address);
        }
        Frame frame = framesOf(id).get(0);
        assertThat(frame.getSymbol()).isEmpty();
        assertThat(frame.getModule()).isEqualTo(program.toString());
        assertThat(frame.getOffset()).isPositive();
        assertThat(symbolizer.takeWarnings())
                .singleElement()
                .asString()
                .startsWith("stack frames in " + program + " have no names: process ");
    }

    @Test
    void processThatHadGoneBeforeItsStackWasReadKeepsItsAddresses() throws Exception {
        int pid;
        try (RunningProgram process = RunningProgram.start("sh", "-c", "echo; exec cat")) {
            pid = process.pid();
        }
        assertThat(framesOf(idOf(pid, none(), 0x1234))).containsExactly(Frames.of("", "", 0x1234L, FrameKind.NATIVE));
    }

    @Test
    void libraryLoadedLaterIsFoundInMapsReadAgain() throws Exception {
        // Our own process: a stack is seen, then a library is loaded.
        idOf(SELF, none(), 0x10000);
        Path library = ElfFixture.compile(folder, "functions.c", "liblate.so", "-shared", "-fPIC");
        System.load(library.toString());
        // The first stack after a flush has the maps read again, whatever the time.
        table.flush();
        long id = idOf(SELF, none(), addressOf(SELF, library, "visible"));

        assertThat(framesOf(id)).extracting(Frame::getModule).containsExactly(library.toString());
        assertThat(framesOf(id).get(0).getSymbol()).isIn("visible", "same");
    }

    @Test
    void cxxFrameIsDemangled() throws Exception {
        Path libjvm = ProcessMaps.read(SELF).codeFiles().stream()
                .filter(file -> file.fileName().equals("libstdc++.so.6.0.30")
                        || file.fileName().startsWith("libstdc++"))
                .map(file -> Path.of(file.path()))
                .findFirst()
                .orElseThrow();
        long address = addressOf(SELF, libjvm, "_ZSt9terminatev");

        assertThat(framesOf(idOf(SELF, none(), address)).get(0).getSymbol()).isEqualTo("std::terminate()");
    }

    @Test
    void vdsoFrameIsNamedByTheVdso() throws Exception {
        MappedRange vdso = ProcessMaps.read(SELF).ranges().stream()
                .filter(range -> range.path().equals("[vdso]"))
                .findFirst()
                .orElseThrow();
        Set<String> names = new HashSet<>();
        for (long address = vdso.start(); address < vdso.end(); address += 16) {
            Frame frame = framesOf(idOf(SELF, none(), address)).get(0);
            assertThat(frame.getModule()).isEqualTo("[vdso]");
            assertThat(frame.getOffset()).isEqualTo(address - vdso.start());
            names.add(frame.getSymbol());
        }
        assertThat(names).anyMatch(name -> name.contains("clock_gettime"));
    }

    @Test
    void kernelFramesComeFirstAndAreNamedByKallsyms() throws Exception {
        String[] read = Files.readAllLines(Path.of("/proc/kallsyms")).stream()
                .filter(line -> line.endsWith(" T vfs_read"))
                .findFirst()
                .orElseThrow()
                .split(" ");
        long address = Long.parseUnsignedLong(read[0], 16);
        List<Frame> frames = framesOf(idOf(SELF, new long[] {address, address + 8}, 0x1234));

        assertThat(frames)
                .extracting(Frame::getKind)
                .containsExactly(FrameKind.KERNEL, FrameKind.KERNEL, FrameKind.NATIVE);
        assertThat(frames.get(0))
                .isEqualTo(Frames.of(address == 0 ? "" : "vfs_read", "[kernel]", address, FrameKind.KERNEL));
    }
}
