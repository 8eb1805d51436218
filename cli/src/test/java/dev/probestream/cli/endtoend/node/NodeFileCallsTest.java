package dev.probestream.cli.endtoend.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelTest;
import dev.probestream.cli.endtoend.fixture.CommandRun;
import dev.probestream.cli.endtoend.fixture.NodeFixture;
import dev.probestream.cli.endtoend.fixture.RecordedFile;
import dev.probestream.cli.endtoend.fixture.RecordedFile.RecordedEvent;
import dev.probestream.cli.node.NodeBinary;
import dev.probestream.schema.record.EventKind;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every call of the file system that the program file-calls.js makes, with its arguments, on each version of Node.js. */
@KernelTest(since = "5.8")
class NodeFileCallsTest {
    /** What every call has; AsyncContextTest looks at it. */
    private static final Set<String> ASYNC_CONTEXT =
            Set.of("async_id", "trigger_id", "context", "trace_id", "span_id", "served_stream");

    private static final String NODES = "dev.probestream.cli.endtoend.fixture.NodeVersions#all";

    /** What the program asks for; FILE is its file, FD a descriptor. open(2): O_RDWR, O_CREAT, O_TRUNC are 578. */
    private static final List<String> CALLS = """
            uv_fs_open {flags=578, mode=416, path=FILE} FD
            uv_fs_write {buffers=1, fd=FD, offset=0} 5
            uv_fs_read {buffers=1, fd=FD, offset=1} 3
            uv_fs_fstat {fd=FD} 0
            uv_fs_ftruncate {fd=FD, length=4} 0
            uv_fs_fchmod {fd=FD, mode=384} 0
            uv_fs_fchown {fd=FD, gid=0, uid=0} 0
            uv_fs_fsync {fd=FD} 0
            uv_fs_fdatasync {fd=FD} 0
            uv_fs_futime {fd=FD} 0
            uv_fs_close {fd=FD} 0
            uv_fs_lstat {path=FILE} 0
            uv_fs_access {mode=4, path=FILE} 0
            uv_fs_chmod {mode=420, path=FILE} 0
            uv_fs_chown {gid=0, path=FILE, uid=0} 0
            uv_fs_lchown {gid=0, path=FILE, uid=0} 0
            uv_fs_utime {path=FILE} 0
            uv_fs_lutime {path=FILE} 0
            uv_fs_link {new_path=FILE.link, path=FILE} 0
            uv_fs_symlink {flags=0, new_path=FILE.symlink, path=FILE} 0
            uv_fs_readlink {path=FILE.symlink} 0
            uv_fs_realpath {path=FILE} 0
            uv_fs_rename {new_path=FILE.renamed, path=FILE.link} 0
            uv_fs_unlink {path=FILE.renamed} 0
            uv_fs_mkdir {mode=488, path=FILE.folder} 0
            uv_fs_scandir {flags=0, path=FILE.folder} 0
            uv_fs_opendir {path=FILE.folder} 0
            uv_fs_readdir {} 0
            uv_fs_closedir {} 0
            uv_fs_rmdir {path=FILE.folder} 0
            uv_fs_mkdtemp {path=FILE.newXXXXXX} 0
            uv_fs_copyfile {flags=1, new_path=FILE.copy, path=FILE} 0
            uv_fs_open {flags=0, mode=438, path=none} -2""".lines().toList();

    @TempDir
    private Path folder;

