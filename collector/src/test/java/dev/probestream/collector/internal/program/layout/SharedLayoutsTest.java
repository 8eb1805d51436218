package dev.probestream.collector.internal.program.layout;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.asm.RegisterTable;
import dev.probestream.bpf.btf.BtfFile;
import dev.probestream.bpf.btf.BtfKind;
import dev.probestream.bpf.btf.FieldPath;
import dev.probestream.bpf.elf.RelocatableFile;
import dev.probestream.collector.internal.program.code.SchedPrograms;
import dev.probestream.collector.internal.program.code.SignalProgram;
import dev.probestream.collector.internal.program.layout.StreamBytesLayout.Room;
import dev.probestream.collector.internal.program.layout.histogram.HistogramStackLayout;
import dev.probestream.collector.internal.program.layout.histogram.HistogramSumsLayout;
import dev.probestream.collector.internal.program.layout.v8.AsyncCallerLayout;
import dev.probestream.collector.internal.program.layout.v8.AsyncCallerLayout.Builtin;
import dev.probestream.collector.internal.program.layout.v8.AsyncCallerLayout.ObjectType;
import dev.probestream.collector.internal.program.layout.v8.AsyncContextLayout;
import dev.probestream.collector.internal.program.layout.v8.BaselineCodeLayout;
import dev.probestream.collector.internal.program.layout.v8.ClosureCallLayout;
import dev.probestream.collector.internal.program.layout.v8.ContextWords;
import dev.probestream.collector.internal.program.layout.v8.EventLoopLayout;
import dev.probestream.collector.internal.program.layout.v8.HeapShape;
import dev.probestream.collector.internal.program.layout.v8.KnownThreadLayout;
import dev.probestream.collector.internal.program.layout.v8.StreamListenerLayout;
import dev.probestream.collector.internal.program.layout.v8.V8ProcessLayout;
import dev.probestream.collector.internal.program.options.FollowRule;
import dev.probestream.collector.internal.program.options.KernelFields;
import dev.probestream.collector.probe.ArgumentSource.ContextValue;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Structs of the functions in C, as clang laid them out, are where Java writes and reads them. */
class SharedLayoutsTest {
    private static final String OBJECT = "probestream.bpf.o";

    private static BtfFile types;

    @BeforeAll
    static void readTypes() throws Exception {
        try (InputStream in = SharedLayoutsTest.class.getResourceAsStream("/dev/probestream/collector/" + OBJECT)) {
            ByteBuffer bytes = ByteBuffer.wrap(Objects.requireNonNull(in).readAllBytes());
            types = BtfFile.parse(
                    OBJECT,
                    RelocatableFile.parse(OBJECT, bytes).sections().stream()
                            .filter(section -> section.name().equals(".BTF"))
                            .findFirst()
                            .orElseThrow()
                            .bytes());
        }
    }

