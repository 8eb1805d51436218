package dev.probestream.collector.internal.counter;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The limits of the control groups of process 42, in files as the kernel writes them. */
class CpuLimitsTest {
    private static final String STAT =
            "usage_usec 9\nuser_usec 8\nsystem_usec 1\nnr_periods %d\nnr_throttled %d\nthrottled_usec %d\n";

    @TempDir
    private Path folder;

    private Path proc;
    private Path unified;

    @BeforeEach
    void begin() throws IOException {
        proc = folder.resolve("proc");
        unified = folder.resolve("sys/unified");
        write(proc.resolve("self/mountinfo"), mount("/", unified, "cgroup2 cgroup2 rw"));
        write(proc.resolve("42/mountinfo"), "");
    }

    @Test
    void theLimitOfAnAncestorIsFoundWithWhatItDidSinceTheFirstReading() throws IOException {
        write(proc.resolve("42/cgroup"), "0::/pods/app\n");
        Path pods = unified.resolve("pods");
        write(pods.resolve("cpu.max"), "15000 100000\n");
        write(pods.resolve("cpu.stat"), STAT.formatted(100, 50, 7000));
        write(pods.resolve("app/cpu.max"), "max 100000\n");
        CpuLimits limits = new CpuLimits(42);
        ControlGroups groups = new ControlGroups(proc, 42);
        read(limits, groups);
        write(pods.resolve("cpu.stat"), STAT.formatted(488, 386, 16_007_000));

        List<CounterValues> values = read(limits, groups);

        assertThat(values).hasSize(1);
        assertThat(values.get(0).counter()).isEqualTo(ProcessCounter.CPU_LIMIT);
        assertThat(values.get(0).numbers()).containsExactly(15L, 100_000_000L, 388L, 336L, 16_000_000_000L);
    }

    @Test
    void ofSeveralLimitsTheLowestCountsUntilAnotherOneHoldsTheProcessBack() throws IOException {
        write(proc.resolve("42/cgroup"), "0::/pods/app\n");
        Path pods = unified.resolve("pods");
        limit(pods, "200000 100000\n", 0);
        limit(pods.resolve("app"), "50000 100000\n", 0);
        CpuLimits limits = new CpuLimits(42);
        ControlGroups groups = new ControlGroups(proc, 42);

        assertThat(read(limits, groups).get(0).texts())
                .containsExactly(pods.resolve("app/cpu.max").toString());

        limit(pods, "200000 100000\n", 9);

        assertThat(read(limits, groups).get(0).texts())
                .containsExactly(pods.resolve("cpu.max").toString());
    }

    @Test
    void versionOneHasItsOwnFilesAndUnits() throws IOException {
        Path cpu = folder.resolve("sys/cpu,cpuacct");
        write(
                proc.resolve("self/mountinfo"),
                mount("/", unified, "cgroup2 cgroup2 rw") + mount("/", cpu, "cgroup cgroup rw,cpu,cpuacct"));
        write(proc.resolve("42/cgroup"), "4:memory:/other\n3:cpu,cpuacct:/app\n0::/\n");
        write(cpu.resolve("app/cpu.cfs_quota_us"), "15000\n");
        write(cpu.resolve("app/cpu.cfs_period_us"), "50000\n");
        write(cpu.resolve("app/cpu.stat"), "nr_periods 3\nnr_throttled 1\nthrottled_time 500\n");
        write(cpu.resolve("cpu.cfs_quota_us"), "-1\n");
        CpuLimits limits = new CpuLimits(42);
        ControlGroups groups = new ControlGroups(proc, 42);
        read(limits, groups);
        write(cpu.resolve("app/cpu.stat"), "nr_periods 5\nnr_throttled 2\nthrottled_time 1700\n");

        assertThat(read(limits, groups).get(0).numbers()).containsExactly(30L, 50_000_000L, 2L, 1L, 1200L);
    }

    @Test
    void aContainerIsSeenThroughItsOwnMountWhereOursDoesNotShowItsGroup() throws IOException {
        write(proc.resolve("42/cgroup"), "0::/../other\n");
        write(proc.resolve("42/mountinfo"), mount("/../other", Path.of("/sys/fs/cgroup"), "cgroup2 cgroup2 ro"));
        Path inside = proc.resolve("42/root/sys/fs/cgroup");
        limit(inside, "20000 100000\n", 0);

        assertThat(read(new CpuLimits(42), new ControlGroups(proc, 42)).get(0).texts())
                .containsExactly(inside.resolve("cpu.max").toString());
    }

    @Test
    void aProcessWithoutALimitHasNoSuchCounter() throws IOException {
        write(proc.resolve("42/cgroup"), "0::/\n");
        Files.createDirectories(unified);

        assertThat(read(new CpuLimits(42), new ControlGroups(proc, 42))).isEmpty();
    }

    @Test
    void pressureIsReadInNanosecondsAndWhatIsMissingIsUnknown() throws IOException {
        write(
                folder.resolve("memory.pressure"),
                "some avg10=0.00 avg60=0.00 avg300=0.00 total=17\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=5\n");

        assertThat(Pressure.read(folder, ".pressure"))
                .containsExactly(CounterValues.UNKNOWN, 17_000, 5_000, CounterValues.UNKNOWN, CounterValues.UNKNOWN);
    }

    @Test
    void theHypervisorsTimeIsApartFromThatOfTheCpus() throws IOException {
        write(
                proc.resolve("stat"),
                "cpu  10 1 5 70 3 1 1 9 0 0\ncpu0 5 0 3 35 1 1 1 4 0 0\ncpu1 5 1 2 35 2 0 0 5 0 0\nintr 7\n");
        MachineLoad machine = new MachineLoad(proc);
        List<CounterValues> values = new ArrayList<>();

        machine.read();
        machine.add(42, values);

        assertThat(values).hasSize(1);
        assertThat(values.get(0).numbers()).containsExactly(180_000_000L, 730_000_000L, 90_000_000L, 2L);
    }

    private static List<CounterValues> read(CpuLimits limits, ControlGroups groups) throws IOException {
        List<CounterValues> values = new ArrayList<>();
        limits.read(groups.read(), values);
        return values;
    }

    private static void limit(Path group, String max, long throttledUs) throws IOException {
        write(group.resolve("cpu.max"), max);
        write(group.resolve("cpu.stat"), STAT.formatted(10, 1, throttledUs));
    }

    private static String mount(String root, Path point, String typeSourceOptions) {
        return "30 20 0:26 %s %s rw,nosuid shared:4 - %s\n"
                .formatted(root, point.toString().replace(" ", "\\040"), typeSourceOptions);
    }

    private static void write(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }
}
