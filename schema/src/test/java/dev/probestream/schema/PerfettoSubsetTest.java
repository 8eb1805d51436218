package dev.probestream.schema;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import dev.probestream.schema.perfetto.PerfettoTrace;
import dev.probestream.schema.perfetto.Trace;
import dev.probestream.schema.perfetto.TracePacket;
import dev.probestream.schema.perfetto.TrackEvent;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A wrong number or type would be a field that Perfetto passes over in silence. */
class PerfettoSubsetTest {
    /** Names and numbers of google/perfetto v58, protos/perfetto/trace. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "Trace packet=1",
                "TracePacket ftrace_events=1 process_tree=2 clock_snapshot=6 timestamp=8 trusted_packet_sequence_id=10"
                        + " track_event=11 interned_data=12 sequence_flags=13 trace_stats=35 previous_packet_dropped=42"
                        + " system_info=45 compressed_packets=50 timestamp_clock_id=58 trace_packet_defaults=59"
                        + " track_descriptor=60 perf_sample=66 first_packet_on_sequence=87 trace_uuid=89",
                "TracePacketDefaults track_event_defaults=11 timestamp_clock_id=58",
                "TrackEventDefaults track_uuid=11 extra_counter_track_uuids=31 extra_double_counter_track_uuids=45",
                "TrackDescriptor uuid=1 name=2 process=3 thread=4 parent_uuid=5 counter=8"
                        + " disallow_merging_with_system_tracks=9 child_ordering=11 sibling_order_rank=12 description=14"
                        + " sibling_merge_behavior=15",
                "ProcessDescriptor pid=1 cmdline=2 process_name=6 start_timestamp_ns=7",
                "ThreadDescriptor pid=1 tid=2 thread_name=5",
                "CounterDescriptor unit=3 unit_multiplier=4 is_incremental=5 unit_name=6",
                "TrackEvent category_iids=3 debug_annotations=4 legacy_event=6 type=9 name_iid=10 track_uuid=11 categories=22 name=23"
                        + " counter_value=30 extra_counter_track_uuids=31 source_location=33 source_location_iid=34"
                        + " double_counter_value=44 extra_double_counter_track_uuids=45"
                        + " flow_ids=47 terminating_flow_ids=48 correlation_id=52 callstack=55 callstack_iid=56",
                "DebugAnnotation name_iid=1 bool_value=2 uint_value=3 int_value=4 double_value=5 string_value=6"
                        + " pointer_value=7 name=10 dict_entries=11 array_values=12 string_value_iid=17",
                "SourceLocation iid=1 file_name=2 function_name=3 line_number=4",
                "InternedData event_categories=1 event_names=2 debug_annotation_names=3 source_locations=4"
                        + " function_names=5 frames=6 callstacks=7 build_ids=16 mapping_paths=17 source_paths=18"
                        + " mappings=19 debug_annotation_string_values=29",
                "Mapping iid=1 build_id=2 start_offset=3 start=4 end=5 load_bias=6 path_string_ids=7 exact_offset=8",
                "Frame iid=1 function_name_id=2 mapping_id=3 rel_pc=4 source_path_iid=5 line_number=6 kind=7",
                "Callstack iid=1 frame_ids=2",
                "ClockSnapshot clocks=1 primary_trace_clock=2",
                "FtraceEventBundle cpu=1 event=2 lost_events=3 ftrace_clock=5",
                "FtraceEvent timestamp=1 pid=2 sched_switch=4 sched_waking=20 task_newtask=235 task_rename=236"
                        + " sched_process_exit=238 sched_process_free=240 sys_enter=329 sys_exit=330",
                "SchedSwitchFtraceEvent prev_comm=1 prev_pid=2 prev_prio=3 prev_state=4 next_comm=5 next_pid=6"
                        + " next_prio=7",
                "SchedWakingFtraceEvent comm=1 pid=2 prio=3 success=4 target_cpu=5",
                "TaskNewtaskFtraceEvent pid=1 comm=2 clone_flags=3 oom_score_adj=4",
                "SysEnterFtraceEvent id=1 args=2",
                "SysExitFtraceEvent id=1 ret=2",
                "ProcessTree processes=1 threads=2",
                "SystemInfo utsname=1 num_cpus=8",
                "Utsname sysname=1 version=2 release=3 machine=4",
                "PerfSample cpu=1 pid=2 tid=3 callstack_iid=4 cpu_mode=5",
                "TraceStats buffer_stats=1",
                "TraceUuid msb=1 lsb=2",
            })
    void numbersAreUpstreams(String expected) {
        Descriptor message =
                PerfettoTrace.getDescriptor().findMessageTypeByName(expected.substring(0, expected.indexOf(' ')));
        String actual = message.getFields().stream()
                .sorted((left, right) -> Integer.compare(left.getNumber(), right.getNumber()))
                .map(field -> field.getName() + "=" + field.getNumber())
                .collect(Collectors.joining(" ", message.getName() + " ", ""));
        assertThat(actual).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "TracePacket.timestamp uint64",
                "TracePacket.timestamp_clock_id uint32",
                "TrackEvent.track_uuid uint64",
                "TrackEvent.flow_ids fixed64",
                "TrackEvent.terminating_flow_ids fixed64",
                "TrackEvent.counter_value int64",
                "ProcessDescriptor.pid int32",
                "InternedString.str bytes",
                "FtraceEvent.timestamp uint64",
                "FtraceEvent.pid uint32",
                "FtraceEventBundle.lost_events bool",
                "SchedSwitchFtraceEvent.prev_state int64",
                "SchedSwitchFtraceEvent.next_pid int32",
                "SysEnterFtraceEvent.args uint64",
                "PerfSample.tid uint32",
                "TraceUuid.msb int64",
            })
    void typesAreUpstreams(String expected) {
        List<String> words = Arrays.asList(expected.split("[. ]"));
        FieldDescriptor field = PerfettoTrace.getDescriptor()
                .findMessageTypeByName(words.get(0))
                .findFieldByName(words.get(1));
        assertThat(field.getType())
                .isEqualTo(FieldDescriptor.Type.valueOf(words.get(2).toUpperCase(Locale.ROOT)));
    }

    @Test
    void numbersOfInternedThingsAreUnsigned64() {
        Stream<FieldDescriptor> iids = PerfettoTrace.getDescriptor().getMessageTypes().stream()
                .flatMap(message -> message.getFields().stream())
                .filter(field ->
                        field.getName().endsWith("iid") || field.getName().endsWith("iids"));
        assertThat(iids).isNotEmpty().allMatch(field -> field.getType() == FieldDescriptor.Type.UINT64);
    }

    @Test
    void aTraceBeginsWithThePacketsTag() {
        TrackEvent event = TrackEvent.newBuilder()
                .setType(TrackEvent.Type.TYPE_INSTANT)
                .addFlowIds(1)
                .build();
        Trace trace = Trace.newBuilder()
                .addPacket(TracePacket.newBuilder().setTimestamp(5).setTrackEvent(event))
                .build();
        byte[] expected = {0x0A, 16, 0x40, 5, 0x5A, 12, 0x48, 3, (byte) 0xF9, 2, 1, 0, 0, 0, 0, 0, 0, 0};
        assertThat(trace.toByteArray())
                .startsWith(0x0A)
                .hasSize(2 + trace.getPacket(0).getSerializedSize());
        assertThat(trace.toByteArray()).isEqualTo(expected);
    }
}