    @Test
    void processIsWhatTheMapHolds() throws Exception {
        Map<ObjectType, Integer> instanceTypes = new EnumMap<>(ObjectType.class);
        Map<Builtin, Integer> builtins = new EnumMap<>(Builtin.class);
        for (ObjectType type : ObjectType.values()) {
            instanceTypes.put(type, 1000 + type.offset());
        }
        for (Builtin builtin : Builtin.values()) {
            builtins.put(builtin, 1000 + builtin.offset());
        }
        AsyncCallerLayout async = new AsyncCallerLayout(-8, 11, 12, 16, 24, 32, 8, 17, instanceTypes, builtins);

        ByteBuffer value = new V8ProcessLayout(1, 2, 3, 24, 5, async).encode(6).order(ByteOrder.nativeOrder());

        assertThat(size("v8_process")).isEqualTo(V8ProcessLayout.SIZE_BYTES).isEqualTo(value.capacity());
        assertThat(offset("v8_process.relocations")).isEqualTo(V8ProcessLayout.RELOCATIONS_OFFSET);
        assertThat(number(value, "v8_process.relocations")).isEqualTo(6L << 48);
        assertThat(number(value, "v8_process.first_function_type")).isEqualTo(1);
        assertThat(number(value, "v8_process.last_function_type")).isEqualTo(2);
        assertThat(number(value, "v8_process.instance_type")).isEqualTo(3);
        assertThat(number(value, "v8_process.shared")).isEqualTo(24);
        assertThat(number(value, "v8_process.exit_frame")).isEqualTo(5);
        assertThat(number(value, "v8_process.async.isolate")).isEqualTo(-8);
        assertThat(number(value, "v8_process.async.isolate_key")).isEqualTo(11);
        assertThat(number(value, "v8_process.async.current_microtask")).isEqualTo(12);
        assertThat(number(value, "v8_process.async.reaction")).isEqualTo(16);
        assertThat(number(value, "v8_process.async.function_shared")).isEqualTo(24);
        assertThat(number(value, "v8_process.async.function_context")).isEqualTo(32);
        assertThat(number(value, "v8_process.async.builtin")).isEqualTo(8);
        assertThat(number(value, "v8_process.async.thread_pointer")).isEqualTo(17);
        for (ObjectType type : ObjectType.values()) {
            assertThat(number(value, field(type))).as(type.name()).isEqualTo(1000 + type.offset());
        }
        for (Builtin builtin : Builtin.values()) {
            assertThat(number(value, field(builtin))).as(builtin.name()).isEqualTo(1000 + builtin.offset());
        }
    }

    @Test
    void roomIsWhatSamplesHold() throws Exception {
        assertThat(offset("javascript_room.count")).isEqualTo(JavaScriptRoom.COUNT_OFFSET);
        assertThat(offset("javascript_room.flags")).isEqualTo(JavaScriptRoom.FLAGS_OFFSET);
        assertThat(offset("javascript_room.relocations")).isEqualTo(JavaScriptRoom.RELOCATIONS_OFFSET);
        assertThat(offset("javascript_room.entries")).isEqualTo(JavaScriptRoom.ENTRIES_OFFSET);
        assertThat(size("javascript_entry")).isEqualTo(JavaScriptRoom.ENTRY_SIZE_BYTES);
        assertThat(offset("javascript_entry.pc")).isEqualTo(JavaScriptRoom.ENTRY_PC_OFFSET);
        assertThat(offset("javascript_entry.shared")).isEqualTo(JavaScriptRoom.ENTRY_SHARED_OFFSET);
        assertThat(offset("javascript_entry.word")).isEqualTo(JavaScriptRoom.ENTRY_WORD_OFFSET);
    }

