package dev.probestream.cli.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.probestream.bpf.CProgram;
import dev.probestream.bpf.KernelTest;
import dev.probestream.bpf.elf.ElfFixture;
import dev.probestream.cli.endtoend.fixture.CommandRun;
import dev.probestream.collector.internal.resolve.RunningProgram;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What list prints of files, processes and the kernel. */
class ListTest {
    private static final Pattern HOTSPOT_NOTE = Pattern.compile("Provider: (hotspot)\\n\\s+Name: (.*)\\n");
    private static final String SITE = "  0x[0-9a-f]+, offset 0x[0-9a-f]+, base 0x[0-9a-f]+, ";

    @TempDir
    private static Path folder;

    private static Path program;

    @BeforeAll
    static void compile() throws Exception {
        ElfFixture.needs("gcc");
        program = CProgram.compile(folder, "catalog/probes", "-pie", "-fPIE").executable();
    }

    @Test
    void aFileShowsItsProbesAndItsFunctions() throws Exception {
        CommandRun run = CommandRun.run("list", "-l", program.toString());

        assertThat(run.out().lines())
                .startsWith("usdt:" + program + ":fixture:request", "usdt:" + program + ":fixture:response")
                .contains("uprobe:" + program + ":handle");
        assertThat(run.said())
                .singleElement()
                .asString()
                .matches("[0-9]+ functions, 2 USDT probes at 3 sites in 1 file");
        assertThat(run.exitCode()).isZero();
    }

    @Test
    void inDetailAProbeHasItsSitesAndArguments() throws Exception {
        CommandRun run = CommandRun.run("list", "-l", program.toString(), "-v", "fixture:*");

        List<String> lines = run.out().lines().toList();
        assertThat(lines).hasSize(9);
        assertThat(lines.get(1))
                .matches(SITE + "semaphore 0x[0-9a-f]+, offset 0x[0-9a-f]+, arguments -4@%e\\w+ 8@\\$7");
        assertThat(lines.get(2)).matches("    1: signed 4 bytes in r\\w+");
        assertThat(lines.get(3)).isEqualTo("    2: unsigned 8 bytes, always 7");
        assertThat(lines.get(5)).matches(SITE + "no semaphore, arguments -4@%e\\w+");
    }

    @Test
    void inDetailAFunctionHasItsAddressAndSize() throws Exception {
        CommandRun run = CommandRun.run("list", "-l", program.toString(), "-v", "handle");

        assertThat(run.out().strip())
                .matches(Pattern.quote("uprobe:" + program + ":handle")
                        + "  0x[0-9a-f]+, offset 0x[0-9a-f]+, [0-9]+ bytes");
    }

    @Test
    void everyLineOfJsonIsAnObject() throws Exception {
        CommandRun run = CommandRun.run("list", "-l", program.toString(), "--json");

        List<JsonNode> objects = new ArrayList<>();
        ObjectMapper mapper = new ObjectMapper();
        for (String line : run.out().split("\n")) {
            objects.add(mapper.readTree(line));
        }
        JsonNode request = objects.get(0);
        assertThat(request.get("kind").asText()).isEqualTo("usdt");
        assertThat(request.get("spec").asText()).isEqualTo("usdt:" + program + ":fixture:request");
        JsonNode site = request.get("sites").get(0);
        assertThat(site.get("semaphoreFileOffset").asLong()).isPositive();
        assertThat(site.get("arguments").get(0).get("signed").asBoolean()).isTrue();
        assertThat(site.get("arguments").get(1).get("constant").asLong()).isEqualTo(7);
        assertThat(objects.subList(2, objects.size()))
                .isNotEmpty()
                .allSatisfy(object -> assertThat(object.get("kind").asText()).isEqualTo("function"));
    }

    @Test
    void aJavaProcessHasTheProbesThatReadelfFinds() throws Exception {
        Path library = Path.of(System.getProperty("java.home"), "lib/server/libjvm.so");
        Assumptions.assumeTrue(Files.exists(library), "no " + library);
        Set<String> expected = new TreeSet<>();
        Matcher note = HOTSPOT_NOTE.matcher(ElfFixture.run("readelf", "-n", "-W", library.toString()));
        while (note.find()) {
            expected.add(note.group(1) + ":" + note.group(2));
        }
        Assumptions.assumeFalse(expected.isEmpty(), "a Java without probes");

        // This JVM is one.
        CommandRun run = CommandRun.run(
                "list", "-p", String.valueOf(ProcessHandle.current().pid()), "hotspot:*");

        Set<String> listed = new TreeSet<>();
        run.out().lines().forEach(line -> listed.add(line.substring(line.indexOf(":hotspot:") + 1)));
        assertThat(listed).isEqualTo(expected);
        assertThat(run.out()).startsWith("usdt:/").contains("/libjvm.so:hotspot:class__loaded");
    }