    @ParameterizedTest
    @MethodSource(NODES)
    void everyCallIsRecordedWithItsArgumentsAndItsResult(NodeBinary node) throws Exception {
        Path recording = folder.resolve("calls.avro");
        Path files = Files.createDirectory(folder.resolve("files"));
        try (NodeFixture program = NodeFixture.start(node, folder, "file-calls.js");
                CommandRun record = CommandRun.start(
                        "record", "-p", program.pid(), "-o", recording.toString(), "--probes", "node-fs,node-pool")) {
            record.awaitRecording();
            assertThat(program.ask("sync " + files)).isEqualTo("done");
            assertThat(program.ask("async " + files)).isEqualTo("done");
            assertThat(record.interrupt().end()).isZero();
        }
        RecordedFile recorded = RecordedFile.read(recording);
        assertThat(recorded.lost()).isZero();

        List<RecordedEvent> calls = recorded.events().stream()
                .filter(event -> event.probe().getName().startsWith("uv_fs_"))
                .toList();
        List<RecordedEvent> synchronous = ofKind(calls, EventKind.SPAN).stream()
                .filter(call -> call.tid() == call.pid() && isWithin(files, call))
                .toList();
        assertThat(synchronous.stream().map(call -> text(call, files, "s", call.returnValue())))
                .as("in the order of their ends; the parts of a copyfile are calls of their own")
                .containsExactlyElementsOf(withPartsOfCopy());

        List<RecordedEvent> works = recorded.events("uv__fs_work");
        List<RecordedEvent> asynchronous = ofKind(calls, EventKind.INSTANT);
        assertThat(works).hasSameSizeAs(asynchronous);
        assertThat(recorded.events("uv__fs_done")).hasSameSizeAs(asynchronous);
        assertThat(asynchronous.stream()
                        .map(call -> text(
                                call, files, "a", (long) workOf(call, works).argument("result"))))
                .containsExactlyElementsOf(CALLS);
        assertThat(asynchronous).allSatisfy(call -> {
            RecordedEvent work = workOf(call, works);
            assertThat(work.arguments().get("path")).isEqualTo(pathOnceDone(call, work));
            assertThat(work.label("type")).isEqualTo(call.probe().getName().substring("uv_fs_".length()));
            assertThat(work.tid()).isNotEqualTo(work.pid());
        });
        assertThat(calls).allMatch(call -> call.probe().getCategory().equals("node-fs"));
    }

    /** Of those with a descriptor or a folder, which have no path, all. */
    private static boolean isWithin(Path files, RecordedEvent call) {
        Object path = call.arguments().get("path");
        boolean isTerminal = Long.valueOf(1).equals(call.arguments().get("fd"));
        return path == null ? !isTerminal : path.toString().startsWith(files.toString());
    }

    private static List<String> withPartsOfCopy() {
        return CALLS.stream()
                .flatMap(call -> call.startsWith("uv_fs_copyfile")
                        ? List.of(
                                "uv_fs_open {flags=0, mode=0, path=FILE} FD",
                                "uv_fs_open {flags=193, mode=33188, path=FILE.copy} FD",
                                "uv_fs_sendfile {fd=FD, in_fd=FD, length=4, offset=0} 4",
                                call)
                                .stream()
                        : List.of(call).stream())
                .toList();
    }

    /** The name of a new folder is made in the request itself. */
    private static @Nullable Object pathOnceDone(RecordedEvent call, RecordedEvent work) {
        Map<String, Object> arguments = work.arguments();
        return call.probe().getName().equals("uv_fs_mkdtemp")
                ? arguments.get("path")
                : call.arguments().get("path");
    }

    private static RecordedEvent workOf(RecordedEvent call, List<RecordedEvent> works) {
        return works.stream()
                .filter(work -> work.timestampNs() > call.timestampNs()
                        && work.argument("request").equals(call.argument("request")))
                .findFirst()
                .orElseThrow();
    }

    private static List<RecordedEvent> ofKind(List<RecordedEvent> calls, EventKind kind) {
        return calls.stream().filter(call -> call.probe().getKind() == kind).toList();
    }

    private static String text(RecordedEvent call, Path files, String file, long result) {
        Map<String, Object> shown = new TreeMap<>(call.arguments());
        shown.keySet().removeAll(Set.of("request", "callback", "directory"));
        shown.keySet().removeAll(ASYNC_CONTEXT);
        shown.replaceAll((name, value) -> name.endsWith("fd")
                ? "FD"
                : value.toString().replace(files + "/" + file, "FILE").replace(files + "/", ""));
        boolean isDescriptor = call.probe().getName().equals("uv_fs_open") && result >= 0;
        return call.probe().getName() + " " + shown + " " + (isDescriptor ? "FD" : Long.toString(result));
    }
}