    @Test
    void contextIsLookedForWhereTheMapSays() throws Exception {
        ByteBuffer value = new AsyncContextLayout(
                        -1,
                        2,
                        3,
                        4,
                        5,
                        6,
                        7,
                        19,
                        8,
                        new AsyncCallerLayout(15, 0, 9, 0, 0, 0, 0, 0, Map.of(), Map.of()),
                        16,
                        17,
                        18,
                        new BaselineCodeLayout(20, 21, 22, 23),
                        new EventLoopLayout(24, 25, 26),
                        new StreamListenerLayout(27, 28, 29, 30))
                .encode()
                .order(ByteOrder.nativeOrder());

        assertThat(size("context_process")).isEqualTo(AsyncContextLayout.SIZE_BYTES);
        assertThat(offset("context_process.fields")).isEqualTo(AsyncContextLayout.HIT_FIELDS_OFFSET);
        assertThat(number(value, "context_process.isolate")).isEqualTo(-1);
        assertThat(number(value, "context_process.isolate_key")).isEqualTo(2);
        assertThat(number(value, "context_process.node_tag")).isEqualTo(3);
        assertThat(number(value, "context_process.context")).isEqualTo(4);
        assertThat(number(value, "context_process.async_ids")).isEqualTo(5);
        assertThat(number(value, "context_process.fields.slot")).isEqualTo(6);
        assertThat(number(value, "context_process.fields.oddball_type")).isEqualTo(7);
        assertThat(number(value, "context_process.fields.bytecode_type")).isEqualTo(19);
        assertThat(number(value, "context_process.fields.instance_type")).isEqualTo(8);
        assertThat(number(value, "context_process.fields.microtask")).isEqualTo(9);
        assertThat(number(value, "context_process.promises.isolate")).isEqualTo(15);
        assertThat(number(value, "context_process.exit_frame")).isEqualTo(16);
        assertThat(number(value, "context_process.function_script")).isEqualTo(17);
        assertThat(number(value, "context_process.script_name")).isEqualTo(18);
        assertThat(number(value, "context_process.baseline.function_data")).isEqualTo(20);
        assertThat(number(value, "context_process.baseline.instruction_start")).isEqualTo(21);
        assertThat(number(value, "context_process.baseline.instructions")).isEqualTo(22);
        assertThat(number(value, "context_process.baseline.instruction_size")).isEqualTo(23);
        assertThat(number(value, "context_process.event_loop.default_loop")).isEqualTo(24);
        assertThat(number(value, "context_process.event_loop.isolate_data")).isEqualTo(25);
        assertThat(number(value, "context_process.event_loop.loop")).isEqualTo(26);
        assertThat(number(value, "context_process.listeners.parser")).isEqualTo(27);
        assertThat(number(value, "context_process.listeners.tls")).isEqualTo(28);
        assertThat(number(value, "context_process.listeners.stream_base")).isEqualTo(29);
        assertThat(number(value, "context_process.listeners.message_start")).isEqualTo(30);
        assertThat(size("known_thread")).isEqualTo(KnownThreadLayout.SIZE_BYTES);
        assertThat(size("known_stream")).isEqualTo(KnownStreamLayout.SIZE_BYTES);
    }

    @Test
    void contextHasAWordForEachValue() throws Exception {
        assertThat(size("async_context"))
                .isEqualTo(ContextWords.SIZE_BYTES)
                .isEqualTo((long) Long.BYTES * (ContextValue.values().length + 1));
        assertThat(offset("async_context.microtask"))
                .as("behind them")
                .isEqualTo((long) Long.BYTES * ContextValue.values().length);
        for (ContextValue value : ContextValue.values()) {
            String field = value.name().toLowerCase(Locale.ROOT);
            assertThat(offset("async_context." + field)).as(field).isEqualTo(ContextWords.offset(value));
        }
    }

    @Test
    void shapeIsWhatTheMapHolds() throws Exception {
        ByteBuffer key = HeapShape.key(1, 2).order(ByteOrder.nativeOrder());
        ByteBuffer value =
                new HeapShape(3, HeapShape.Kind.SOCKET, 4, 5).encode().order(ByteOrder.nativeOrder());

        assertThat(size("heap_shape_key")).isEqualTo(HeapShape.KEY_BYTES);
        assertThat(number(key, "heap_shape_key.tgid")).isEqualTo(1);
        assertThat(number(key, "heap_shape_key.word")).isEqualTo(2);
        ByteBuffer code = HeapShape.keyOfCode(1, 2, 3).order(ByteOrder.nativeOrder());
        assertThat(number(code, "heap_shape_key.tgid")).isEqualTo(1);
        assertThat(number(code, "heap_shape_key.kind")).isEqualTo(2);
        assertThat(HeapShape.isOfCode(code)).isTrue();
        assertThat(HeapShape.isOfCode(key)).isFalse();
        assertThat(size("heap_shape")).isEqualTo(HeapShape.SIZE_BYTES);
        assertThat(number(value, "heap_shape.example")).isEqualTo(3);
        assertThat(number(value, "heap_shape.kind")).isEqualTo(5);
        assertThat(number(value, "heap_shape.next")).isEqualTo(4);
        assertThat(number(value, "heap_shape.other")).isEqualTo(5);
        assertThat(size("served_search")).isEqualTo(HeapShape.SEARCH_BYTES);
        assertThat(size("function_call")).isEqualTo(ClosureCallLayout.SIZE_BYTES);
        assertThat(size("thread_turn")).isEqualTo(ClosureCallLayout.TURN_BYTES);
    }

