package dev.probestream.bpf.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.probestream.bpf.HeldKernelObjects;
import dev.probestream.bpf.KernelTest;
import dev.probestream.bpf.internal.syscall.BpfSyscall;
import dev.probestream.bpf.machine.PossibleCpus;
import dev.probestream.bpf.sys.SyscallException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@KernelTest(since = "5.8")
class BpfMapTest {
    @TempDir
    Path folder;

    @Test
    void raisingTheMemoryLockLimitNeverFails() {
        // Whether it succeeds depends on CAP_SYS_RESOURCE.
        assertThat(BpfSyscall.raiseMemoryLockLimit()).isIn(true, false);
    }

    @Test
    void storedValueIsFoundUnderItsKeyUntilItIsDeleted() {
        try (BpfMap map = BpfMap.create(MapSpec.hash("spans", 8, 8, 16))) {
            assertThat(map.lookup(bytes(7))).isEmpty();
            map.update(bytes(7), bytes(1));
            map.update(bytes(7), bytes(49));

            assertThat(map.lookup(bytes(7)).map(ByteBuffer::getLong)).contains(49L);
            assertThat(map.delete(bytes(7))).isTrue();
            assertThat(map.delete(bytes(7))).isFalse();
            assertThat(map.lookup(bytes(7))).isEmpty();
        }
    }

    @Test
    void keysAreWalkedOneByOne() {
        try (BpfMap map = BpfMap.create(MapSpec.hash("spans", 8, 8, 16))) {
            assertThat(map.firstKey()).isEmpty();
            map.update(bytes(1), bytes(10));
            map.update(bytes(2), bytes(20));

            ByteBuffer first = map.firstKey().orElseThrow();
            ByteBuffer second = map.nextKey(first).orElseThrow();
            assertThat(first.getLong(0) + second.getLong(0)).isEqualTo(3);
            assertThat(map.nextKey(second)).isEmpty();
        }
    }

    @Test
    void everyEntryIsShownOnceAlsoInSeveralBatches() {
        try (BpfMap map = filled(2_000)) {
            Map<Long, Long> seen = new HashMap<>();
            map.forEach((key, value) ->
                    assertThat(seen.put(key.getLong(), value.getLong())).isNull());

            assertThat(seen).isEqualTo(squares(2_000));
        }
    }

    @Test
    void everyEntryIsShownOnceKeyByKey() {
        try (BpfMap map = filled(100)) {
            Map<Long, Long> seen = new HashMap<>();
            new MapEntries(map)
                    .byKey((key, value) ->
                            assertThat(seen.put(key.getLong(), value.getLong())).isNull());

            assertThat(seen).isEqualTo(squares(100));
        }
    }

    @Test
    void emptyMapShowsNothing() {
        try (BpfMap map = BpfMap.create(MapSpec.hash("spans", 8, 8, 16))) {
            map.forEach((key, value) -> {
                throw new AssertionError("an entry of an empty map");
            });
        }
    }

    @Test
    void arrayShowsAllItsIndexes() {
        try (BpfMap map = BpfMap.create(MapSpec.array("counts", 8, 3))) {
            map.update(BpfMap.key(1), bytes(5));
            Map<Integer, Long> seen = new HashMap<>();
            map.forEach((key, value) -> seen.put(key.getInt(), value.getLong()));

            assertThat(seen).isEqualTo(Map.of(0, 0L, 1, 5L, 2, 0L));
        }
    }

    @Test
    void perCpuArrayHasOneNumberForEachPossibleCpu() {
        int cpus = PossibleCpus.ofThisMachine().count();
        ByteBuffer perCpu = ByteBuffer.allocate(cpus * Long.BYTES).order(ByteOrder.nativeOrder());
        long[] expected = IntStream.range(0, cpus).mapToLong(cpu -> 100L + cpu).toArray();
        perCpu.asLongBuffer().put(expected);
        try (BpfMap map = BpfMap.create(MapSpec.perCpuArray("losses", 8, 4))) {
            map.update(BpfMap.key(2), perCpu);

            assertThat(map.perCpuLongs(2)).isEqualTo(expected);
            assertThat(map.sumOfLongs(2)).isEqualTo(IntStream.range(0, cpus).sum() + 100L * cpus);
            assertThat(map.sumOfLongs(0)).isZero();
        }
    }

    @Test
    void perCpuValuesOfOddSizesArePaddedToEight() {
        int cpus = PossibleCpus.ofThisMachine().count();
        try (BpfMap map = BpfMap.create(MapSpec.perCpuArray("scratch", 13, 1))) {
            assertThat(map.readSizeBytes()).isEqualTo(16 * cpus);
            assertThat(map.lookup(BpfMap.key(0)).map(ByteBuffer::remaining)).contains(16 * cpus);
        }
    }

    @Test
    void indexBehindTheEndIsNamed() {
        try (BpfMap map = BpfMap.create(MapSpec.perCpuArray("losses", 8, 4))) {
            assertThatThrownBy(() -> map.perCpuLongs(4))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("map losses has no index 4: it has 4 entries");
        }
    }

    @Test
    void keyOfTheWrongSizeIsRefused() {
        try (BpfMap map = BpfMap.create(MapSpec.hash("spans", 8, 8, 16))) {
            assertThatThrownBy(() -> map.lookup(BpfMap.key(1)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("a key of 4 bytes for map spans, whose keys have 8");
            assertThatThrownBy(() -> map.update(bytes(1), BpfMap.key(1)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("a value of 4 bytes for map spans, whose values have 8");
        }
    }

    @Test
    void fullMapSaysWhatCouldNotBeStored() {
        try (BpfMap map = BpfMap.create(MapSpec.hash("spans", 8, 8, 1))) {
            map.update(bytes(1), bytes(1));

            assertThatThrownBy(() -> map.update(bytes(2), bytes(2)))
                    .isInstanceOf(SyscallException.class)
                    .hasMessage("store a value in map spans: E2BIG (Argument list too long)");
        }
    }

    @Test
    void mapTheKernelRefusesLeavesNothingBehind() throws Exception {
        HeldKernelObjects before = HeldKernelObjects.held();

        assertThatThrownBy(() -> BpfMap.create(MapSpec.hash("keyless", 0, 8, 16)))
                .isInstanceOf(SyscallException.class)
                .hasMessage("create map keyless (HASH, 16 entries): EINVAL (Invalid argument)");
        assertThat(HeldKernelObjects.held()).isEqualTo(before);
    }

    @Test
    void closedMapIsGoneFromTheKernel() throws Exception {
        HeldKernelObjects before = HeldKernelObjects.held();
        BpfMap map = BpfMap.create(MapSpec.hash("gone-map", 8, 8, 16));
        assertThat(HeldKernelObjects.named("gone_map")).containsExactly("gone_map");
        map.close();
        map.close();

        assertThat(HeldKernelObjects.held()).isEqualTo(before);
        HeldKernelObjects.awaitGone("gone_map");
        assertThatThrownBy(() -> map.lookup(bytes(1)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("was closed");
    }

    private static BpfMap filled(int entries) {
        BpfMap map = BpfMap.create(MapSpec.hash("squares", 8, 8, entries));
        squares(entries).forEach((key, value) -> map.update(bytes(key), bytes(value)));
        return map;
    }

    private static Map<Long, Long> squares(int entries) {
        return IntStream.range(0, entries).boxed().collect(Collectors.toMap(i -> (long) i, i -> (long) i * i));
    }

    private static ByteBuffer bytes(long value) {
        return ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder()).putLong(0, value);
    }
}
