package dev.probestream.convert.perfetto;

import dev.probestream.schema.perfetto.Callstack;
import dev.probestream.schema.perfetto.DebugAnnotation;
import dev.probestream.schema.perfetto.EventName;
import dev.probestream.schema.perfetto.Frame;
import dev.probestream.schema.perfetto.FtraceEvent;
import dev.probestream.schema.perfetto.FtraceEventBundle;
import dev.probestream.schema.perfetto.InternedData;
import dev.probestream.schema.perfetto.Mapping;
import dev.probestream.schema.perfetto.PerfSample;
import dev.probestream.schema.perfetto.SchedSwitchFtraceEvent;
import dev.probestream.schema.perfetto.SchedWakingFtraceEvent;
import dev.probestream.schema.perfetto.Trace;
import dev.probestream.schema.perfetto.TracePacket;
import dev.probestream.schema.perfetto.TrackEvent;

/** Tags of the fields that are written by hand: {@code field number << 3 | wire type}. */
final class Tags {
    private static final int VARINT = 0;
    private static final int FIXED64 = 1;
    private static final int LENGTH = 2;

    static final int PACKET = Trace.PACKET_FIELD_NUMBER << 3 | LENGTH;

    static final int TIMESTAMP = TracePacket.TIMESTAMP_FIELD_NUMBER << 3 | VARINT;
    static final int TIMESTAMP_CLOCK_ID = TracePacket.TIMESTAMP_CLOCK_ID_FIELD_NUMBER << 3 | VARINT;
    static final int SEQUENCE_ID = TracePacket.TRUSTED_PACKET_SEQUENCE_ID_FIELD_NUMBER << 3 | VARINT;
    static final int SEQUENCE_FLAGS = TracePacket.SEQUENCE_FLAGS_FIELD_NUMBER << 3 | VARINT;
    static final int INTERNED_DATA = TracePacket.INTERNED_DATA_FIELD_NUMBER << 3 | LENGTH;
    static final int TRACK_EVENT = TracePacket.TRACK_EVENT_FIELD_NUMBER << 3 | LENGTH;
    static final int FTRACE_EVENTS = TracePacket.FTRACE_EVENTS_FIELD_NUMBER << 3 | LENGTH;

    static final int PERF_SAMPLE = TracePacket.PERF_SAMPLE_FIELD_NUMBER << 3 | LENGTH;

    static final int SAMPLE_CPU = PerfSample.CPU_FIELD_NUMBER << 3 | VARINT;
    static final int SAMPLE_PID = PerfSample.PID_FIELD_NUMBER << 3 | VARINT;
    static final int SAMPLE_TID = PerfSample.TID_FIELD_NUMBER << 3 | VARINT;
    static final int SAMPLE_CALLSTACK_IID = PerfSample.CALLSTACK_IID_FIELD_NUMBER << 3 | VARINT;
    static final int SAMPLE_CPU_MODE = PerfSample.CPU_MODE_FIELD_NUMBER << 3 | VARINT;

    static final int TYPE = TrackEvent.TYPE_FIELD_NUMBER << 3 | VARINT;
    static final int TRACK_UUID = TrackEvent.TRACK_UUID_FIELD_NUMBER << 3 | VARINT;
    static final int CATEGORY_IIDS = TrackEvent.CATEGORY_IIDS_FIELD_NUMBER << 3 | VARINT;
    static final int NAME = TrackEvent.NAME_FIELD_NUMBER << 3 | LENGTH;
    static final int NAME_IID = TrackEvent.NAME_IID_FIELD_NUMBER << 3 | VARINT;
    static final int DEBUG_ANNOTATIONS = TrackEvent.DEBUG_ANNOTATIONS_FIELD_NUMBER << 3 | LENGTH;
    static final int COUNTER_VALUE = TrackEvent.COUNTER_VALUE_FIELD_NUMBER << 3 | VARINT;
    static final int DOUBLE_COUNTER_VALUE = TrackEvent.DOUBLE_COUNTER_VALUE_FIELD_NUMBER << 3 | FIXED64;
    static final int FLOW_IDS = TrackEvent.FLOW_IDS_FIELD_NUMBER << 3 | FIXED64;
    static final int TERMINATING_FLOW_IDS = TrackEvent.TERMINATING_FLOW_IDS_FIELD_NUMBER << 3 | FIXED64;
    static final int CALLSTACK_IID = TrackEvent.CALLSTACK_IID_FIELD_NUMBER << 3 | VARINT;

    static final int ANNOTATION_NAME_IID = DebugAnnotation.NAME_IID_FIELD_NUMBER << 3 | VARINT;
    static final int BOOL_VALUE = DebugAnnotation.BOOL_VALUE_FIELD_NUMBER << 3 | VARINT;
    static final int UINT_VALUE = DebugAnnotation.UINT_VALUE_FIELD_NUMBER << 3 | VARINT;
    static final int INT_VALUE = DebugAnnotation.INT_VALUE_FIELD_NUMBER << 3 | VARINT;
    static final int STRING_VALUE = DebugAnnotation.STRING_VALUE_FIELD_NUMBER << 3 | LENGTH;
    static final int POINTER_VALUE = DebugAnnotation.POINTER_VALUE_FIELD_NUMBER << 3 | VARINT;