    @Test
    void bytesOfStreamsAreWhatSamplesHold() throws Exception {
        assertThat(offset("stream_bytes.sequence")).isEqualTo(StreamBytesLayout.SEQUENCE_OFFSET);
        assertThat(offset("stream_bytes.total")).isEqualTo(StreamBytesLayout.TOTAL_OFFSET);
        assertThat(offset("stream_bytes.head_bytes")).isEqualTo(StreamBytesLayout.HEAD_BYTES_OFFSET);
        assertThat(offset("stream_bytes.tail_bytes")).isEqualTo(StreamBytesLayout.TAIL_BYTES_OFFSET);
        assertThat(offset("stream_bytes.received")).isEqualTo(StreamBytesLayout.RECEIVED_OFFSET);
        for (String bytes : List.of("small", "head", "first", "buffers")) {
            assertThat(offset("stream_bytes." + bytes)).as(bytes).isEqualTo(StreamBytesLayout.HEADER_SIZE_BYTES);
        }
        assertThat(offset("stream_bytes.tail")).isEqualTo(StreamBytesLayout.TAIL_OFFSET);
        assertThat(StreamBytesLayout.HEADER_SIZE_BYTES + size("small_stream_buffer"))
                .isEqualTo(Room.SMALL.sizeBytes());
        assertThat(offset("stream_bytes.tail") + StreamBytesLayout.TAIL_BYTES).isEqualTo(Room.LARGE.sizeBytes());
        assertThat(size("stream_bytes")).isEqualTo(Room.MANY_BUFFERS.sizeBytes());
        assertThat(offset("stream_buffer.length")).isEqualTo(StreamBytesLayout.BUFFER_LENGTH_OFFSET);
        assertThat(offset("stream_buffer.copied")).isEqualTo(StreamBytesLayout.BUFFER_COPIED_OFFSET);
        assertThat(offset("stream_buffer.bytes")).isEqualTo(StreamBytesLayout.BUFFER_HEADER_SIZE_BYTES);
        assertThat(size("stream_buffer"))
                .isEqualTo(StreamBytesLayout.BUFFER_HEADER_SIZE_BYTES + StreamBytesLayout.MAX_BUFFER_BYTES);
    }

    @Test
    void hitOfAStreamIsWhatProgramsFill() throws Exception {
        assertThat(size("stream_key")).isEqualTo(StreamBytesLayout.KEY_SIZE_BYTES);
        assertThat(offset("stream_key.tgid")).isEqualTo(StreamBytesLayout.KEY_TGID_OFFSET);
        assertThat(size("stream_hit")).isEqualTo(StreamHitLayout.SIZE_BYTES);
        assertThat(offset("stream_hit.stream")).isEqualTo(StreamHitLayout.STREAM_OFFSET);
        assertThat(offset("stream_hit.address")).isEqualTo(StreamHitLayout.ADDRESS_OFFSET);
        assertThat(offset("stream_hit.length")).isEqualTo(StreamHitLayout.LENGTH_OFFSET);
        assertThat(offset("stream_hit.taken")).isEqualTo(StreamHitLayout.TAKEN_OFFSET);
        assertThat(offset("stream_hit.only")).isEqualTo(StreamHitLayout.ONLY_OFFSET);
        assertThat(offset("stream_hit.received")).isEqualTo(StreamHitLayout.RECEIVED_OFFSET);
    }

