package dev.probestream.collector.internal.syscall;

import dev.probestream.bpf.asm.RegisterTable;
import dev.probestream.collector.internal.program.layout.SyscallLayout;
import dev.probestream.collector.internal.program.layout.SyscallProbes;
import dev.probestream.collector.internal.program.layout.SyscallTexts;
import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.collector.probe.ArgumentType;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;

/**
 * The system calls of a machine by number, read from the resource {@code dev/probestream/syscalls/MACHINE.txt}, which
 * names its source. A call that is newer than the table is identified by its number only.
 */
public final class SyscallTable {
    private static final Map<String, ArgumentType.Form> FORMS = Map.of(
            "s8", ArgumentType.Form.S8,
            "u8", ArgumentType.Form.U8,
            "s16", ArgumentType.Form.S16,
            "u16", ArgumentType.Form.U16,
            "s32", ArgumentType.Form.S32,
            "u32", ArgumentType.Form.U32,
            "s64", ArgumentType.Form.S64,
            "u64", ArgumentType.Form.U64,
            "ptr", ArgumentType.Form.PTR);

    private final Map<Integer, SyscallSignature> byNumber;

    private SyscallTable(Map<Integer, SyscallSignature> byNumber) {
        this.byNumber = Map.copyOf(byNumber);
    }

    /**
     * Loads the table for the machine on which Java runs.
     *
     * @throws UnsupportedOperationException when none is known
     */
    public static SyscallTable ofThisMachine() {
        String architecture = System.getProperty("os.arch");
        return of(RegisterTable.ofJavaArchitecture(architecture)
                .orElseThrow(() -> new UnsupportedOperationException(
                        "look for a system call on " + architecture + ": only x86-64 and aarch64 are known")));
    }

    /** Loads the table for the machine with these registers. */
    public static SyscallTable of(RegisterTable registers) {
        String machine = switch (registers) {
            case X86_64 -> "x86-64";
            case AARCH64 -> "aarch64";
        };
        String resource = "/dev/probestream/syscalls/" + machine + ".txt";
        try (InputStream in = Objects.requireNonNull(SyscallTable.class.getResourceAsStream(resource), resource);
                BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
            Map<Integer, SyscallSignature> byNumber = new HashMap<>();
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (!line.startsWith("#")) {
                    String[] words = line.split(" ");
                    byNumber.put(Integer.parseInt(words[0]), signature(words));
                }
            }
            return new SyscallTable(byNumber);
        } catch (IOException e) {
            throw new UncheckedIOException("read the system calls " + resource, e);
        }
    }

    private static SyscallSignature signature(String[] words) {
        String name = words[1].replaceAll("[?!]$", "");
        if (words[1].endsWith("?")) {
            return SyscallSignature.unknown(name, SyscallLayout.MAX_ARGUMENTS);
        }
        List<ArgumentSpec> arguments = new ArrayList<>();
        for (int i = 2; i < words.length; i++) {
            String[] nameAndType = words[i].split(":");
            arguments.add(SyscallSignature.argument(nameAndType[0], type(nameAndType[1])));
        }
        return SyscallSignature.of(name, arguments, words[1].endsWith("!"));
    }

    private static ArgumentType type(String word) {
        return word.equals("str")
                ? ArgumentType.string(SyscallTexts.CAPACITY_BYTES)
                : ArgumentType.number(Objects.requireNonNull(FORMS.get(word), word));
    }

    /** The number of the call of this name on this machine; empty if it has none. */
    public OptionalInt number(String name) {
        return byNumber.entrySet().stream()
                .filter(call -> call.getValue().name().equals(name))
                .mapToInt(Map.Entry::getKey)
                .findFirst();
    }

    /** The names of all calls, in no order. */
    public List<String> names() {
        return byNumber.values().stream().map(SyscallSignature::name).toList();
    }

    /** The signature of a system call. A call with an unknown number is named {@code sys_NUMBER}. */
    public SyscallSignature signature(int number) {
        SyscallSignature known = byNumber.get(number);
        if (known != null) {
            return known;
        }
        boolean isLastPlace = number >= SyscallProbes.COUNT - 1;
        return SyscallSignature.unknown(isLastPlace ? "sys_other" : "sys_" + number, SyscallLayout.MAX_ARGUMENTS);
    }
}
