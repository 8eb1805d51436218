package dev.probestream.convert.perfetto;

import dev.probestream.convert.shape.ArgumentShape;
import dev.probestream.convert.shape.ProbeShape;
import dev.probestream.convert.timeline.StackFrame;
import dev.probestream.convert.timeline.StackTable;
import dev.probestream.convert.timeline.Timeline;
import dev.probestream.convert.timeline.TraceEvent;
import dev.probestream.schema.perfetto.Frame;
import java.util.BitSet;

/**
 * Writes names and stacks once per sequence, in the packet of the event that needs them first. An iid is the index in
 * the timeline's tables + 1, the same on every sequence.
 */
final class Interning {
    private final Timeline timeline;

    Interning(Timeline timeline) {
        this.timeline = timeline;
    }

    static long iid(int index) {
        return index + 1L;
    }

    /** Puts what the event needs and its sequence does not have yet. */
    void put(ProtoBuffer packet, ThreadSequence sequence, TraceEvent event) {
        boolean needsProbe = !sequence.probes.get(event.probe().index());
        boolean needsStack = event.stackIndex() != TraceEvent.NO_STACK && !sequence.stacks.get(event.stackIndex());
        if (!needsProbe && !needsStack) {
            return;
        }
        int data = packet.begin(Tags.INTERNED_DATA);
        if (needsProbe) {
            putProbe(packet, sequence, event.probe());
        }
        if (needsStack) {
            putStack(packet, sequence, event.thread().process().capture().stacks(), event.stackIndex());
        }
        packet.end(data);
    }

    private void putProbe(ProtoBuffer data, ThreadSequence sequence, ProbeShape probe) {
        sequence.probes.set(probe.index());
        putText(data, Tags.EVENT_NAMES, sequence.eventNames, probe.nameIndex(), probe.name());
        putText(data, Tags.EVENT_CATEGORIES, sequence.categories, probe.categoryIndex(), probe.category());
        for (int i = 0; i < probe.argumentCount(); i++) {
            putArgumentName(data, sequence, probe.argument(i));
        }
        probe.result().ifPresent(result -> putArgumentName(data, sequence, result));
        putArgumentName(data, sequence, timeline.incomplete());
        if (!timeline.requestArguments().isEmpty()) {
            putArgumentName(data, sequence, timeline.requestArguments().get(0));
        }
    }

    private static void putArgumentName(ProtoBuffer data, ThreadSequence sequence, ArgumentShape argument) {
        putText(data, Tags.ANNOTATION_NAMES, sequence.argumentNames, argument.nameIndex(), argument.name());
    }

    private static void putText(ProtoBuffer data, int tag, BitSet known, int index, String text) {
        if (known.get(index)) {
            return;
        }
        known.set(index);
        putText(data, tag, index, text);
    }

    static void putText(ProtoBuffer data, int tag, int index, String text) {
        int message = data.begin(tag);
        data.varint(Tags.IID, iid(index));
        data.string(Tags.INTERNED_TEXT, text);
        data.end(message);
    }

    private static void putStack(ProtoBuffer data, ThreadSequence sequence, StackTable stacks, int stackIndex) {
        sequence.stacks.set(stackIndex);
        int depth = stacks.depth(stackIndex);
        for (int i = 0; i < depth; i++) {
            putFrame(data, sequence, stacks, stacks.frameIndex(stackIndex, i));
        }
        int message = data.begin(Tags.CALLSTACKS);
        data.varint(Tags.IID, iid(stackIndex));
        for (int i = depth - 1; i >= 0; i--) { // outermost first
            data.varint(Tags.CALLSTACK_FRAMES, iid(stacks.frameIndex(stackIndex, i)));
        }
        data.end(message);
    }

    private static void putFrame(ProtoBuffer data, ThreadSequence sequence, StackTable stacks, int frameIndex) {
        if (sequence.frames.get(frameIndex)) {
            return;
        }
        sequence.frames.set(frameIndex);
        StackFrame frame = stacks.frame(frameIndex);
        int label = stacks.labelIndex(frameIndex);
        int module = stacks.moduleIndex(frameIndex);
        putText(data, Tags.FUNCTION_NAMES, sequence.functions, label, frame.label());
        putModule(data, sequence, module, frame.module());
        int source = stacks.sourceIndex(frameIndex);
        if (!frame.file().isEmpty()) {
            putText(data, Tags.SOURCE_PATHS, sequence.sources, source, frame.file());
        }
        int message = data.begin(Tags.FRAMES);
        data.varint(Tags.IID, iid(frameIndex));
        data.varint(Tags.FRAME_FUNCTION, iid(label));
        data.varint(Tags.FRAME_MAPPING, iid(module));
        data.varint(Tags.FRAME_REL_PC, frame.offset());
        if (!frame.file().isEmpty()) {
            data.varint(Tags.FRAME_SOURCE, iid(source));
        }
        if (frame.line() != 0) {
            data.varint(Tags.FRAME_LINE, frame.line());
        }
        data.varint(
                Tags.FRAME_KIND,
                switch (frame.kind()) {
                    case JS -> Frame.Kind.KIND_JIT_VALUE;
                    case NATIVE -> Frame.Kind.KIND_NATIVE_VALUE;
                    case KERNEL -> Frame.Kind.KIND_KERNEL_VALUE;
                });
        data.end(message);
    }

    /** A frame needs a mapping, also where there is none: viewers older than v58 drop it otherwise. */
    private static void putModule(ProtoBuffer data, ThreadSequence sequence, int index, String module) {
        if (sequence.modules.get(index)) {
            return;
        }
        putText(data, Tags.MAPPING_PATHS, sequence.modules, index, module);
        int message = data.begin(Tags.MAPPINGS);
        data.varint(Tags.IID, iid(index));
        data.varint(Tags.MAPPING_PATH, iid(index));
        data.end(message);
    }
}