    @Test
    void webSocketIsWhatTheMapHolds() throws Exception {
        assertThat(size("web_socket")).isEqualTo(WebSocketLayout.SIZE_BYTES);
        assertThat(offset("web_socket.header")).isZero();
        assertThat(offset("web_socket.is_server")).isEqualTo(WebSocketLayout.IS_SERVER_OFFSET);
        assertThat(offset("web_socket.sent")).isEqualTo(WebSocketLayout.SENT_OFFSET);
        assertThat(offset("web_socket.received")).isEqualTo(WebSocketLayout.RECEIVED_OFFSET);
        assertThat(offset("web_socket.is_tls")).isEqualTo(WebSocketLayout.IS_TLS_OFFSET);
        assertThat(offset("web_socket.stream")).isEqualTo(WebSocketLayout.STREAM_OFFSET);
        assertThat(offset("web_socket_direction.bytes")).isEqualTo(WebSocketLayout.BYTES_OFFSET);
        assertThat(offset("web_socket_direction.messages")).isEqualTo(WebSocketLayout.MESSAGES_OFFSET);
        assertThat(offset("web_socket_direction.is_lost")).isEqualTo(WebSocketLayout.IS_LOST_OFFSET);
        assertThat(offset("web_socket_direction.is_masked")).isEqualTo(WebSocketLayout.IS_MASKED_OFFSET);
    }

    @Test
    void headerIsWhatSamplesBeginWith() throws Exception {
        assertThat(size("event_header")).isEqualTo(EventLayout.HEADER_SIZE_BYTES);
        assertThat(offset("event_header.timestamp_ns")).isEqualTo(EventLayout.TIMESTAMP_OFFSET);
        assertThat(offset("event_header.thread.tid")).isEqualTo(EventLayout.TID_OFFSET);
        assertThat(offset("event_header.thread.tgid")).isEqualTo(EventLayout.TGID_OFFSET);
        assertThat(offset("event_header.cpu")).isEqualTo(EventLayout.CPU_OFFSET);
        assertThat(offset("event_header.record_type")).isEqualTo(EventLayout.RECORD_TYPE_OFFSET);
        assertThat(offset("event_header.probe")).isEqualTo(EventLayout.PROBE_ID_OFFSET);
        assertThat(offset("event_header.duration_ns")).isEqualTo(EventLayout.DURATION_OFFSET);
        assertThat(offset("event_header.unavailable")).isEqualTo(EventLayout.UNAVAILABLE_OFFSET);
        assertThat(RecordType.EVENT.code()).isZero();
    }

    @Test
    void sumIsWhatTheMapHolds() throws Exception {
        assertThat(size("sum_key")).isEqualTo(SumLayout.KEY_SIZE_BYTES);
        assertThat(offset("sum_key.tid")).isEqualTo(SumLayout.KEY_TID_OFFSET);
        assertThat(offset("sum_key.probe")).isEqualTo(SumLayout.KEY_PROBE_ID_OFFSET);
        assertThat(offset("sum_key.thread_tag")).isEqualTo(SumLayout.KEY_THREAD_TAG_OFFSET);
        assertThat(size("sum")).isEqualTo(SumLayout.SIZE_BYTES);
        assertThat(offset("sum.tgid")).isEqualTo(SumLayout.TGID_OFFSET);
        assertThat(offset("sum.failed")).isEqualTo(SumLayout.FAILED_OFFSET);
        assertThat(offset("sum.total_ns")).isEqualTo(SumLayout.TOTAL_OFFSET);
        assertThat(offset("sum.longest_ns")).isEqualTo(SumLayout.MAX_OFFSET);
        assertThat(offset("sum.interval")).isEqualTo(SumLayout.INTERVAL_OFFSET);
        assertThat(offset("sum.durations")).isEqualTo(SumLayout.DURATIONS_OFFSET);
    }