    @Test
    void theArgumentsOfKnownProvidersHaveNames() throws Exception {
        Path library = Path.of(System.getProperty("java.home"), "lib/server/libjvm.so");
        Assumptions.assumeTrue(Files.exists(library), "no " + library);

        CommandRun run = CommandRun.run("list", "-l", library.toString(), "-v", "hotspot:class__loaded");

        assertThat(run.out().lines())
                .anyMatch(line -> line.matches("    1: unsigned 8 bytes .*; \"class\" str\\[arg2\\]"));
    }

    @Test
    void theFunctionsOfAProcessAreCountedUntilAGlobAsks() throws Exception {
        try (RunningProgram running = RunningProgram.start(program.toString())) {
            String pid = String.valueOf(running.pid());
            CommandRun counted = CommandRun.run("list", "-p", pid);
            CommandRun shown = CommandRun.run("list", "-p", pid, "handle");

            assertThat(counted.out()).contains(":fixture:request").doesNotContain("uprobe:");
            assertThat(counted.said())
                    .singleElement()
                    .asString()
                    .matches("[0-9,]+ functions, [0-9]+ USDT probes at [0-9]+ sites in [0-9]+ files;"
                            + " use a GLOB to list functions");
            assertThat(shown.out()).isEqualTo("uprobe:" + program + ":handle\n");
        }
    }

    @Test
    @KernelTest(since = "5.8")
    void withoutTracefsItIsSaidHowToMountIt() throws Exception {
        CommandRun run = CommandRun.start(
                List.of(
                        "unshare",
                        "--mount",
                        "sh",
                        "-c",
                        "umount -l /sys/kernel/debug 2>/dev/null; umount -l /sys/kernel/tracing; exec \"$@\"",
                        "sh",
                        "setpriv",
                        "--reuid=65534",
                        "--clear-groups",
                        "--inh-caps=-all,+dac_read_search",
                        "--ambient-caps=-all,+dac_read_search"),
                List.of("list", "--kernel"));

        assertThat(run.end()).isEqualTo(77);
        assertThat(run.said())
                .singleElement()
                .asString()
                .startsWith("probestream list: look for tracepoints in /sys/kernel/tracing: ")
                .endsWith("as root: mount -t tracefs tracefs /sys/kernel/tracing");
    }

    @Test
    @KernelTest(since = "5.8")
    void theKernelHasSchedSwitchWithItsFields() throws Exception {
        CommandRun run = CommandRun.run("list", "--kernel", "-v", "sched:sched_switch");

        assertThat(run.out().lines())
                .startsWith("tracepoint:sched:sched_switch", "    prev_comm: char[16], 16 bytes")
                .contains("    next_pid: pid_t, 4 bytes, signed");
    }

    @Test
    void aReaderThatHasEnoughEndsItQuietly() throws Exception {
        String libjvm =
                Path.of(System.getProperty("java.home"), "lib/server/libjvm.so").toString();
        Process process =
                new ProcessBuilder("sh", "-c", CommandRun.commandLine("list", "-l", libjvm) + " | head -n 1").start();

        String err = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(out.lines()).hasSize(1);
        assertThat(err).doesNotContain("rror", "xception", "roken");
        assertThat(process.waitFor()).isZero();
    }

    @Test
    void itMustBeSaidWhoseProbes() throws Exception {
        refused(2, "probestream list: no source of probes: use -p PID, -l FILE or --kernel");
        refused(
                2,
                "probestream list: more than one source of probes: use only one of -p PID, -l FILE or --kernel",
                "-p",
                "1",
                "--kernel");
    }

    @Test
    void whatIsNoElfFileIsSaid() throws Exception {
        Path missing = folder.resolve("missing");
        refused(1, "probestream list: cannot read " + missing + ": the file does not exist", "-l", missing.toString());
        Path script = Files.writeString(folder.resolve("script"), "#!/bin/sh\n");
        refused(
                1,
                "probestream list: read ELF file " + script
                        + " at byte 0: is a script, not an ELF file; probe the program that interprets it",
                "-l",
                script.toString());
        refused(
                1,
                "probestream list: read ELF file " + folder + " at byte 0: is not a regular file",
                "-l",
                folder.toString());
    }

    @Test
    void aHostileNoteIsRefusedWithItsPlace() throws Exception {
        byte[] bytes = Files.readAllBytes(program);
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        // The name's length, in the note's header 12 bytes before its owner.
        bytes[text.indexOf("stapsdt\0") - 5 - 4] = 0x7f;
        Path hostile = Files.write(folder.resolve("hostile"), bytes);

        CommandRun run = CommandRun.run("list", "-l", hostile.toString());

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.said())
                .singleElement()
                .asString()
                .matches("probestream list: read ELF file " + Pattern.quote(hostile.toString())
                        + " at byte [0-9]+: the note reaches past the end of its section");
    }

    private static void refused(int exitCode, String message, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of("list"));
        command.addAll(List.of(arguments));
        CommandRun run = CommandRun.run(command.toArray(String[]::new));

        assertThat(run.said().get(0)).isEqualTo(message);
        assertThat(run.exitCode()).isEqualTo(exitCode);
        assertThat(run.out()).isEmpty();
    }
}