    static final int EVENT_CATEGORIES = InternedData.EVENT_CATEGORIES_FIELD_NUMBER << 3 | LENGTH;
    static final int EVENT_NAMES = InternedData.EVENT_NAMES_FIELD_NUMBER << 3 | LENGTH;
    static final int ANNOTATION_NAMES = InternedData.DEBUG_ANNOTATION_NAMES_FIELD_NUMBER << 3 | LENGTH;
    static final int FUNCTION_NAMES = InternedData.FUNCTION_NAMES_FIELD_NUMBER << 3 | LENGTH;
    static final int FRAMES = InternedData.FRAMES_FIELD_NUMBER << 3 | LENGTH;
    static final int CALLSTACKS = InternedData.CALLSTACKS_FIELD_NUMBER << 3 | LENGTH;
    static final int MAPPING_PATHS = InternedData.MAPPING_PATHS_FIELD_NUMBER << 3 | LENGTH;
    static final int SOURCE_PATHS = InternedData.SOURCE_PATHS_FIELD_NUMBER << 3 | LENGTH;
    static final int MAPPINGS = InternedData.MAPPINGS_FIELD_NUMBER << 3 | LENGTH;

    /** Of every interned message: EventCategory, EventName, DebugAnnotationName, InternedString, Frame, Callstack, Mapping. */
    static final int IID = EventName.IID_FIELD_NUMBER << 3 | VARINT;

    /** Of every interned text: EventCategory, EventName, DebugAnnotationName, InternedString. */
    static final int INTERNED_TEXT = EventName.NAME_FIELD_NUMBER << 3 | LENGTH;

    static final int FRAME_FUNCTION = Frame.FUNCTION_NAME_ID_FIELD_NUMBER << 3 | VARINT;
    static final int FRAME_MAPPING = Frame.MAPPING_ID_FIELD_NUMBER << 3 | VARINT;
    static final int FRAME_REL_PC = Frame.REL_PC_FIELD_NUMBER << 3 | VARINT;
    static final int FRAME_SOURCE = Frame.SOURCE_PATH_IID_FIELD_NUMBER << 3 | VARINT;
    static final int FRAME_LINE = Frame.LINE_NUMBER_FIELD_NUMBER << 3 | VARINT;
    static final int FRAME_KIND = Frame.KIND_FIELD_NUMBER << 3 | VARINT;
    static final int CALLSTACK_FRAMES = Callstack.FRAME_IDS_FIELD_NUMBER << 3 | VARINT;
    static final int MAPPING_PATH = Mapping.PATH_STRING_IDS_FIELD_NUMBER << 3 | VARINT;

    static final int BUNDLE_CPU = FtraceEventBundle.CPU_FIELD_NUMBER << 3 | VARINT;
    static final int BUNDLE_EVENT = FtraceEventBundle.EVENT_FIELD_NUMBER << 3 | LENGTH;
    static final int FTRACE_TIMESTAMP = FtraceEvent.TIMESTAMP_FIELD_NUMBER << 3 | VARINT;
    static final int FTRACE_PID = FtraceEvent.PID_FIELD_NUMBER << 3 | VARINT;
    static final int SCHED_SWITCH = FtraceEvent.SCHED_SWITCH_FIELD_NUMBER << 3 | LENGTH;
    static final int SCHED_WAKING = FtraceEvent.SCHED_WAKING_FIELD_NUMBER << 3 | LENGTH;

    static final int PREV_COMM = SchedSwitchFtraceEvent.PREV_COMM_FIELD_NUMBER << 3 | LENGTH;
    static final int PREV_PID = SchedSwitchFtraceEvent.PREV_PID_FIELD_NUMBER << 3 | VARINT;
    static final int PREV_PRIO = SchedSwitchFtraceEvent.PREV_PRIO_FIELD_NUMBER << 3 | VARINT;
    static final int PREV_STATE = SchedSwitchFtraceEvent.PREV_STATE_FIELD_NUMBER << 3 | VARINT;
    static final int NEXT_COMM = SchedSwitchFtraceEvent.NEXT_COMM_FIELD_NUMBER << 3 | LENGTH;
    static final int NEXT_PID = SchedSwitchFtraceEvent.NEXT_PID_FIELD_NUMBER << 3 | VARINT;
    static final int NEXT_PRIO = SchedSwitchFtraceEvent.NEXT_PRIO_FIELD_NUMBER << 3 | VARINT;

    static final int WAKING_COMM = SchedWakingFtraceEvent.COMM_FIELD_NUMBER << 3 | LENGTH;
    static final int WAKING_PID = SchedWakingFtraceEvent.PID_FIELD_NUMBER << 3 | VARINT;
    static final int WAKING_PRIO = SchedWakingFtraceEvent.PRIO_FIELD_NUMBER << 3 | VARINT;
    static final int WAKING_TARGET_CPU = SchedWakingFtraceEvent.TARGET_CPU_FIELD_NUMBER << 3 | VARINT;

    private Tags() {}
}