    @Test
    void timeWithoutACpuIsWhatSamplesAndTheMapHold() throws Exception {
        assertThat(size("off_cpu_event")).isEqualTo(OffCpuLayout.SAMPLE_SIZE_BYTES);
        assertThat(offset("off_cpu_event.state")).isEqualTo(OffCpuLayout.STATE_OFFSET);
        assertThat(offset("off_cpu_event.runnable_ns")).isEqualTo(OffCpuLayout.RUNNABLE_OFFSET);
        assertThat(offset("off_cpu_event.waker_tid")).isEqualTo(OffCpuLayout.WAKER_TID_OFFSET);
        assertThat(offset("off_cpu_event.waker_pid")).isEqualTo(OffCpuLayout.WAKER_PID_OFFSET);
        assertThat(offset("off_cpu_event.next_tid")).isEqualTo(OffCpuLayout.NEXT_TID_OFFSET);
        assertThat(offset("off_cpu_event.next_pid")).isEqualTo(OffCpuLayout.NEXT_PID_OFFSET);
        assertThat(offset("off_cpu_event.waker_comm")).isEqualTo(OffCpuLayout.WAKER_COMM_OFFSET);
        assertThat(offset("off_cpu_event.next_comm")).isEqualTo(OffCpuLayout.NEXT_COMM_OFFSET);
        assertThat(size("off_cpu")).isEqualTo(OffCpuLayout.VALUE_SIZE_BYTES);
        assertThat(offset("off_cpu.runnable_since_ns")).isEqualTo(OffCpuLayout.RUNNABLE_SINCE_OFFSET);
        assertThat(offset("off_cpu.thread_tag")).isEqualTo(OffCpuLayout.THREAD_TAG_OFFSET);
    }

    @Test
    void switchIsWhatSamplesHold() throws Exception {
        assertThat(size("switch_sample")).isEqualTo(SwitchLayout.STACKS_OFFSET);
        assertThat(offset("switch_sample.previous_state")).isEqualTo(SwitchLayout.PREVIOUS_STATE_OFFSET);
        assertThat(offset("switch_sample.previous_exit_state")).isEqualTo(SwitchLayout.PREVIOUS_EXIT_STATE_OFFSET);
        assertThat(offset("switch_sample.is_preempted")).isEqualTo(SwitchLayout.PREEMPTED_OFFSET);
        assertThat(offset("switch_sample.previous_priority")).isEqualTo(SwitchLayout.PREVIOUS_PRIORITY_OFFSET);
        assertThat(offset("switch_sample.next_priority")).isEqualTo(SwitchLayout.NEXT_PRIORITY_OFFSET);
        assertThat(offset("switch_sample.next.tid")).isEqualTo(SwitchLayout.NEXT_TID_OFFSET);
        assertThat(offset("switch_sample.next.tgid")).isEqualTo(SwitchLayout.NEXT_TGID_OFFSET);
        assertThat(offset("switch_sample.previous_comm")).isEqualTo(SwitchLayout.PREVIOUS_COMM_OFFSET);
        assertThat(offset("switch_sample.next_comm")).isEqualTo(SwitchLayout.NEXT_COMM_OFFSET);
    }

    @Test
    void wakeUpIsWhatSamplesHold() throws Exception {
        assertThat(size("waking_sample")).isEqualTo(SchedPrograms.wakingLayout().sizeBytes());
        assertThat(offsets("waking_sample", "tid", "pid", "priority", "target_cpu", "comm"))
                .isEqualTo(offsets(SchedPrograms.wakingLayout()));
    }

    @Test
    void taskLifecycleIsWhatSamplesHold() throws Exception {
        assertThat(size("task_sample")).isEqualTo(TaskLifecycleLayout.SIZE_BYTES);
        assertThat(offset("task_sample.comm")).isEqualTo(TaskLifecycleLayout.COMM_OFFSET);
        for (String first : List.of("child.tid", "exec.tid_before", "exit.code")) {
            assertThat(offset("task_sample." + first)).as(first).isEqualTo(TaskLifecycleLayout.FIRST_OFFSET);
        }
        for (String second : List.of("child.tgid", "exec.uid", "exit.has_ended")) {
            assertThat(offset("task_sample." + second)).as(second).isEqualTo(TaskLifecycleLayout.SECOND_OFFSET);
        }
        assertThat(size("comm")).isEqualTo(FollowRule.COMM_SIZE_BYTES);
    }

