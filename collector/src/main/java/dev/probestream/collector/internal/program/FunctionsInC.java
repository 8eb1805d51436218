package dev.probestream.collector.internal.program;

import dev.probestream.bpf.asm.Instruction;
import dev.probestream.bpf.btf.BtfFile;
import dev.probestream.bpf.kernel.ObjectsSpec;
import dev.probestream.bpf.object.BpfObjectException;
import dev.probestream.bpf.object.KernelFacts;
import dev.probestream.bpf.object.ObjectFile;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The functions that assembled programs call, written in C: {@code src/main/bpf}. Their object is built by {@code -Pbpf} and
 * is part of the source, so that a build needs no clang.
 */
public final class FunctionsInC {
    private static final String OBJECT = "probestream.bpf.o";
    private static final String FOLDER = "/dev/probestream/collector/";

    /** The function of the object whose type and line assembled programs get. */
    private static final String STAND_IN = "assembled_program";

    /** Those that read structures of the kernel, whose types they are linked with. */
    private static final Set<String> OF_KERNEL = Set.of(
            "find_socket",
            "follow_child",
            "leave_cpu",
            "preempted_by",
            "read_ids",
            "read_socket_end",
            "record_exit",
            "record_fork",
            "record_signal",
            "record_switch",
            "record_waking",
            "translate_ids");

    private FunctionsInC() {}

    /** How the types of the running kernel are read, if a function needs them. */
    public interface KernelTypesReader {
        /** {@return the types} */
        BtfFile read() throws IOException;
    }

    /**
     * {@return the maps and programs of a plan; behind each program stand the functions that it calls}
     *
     * @param plan of programs whose names differ
     */
    public static ObjectsSpec link(ProgramPlan plan) {
        return link(plan, BtfFile::ofKernel);
    }

    /** The same with types of the kernel that may have been read before. */
    public static ObjectsSpec link(ProgramPlan plan, KernelTypesReader types) {
        return link(
                new ObjectsSpec(
                        plan.maps(),
                        plan.programs().stream().map(PlannedProgram::program).toList()),
                types);
    }

    /**
     * {@return the same for any programs}
     *
     * @param assembled maps and programs, which may use other maps as well
     */
    public static ObjectsSpec link(ObjectsSpec assembled) {
        return link(assembled, BtfFile::ofKernel);
    }

    private static ObjectsSpec link(ObjectsSpec assembled, KernelTypesReader types) {
        Set<String> called = assembled.programs().stream()
                .flatMap(program -> program.instructions().stream())
                .filter(Instruction::isLinkedCall)
                .map(Instruction::symbol)
                .collect(Collectors.toSet());
        if (called.isEmpty()) {
            return assembled;
        }
        try {
            // Nothing else of the kernel is needed: the functions have no variables and no maps of their own.
            KernelFacts kernel = Collections.disjoint(called, OF_KERNEL)
                    ? KernelFacts.NONE
                    : new KernelFacts(Optional.of(types.read()), 0, 1);
            return ObjectFile.parse(OBJECT, ByteBuffer.wrap(bytes())).link(assembled, STAND_IN, kernel);
        } catch (BpfObjectException e) {
            throw new IllegalStateException("the functions of the collector do not fit to its programs", e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static byte[] bytes() throws IOException {
        try (InputStream in = FunctionsInC.class.getResourceAsStream(FOLDER + OBJECT)) {
            return Objects.requireNonNull(in, "no resource " + FOLDER + OBJECT).readAllBytes();
        }
    }
}
