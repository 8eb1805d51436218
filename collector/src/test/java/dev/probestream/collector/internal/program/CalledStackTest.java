package dev.probestream.collector.internal.program;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Instruction;
import dev.probestream.bpf.asm.Register;
import dev.probestream.bpf.kernel.AttachType;
import dev.probestream.bpf.kernel.CompiledCode.FunctionStart;
import dev.probestream.bpf.kernel.ObjectsSpec;
import dev.probestream.bpf.kernel.ProgramSpec;
import dev.probestream.bpf.kernel.ProgramType;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The functions in C take as much of the stack as programs reserve for them. */
class CalledStackTest {
    private static final int STEP_BYTES = 32;
    private static final int CLASS_MASK = 7;
    private static final int ALU64 = 7;
    private static final int LOAD = 1;
    private static final int STORE = 2;
    private static final int STORE_REGISTER = 3;

    @ParameterizedTest
    @CsvSource({
        "v8_frames, 160",
        "read_async_context, 192",
        "find_uv_stream, 96",
        "find_uv_reader, 224",
        "find_served_stream, 224",
        "copy_write, 96",
        "copy_write_without_loops, 96",
        "copy_read, 32",
        "room_of_write, 32",
        "count_write, 32",
        "count_read, 32",
        "enter_write, 32",
        "may_write_to_database, 32",
        "may_read_from_database, 32",
        "entry_of_write, 32",
        "bytes_read_from, 32",
        "close_stream, 32",
        "find_web_socket, 64",
        "begin_web_socket, 128",
        "begin_web_socket_without_loops, 128",
        "follow_frames, 64",
        "follow_frames_without_loops, 64",
        "record_switch, 32",
        "leaves_to_wait, 32",
        "record_waking, 32",
        "close_web_socket, 32",
        "leave_cpu, 192",
        "preempted_by, 32",
        "wake, 32",
        "take_cpu, 224",
        "follow_child, 32",
        "follow_process, 32",
        "follow_name, 32",
        "leave_name, 32",
        "record_fork, 32",
        "record_exec, 32",
        "record_exit, 32",
        "record_rename, 32",
        "record_signal, 32",
        "begin_syscall, 128",
        "begin_summed_syscall, 160",
        "end_syscall, 32",
        "end_syscall_with_thread, 32",
        "end_summed_syscall, 224",
        "end_summed_syscall_with_thread, 192",
        "write_syscall, 32",
        "begin_phase, 64",
        "pass_phases, 32",
        "leave_phases, 32",
        "begin_span, 32",
        "begin_large_span, 32",
        "reject_span, 32",
        "end_shared_span, 32",
        "begin_moving, 32",
        "end_moving, 32",
        "give_heap_back, 32",
        "count_key, 32",
        "number_of_key, 32",
        "add_value, 32",
        "take_room, 32",
        "hash_stacks, 64",
        "send_stack, 32",
        "read_own_ids, 32",
        "read_ids, 96",
        "translate_ids, 96",
        "mark_ids, 32",
        "keep_ended_ids, 32",
        "find_ended_ids, 32",
        "find_socket, 64",
        "read_socket_end, 32",
        "read_sockaddr, 32",
        "find_http2_header, 256",
        "find_http2_header_without_loops, 192"
    })
    void functionTakesWhatIsReserved(String function, int reservedBytes) {
        ProgramSpec program = linked(function);
        List<Integer> starts = program.compiled().functions().stream()
                .map(FunctionStart::instruction)
                .toList();

        assertThat(depthBytes(program.instructions(), starts, starts.get(1))).isEqualTo(reservedBytes);
    }

    /** Of the function that starts there, with those that it calls or gives to the kernel's loops, and what these call. */
    private static int depthBytes(List<Instruction> program, List<Integer> starts, int start) {
        int end = starts.stream()
                .filter(other -> other > start)
                .mapToInt(Integer::intValue)
                .min()
                .orElse(program.size());
        int called = 0;
        for (int i = start; i < end; i++) {
            if (program.get(i).isFunctionLoad() || program.get(i).isFunctionCall()) {
                called = Math.max(
                        called,
                        depthBytes(program, starts, i + 1 + program.get(i).immediate()));
            }
        }
        return depthBytes(program.subList(start, end)) + called;
    }

    private static ProgramSpec linked(String function) {
        List<Instruction> calling =
                new Assembler().callFunction(function, 0).exit().assemble();
        ProgramSpec program = new ProgramSpec("calling", ProgramType.RAW_TRACEPOINT, AttachType.NONE, 0, 0, calling);
        return FunctionsInC.link(new ObjectsSpec(List.of(), List.of(program)))
                .programs()
                .get(0);
    }

    /** As the verifier counts: what is accessed through R10, or through what was made of it. */
    private static int depthBytes(List<Instruction> function) {
        int depth = 1;
        Register copy = Register.R10;
        for (Instruction instruction : function) {
            int kind = instruction.opcode() & CLASS_MASK;
            boolean isStore = kind == STORE || kind == STORE_REGISTER;
            boolean isLoad = kind == LOAD;
            if ((isStore && instruction.destination() == Register.R10)
                    || (isLoad && instruction.source() == Register.R10)) {
                depth = Math.max(depth, -instruction.offset());
            }
            if (kind == ALU64 && instruction.source() == Register.R10) {
                copy = instruction.destination();
            } else if (kind == ALU64 && instruction.destination() == copy) {
                depth = Math.max(depth, -instruction.immediate());
                copy = Register.R10;
            }
        }
        return (depth + STEP_BYTES - 1) / STEP_BYTES * STEP_BYTES;
    }
}