    @Test
    void signalIsWhatSamplesHold() throws Exception {
        EventLayout layout = SignalProgram.layout(StackDepths.NONE);
        assertThat(size("signal_sample")).isEqualTo(layout.sizeBytes());
        assertThat(offsets("signal_sample", "signal", "code", "sender_pid", "sender_tid", "sender_uid", "sender"))
                .isEqualTo(offsets(layout));
    }

    @Test
    void systemCallIsWhatSamplesAndTheMapHold() throws Exception {
        SyscallLayout layout = new SyscallLayout(RegisterTable.X86_64, StackDepths.NONE);
        assertThat(size("open_syscall")).isEqualTo(SyscallLayout.ENTRY_SIZE_BYTES);
        assertThat(offset("open_syscall.registers")).isEqualTo(EventLayout.HEADER_SIZE_BYTES);
        assertThat(size("syscall_thread")).isEqualTo(SyscallLayout.THREAD_SIZE_BYTES);
        assertThat(offset("syscall_thread.thread_tag")).isEqualTo(SyscallLayout.THREAD_TAG_OFFSET);
        assertThat(offset("syscall_sample.result")).isEqualTo(SyscallLayout.RETURN_OFFSET);
        assertThat(offset("syscall_sample.texts"))
                .isEqualTo(layout.sizeBytes(0))
                .isEqualTo(layout.textSlot(0).offset());
        assertThat(size("syscall_sample")).isEqualTo(layout.sizeBytes(SyscallLayout.MAX_TEXTS));
        assertThat(size("syscall_text"))
                .isEqualTo(layout.sizeBytes(1) - layout.sizeBytes(0))
                .isEqualTo(layout.textSlot(1).offset() - layout.textSlot(0).offset());
        assertThat(offset("syscall_text.bytes")).isEqualTo(ArgumentSlot.TEXT_OFFSET);
        assertThat(FieldPath.resolve(types, "syscall_text.bytes").sizeBytes())
                .isEqualTo(ArgumentSlot.readSizeBytes(layout.textSlot(0).type()));
        assertThat(size("syscall_end")).isEqualTo(SyscallLayout.END_SIZE_BYTES);
        assertThat(offset("syscall_end.texts")).isEqualTo(SyscallLayout.END_TEXTS_OFFSET);
        assertThat(offset("syscall_end.probe")).isEqualTo(SyscallLayout.END_PROBE_ID_OFFSET);
    }

    @Test
    void phasesAreWhatTheMapHolds() throws Exception {
        assertThat(size("thread_phases")).isEqualTo(PhasesLayout.SIZE_BYTES);
        assertThat(size("phase")).isEqualTo(PhasesLayout.SLOT_SIZE_BYTES);
        assertThat(size("phase_sample")).isEqualTo(PhasesLayout.SAMPLE_SIZE_BYTES);
        assertThat(offset("thread_phases.depth")).isEqualTo(PhasesLayout.DEPTH_OFFSET);
        assertThat(offset("thread_phases.phases")).isEqualTo(PhasesLayout.slotOffset(0));
        assertThat(offset("phase.sample")).isEqualTo(PhasesLayout.sampleOffset(0) - PhasesLayout.slotOffset(0));
    }

    @Test
    void histogramsAreWhatTheMapsHold() throws Exception {
        assertThat(size("histogram_sums")).isEqualTo(HistogramSumsLayout.SIZE_BYTES);
        assertThat(offset("histogram_sums.count")).isEqualTo(HistogramSumsLayout.COUNT_OFFSET);
        assertThat(offset("histogram_sums.low")).isEqualTo(HistogramSumsLayout.LOW_OFFSET);
        assertThat(offset("histogram_sums.high")).isEqualTo(HistogramSumsLayout.HIGH_OFFSET);
        assertThat(offset("histogram_sums.least")).isEqualTo(HistogramSumsLayout.LEAST_OFFSET);
        assertThat(offset("histogram_sums.greatest")).isEqualTo(HistogramSumsLayout.GREATEST_OFFSET);
        StackRoom room = HistogramStackLayout.of("h", 0, new StackDepths(1, 1, 1))
                .sample()
                .stacks();
        assertThat(offset("histogram_stack.tgid")).isEqualTo(EventLayout.TGID_OFFSET);
        assertThat(offset("histogram_stack.first_hash")).isEqualTo(HistogramStackLayout.FIRST_HASH_OFFSET);
        assertThat(offset("histogram_stack.second_hash")).isEqualTo(HistogramStackLayout.SECOND_HASH_OFFSET);
        assertThat(offset("histogram_stack.kernel_bytes")).isEqualTo(room.kernelBytesOffset());
        assertThat(offset("histogram_stack.user_bytes")).isEqualTo(room.userBytesOffset());
        assertThat(offset("histogram_stack.addresses")).isEqualTo(room.kernelFramesOffset());
    }

