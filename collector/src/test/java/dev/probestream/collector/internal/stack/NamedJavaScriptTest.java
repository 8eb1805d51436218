package dev.probestream.collector.internal.stack;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.machine.CxxDemangler;
import dev.probestream.collector.internal.program.layout.JavaScriptRoom;
import dev.probestream.schema.Frames;
import dev.probestream.schema.record.Frame;
import dev.probestream.schema.record.FrameKind;
import dev.probestream.schema.record.Stack;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class NamedJavaScriptTest {
    private static final int SELF = (int) ProcessHandle.current().pid();
    private static final int ROOM_OFFSET = 512;

    /** What each SharedFunctionInfo of the test is called; innermost first. */
    private final Map<Long, List<String>> functions = new HashMap<>();

    /** Of the call, by the SharedFunctionInfo. */
    private final Map<Long, Integer> lines = new HashMap<>();

    private List<Frame> leafFrames = List.of();
    private final List<Integer> forgotten = new ArrayList<>();
    private final JavaScriptNames names = new JavaScriptNames() {
        @Override
        public Named named(int pid, long leaf, JavaScriptEntries entries) {
            List<List<Frame>> named = new ArrayList<>();
            for (int i = 0; i < entries.count(); i++) {
                long sharedFunctionInfo = entries.sharedFunctionInfo(i);
                named.add(functions.getOrDefault(sharedFunctionInfo, List.of()).stream()
                        .map(name -> called(name, lines.getOrDefault(sharedFunctionInfo, 0)))
                        .toList());
            }
            return new Named(leafFrames, named);
        }

        @Override
        public void forget(int pid) {
            forgotten.add(pid);
        }
    };
    private final List<Stack> emitted = new ArrayList<>();
    private final Symbolizer symbolizer = new Symbolizer(CxxDemangler.ofThisMachine());
    private final StackInterner stacks = new StackInterner(1, symbolizer, names, emitted::add);
    private final ByteBuffer sample = ByteBuffer.allocateDirect(4096).order(ByteOrder.nativeOrder());

    @AfterEach
    void close() {
        symbolizer.close();
    }

    private static Frame called(String name, int callLine) {
        Frame frame = Frames.of(name, "", 0, FrameKind.JS, "/app.js", 7);
        frame.setCallLine(callLine);
        return frame;
    }

    @Test
    void namedFramesStandInPlaceOfTheirAddresses() {
        functions.put(11L, List.of("inner"));
        functions.put(22L, List.of("outer"));
        idOf(new long[] {0x5000, 0x6000, 0x7000, 0x8000}, 0, entry(0x6000, 11), entry(0x8000, 22));
        assertThat(symbols()).containsExactly("@5000", "inner", "@7000", "outer");
    }

    @Test
    void stacksThatDifferInTheLineOfACallAreTwo() {
        functions.put(11L, List.of("caller"));
        functions.put(22L, List.of("caller"));
        lines.put(22L, 9);
        assertThat(idOf(new long[] {0x5000, 0x6000}, 0, entry(0x6000, 11)))
                .isNotEqualTo(idOf(new long[] {0x5000, 0x6000}, 0, entry(0x6000, 22)));
    }

    @Test
    void inlinedFunctionsComeBeforeTheFunctionTheyAreIn() {
        functions.put(11L, List.of("inlined", "compiled"));
        idOf(new long[] {0x5000, 0x6000}, 0, entry(0x6000, 11));
        assertThat(symbols()).containsExactly("@5000", "inlined", "compiled");
    }

    @Test
    void aFrameOfUnknownAddressStandsBehindTheLeaf() {
        functions.put(11L, List.of("caller"));
        idOf(new long[] {0x5000, 0x6000}, 0, entry(0, 11));
        assertThat(symbols()).containsExactly("@5000", "caller", "@6000");
    }

    @Test
    void aFrameOfUnknownAddressThatTheLeafIsInStandsInItsPlace() {
        leafFrames = List.of(Frames.of("running", "", 0, FrameKind.JS, "/app.js", 9));
        idOf(new long[] {0x5000, 0x6000}, 0, entry(0, 11));
        assertThat(symbols()).containsExactly("running", "@6000");
    }

    @Test
    void framesThatTheAddressesDoNotReachStandBehindThem() {
        functions.put(11L, List.of("inner"));
        functions.put(22L, List.of("outer"));
        functions.put(33L, List.of("outermost"));
        idOf(new long[] {0x5000, 0x6000, 0x7000}, 0, entry(0x6000, 11), entry(0x8000, 22), entry(0x9000, 33));
        assertThat(symbols()).containsExactly("@5000", "inner", "@7000", "outer", "outermost");
    }

    @Test
    void asyncCallersFollowTheInnermostJavaScriptWhereNoFrameRunsMicrotasks() {
        functions.put(11L, List.of("continued"));
        functions.put(22L, List.of("awaiting"));
        idOf(new long[] {0x5000, 0x6000, 0x7000}, 0, entry(0x5000, 11), entry(1, 22));
        assertThat(symbols()).containsExactly("continued", "awaiting", "@6000", "@7000");
    }

    @Test
    void asyncCallersStandBeforeTheFrameThatRunsMicrotasks() {
        functions.put(1L, List.of("continued"));
        functions.put(2L, List.of("awaiting"));
        NamedJavaScript named = NamedJavaScript.placed(
                new long[] {0x5000, 0x6000, 0x7000},
                new JavaScriptEntries(0, 0, new long[] {0x5000, 1, 0, 1, 2, 0}),
                names.named(SELF, 0, new JavaScriptEntries(0, 0, new long[] {0x5000, 1, 0, 1, 2, 0})));
        UserFrames frames = new UserFrames(named);
        frames.addNamed();
        frames.add(Frames.of("node::something", "", 0, FrameKind.NATIVE));
        frames.add(Frames.of("Builtins_RunMicrotasks", "", 0, FrameKind.NATIVE));
        assertThat(frames.merged().stream().map(Frame::getSymbol))
                .containsExactly("continued", "node::something", "awaiting", "Builtins_RunMicrotasks");
    }

    @Test
    void anEntryWithoutANameLeavesTheAddressToTheOtherNames() {
        functions.put(22L, List.of("outer"));
        idOf(new long[] {0x5000, 0x6000}, 0, entry(0x5000, 11), entry(0x6000, 22));
        assertThat(symbols()).containsExactly("@5000", "outer");
    }

    @Test
    void theSameFunctionsAreTheSameStackAfterACollectionMovedThem() {
        functions.put(11L, List.of("f"));
        functions.put(33L, List.of("f"));
        long before = idOf(new long[] {0x5000, 0x6000}, 0, entry(0x6000, 11));
        long after = idOf(new long[] {0x5000, 0x7000}, 2, entry(0x7000, 33));
        assertThat(after).isEqualTo(before);
        stacks.flush();
        assertThat(emitted).hasSize(1);
    }

    @Test
    void otherFunctionsAtTheSameAddressesAreAnotherStack() {
        functions.put(11L, List.of("f"));
        functions.put(33L, List.of("g"));
        long one = idOf(new long[] {0x5000}, 0, entry(0x5000, 11));
        assertThat(idOf(new long[] {0x5000}, 0, entry(0x5000, 33))).isNotEqualTo(one);
    }

    @Test
    void aProcessThatExecutesAnotherProgramIsForgotten() {
        stacks.executed(0, 4711);
        stacks.forget(4712);
        assertThat(forgotten).containsExactly(4711, 4712);
    }

    private static long[] entry(long pc, long sharedFunctionInfo) {
        return new long[] {pc, sharedFunctionInfo, 0};
    }

    private long idOf(long[] user, long relocations, long[]... entries) {
        for (int i = 0; i < user.length; i++) {
            sample.putLong(i * 8, user[i]);
        }
        sample.putInt(ROOM_OFFSET, entries.length);
        sample.putLong(ROOM_OFFSET + JavaScriptRoom.RELOCATIONS_OFFSET, relocations);
        int at = ROOM_OFFSET + JavaScriptRoom.ENTRIES_OFFSET;
        for (long[] entry : entries) {
            for (long word : entry) {
                sample.putLong(at, word);
                at += 8;
            }
        }
        return stacks.idOf(0, SELF, sample, 256, 0, 0, user.length * 8, ROOM_OFFSET);
    }

    private List<String> symbols() {
        stacks.flush();
        return emitted.get(emitted.size() - 1).getFrames().stream()
                .map(frame ->
                        frame.getSymbol().isEmpty() ? "@" + Long.toHexString(frame.getOffset()) : frame.getSymbol())
                .toList();
    }
}
