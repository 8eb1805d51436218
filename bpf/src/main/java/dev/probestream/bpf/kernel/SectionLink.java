package dev.probestream.bpf.kernel;

import dev.probestream.bpf.tracefs.Tracefs;
import dev.probestream.bpf.tracefs.TracefsException;
import java.io.IOException;
import java.nio.file.Path;

/** Attaches a compiled program where the name of its section says, see {@link ProgramSection}. */
final class SectionLink {
    private SectionLink() {}

    static Link attach(BpfProgram program) throws IOException {
        String name = program.spec().compiled().section();
        ProgramSection section = ProgramSection.parse(name)
                .orElseThrow(() -> new IllegalArgumentException(
                        "attach " + program + ": it was not compiled, so that no section says where"));
        return switch (section.kind()) {
            case UPROBE -> uprobe(program, section, false);
            case URETPROBE -> uprobe(program, section, true);
            case TRACEPOINT -> tracepoint(program, section);
            case RAW_TRACEPOINT -> RawTracepoints.attach(program, withTarget(program, section, "EVENT"));
            case FUNCTION -> RawTracepoints.attach(program, section.target());
            case USDT -> throw refused(program, section, "USDT probes need the arguments of each place");
            case KPROBE -> throw refused(program, section, "kprobes are not supported");
            case PERF_EVENT -> throw refused(program, section, "its section names no event; use CpuClocks");
            case SOCKET -> throw refused(program, section, "sockets are not supported");
        };
    }

    private static Link tracepoint(BpfProgram program, ProgramSection section) throws IOException {
        String[] names = withTarget(program, section, "CATEGORY/EVENT").split("/", -1);
        if (names.length != 2) {
            throw refused(program, section, "it is not named tracepoint/CATEGORY/EVENT");
        }
        try {
            return Tracepoints.attach(
                    program, Tracefs.open().format(names[0], names[1]).id());
        } catch (TracefsException e) {
            throw new IOException("attach " + program + ": " + e.getMessage(), e);
        }
    }

    private static Link uprobe(BpfProgram program, ProgramSection section, boolean isReturn) throws IOException {
        String target = withTarget(program, section, "FILE:FUNCTION");
        int colon = target.lastIndexOf(':');
        if (colon <= 0 || target.indexOf('+', colon) > 0) {
            throw refused(program, section, "it is not named " + section.name() + "/FILE:FUNCTION");
        }
        String function = target.substring(colon + 1);
        try (Executable executable = Executable.open(Path.of(target.substring(0, colon)))) {
            return isReturn ? executable.uretprobe(function, program) : executable.uprobe(function, program);
        }
    }

    private static String withTarget(BpfProgram program, ProgramSection section, String form) {
        if (section.target().isEmpty()) {
            throw refused(program, section, "it does not say where, as " + section.name() + "/" + form + " does");
        }
        return section.target();
    }

    private static IllegalArgumentException refused(BpfProgram program, ProgramSection section, String reason) {
        return new IllegalArgumentException("attach " + program + " of section '" + section.name() + "': " + reason);
    }
}