    @Test
    void searchOfAHeaderIsWhatProgramsFill() throws Exception {
        assertThat(size("http2_search")).isEqualTo(Http2SearchLayout.SIZE_BYTES);
        assertThat(offset("http2_search.session")).isEqualTo(Http2SearchLayout.SESSION_OFFSET);
        assertThat(offset("http2_search.frame")).isEqualTo(Http2SearchLayout.FRAME_OFFSET);
        assertThat(offset("http2_search.streams_place")).isEqualTo(Http2SearchLayout.STREAMS_PLACE_OFFSET);
        assertThat(offset("http2_search.headers_place")).isEqualTo(Http2SearchLayout.HEADERS_PLACE_OFFSET);
        assertThat(offset("http2_search.is_first")).isEqualTo(Http2SearchLayout.IS_FIRST_OFFSET);
        assertThat(offset("http2_search.name")).isEqualTo(Http2SearchLayout.NAME_OFFSET);
        assertThat(offset("http2_search.value")).isEqualTo(Http2SearchLayout.VALUE_OFFSET);
    }

    @Test
    void addressIsWhatSamplesHold() throws Exception {
        assertThat(size("socket_address")).isEqualTo(AddressSlot.SIZE_BYTES);
        assertThat(offset("socket_address.family")).isEqualTo(AddressSlot.FAMILY_OFFSET);
        assertThat(offset("socket_address.port"))
                .isEqualTo(AddressSlot.PORT_OFFSET)
                .isEqualTo(AddressSlot.PATH_BYTES_OFFSET);
        assertThat(offset("socket_address.bytes"))
                .isEqualTo(AddressSlot.ADDRESS_OFFSET)
                .isEqualTo(AddressSlot.PATH_OFFSET);
    }

    /** What the collector looks for in the kernel's types is what the functions declare of them. */
    @Test
    void fieldsOfTheKernelAreDeclared() throws Exception {
        for (KernelFields fields : KernelFields.values()) {
            fields.requireIn(types);
        }
    }

    /** The field of struct async_layout that has the name of a constant. */
    private static String field(Enum<?> constant) {
        return "v8_process.async." + constant.name().toLowerCase(Locale.ROOT);
    }

    private static List<Integer> offsets(EventLayout layout) {
        return layout.arguments().stream().map(ArgumentSlot::offset).toList();
    }

    private static List<Integer> offsets(String struct, String... fields) throws Exception {
        List<Integer> offsets = new ArrayList<>();
        for (String field : fields) {
            offsets.add(offset(struct + "." + field));
        }
        return offsets;
    }

    private static int offset(String path) throws Exception {
        return Math.toIntExact(FieldPath.resolve(types, path).offsetBytes());
    }

    private static long number(ByteBuffer value, String path) throws Exception {
        FieldPath field = FieldPath.resolve(types, path);
        int offset = Math.toIntExact(field.offsetBytes());
        return switch (Math.toIntExact(field.sizeBytes())) {
            case Short.BYTES -> value.getShort(offset);
            case Integer.BYTES -> value.getInt(offset);
            default -> value.getLong(offset);
        };
    }

    private static long size(String struct) throws Exception {
        return types.storageBytes(types.typeId(struct, BtfKind.STRUCT).orElseThrow());
    }
}
