package dev.probestream.convert.timeline;

import dev.probestream.convert.shape.LongMap;
import dev.probestream.convert.shape.NameTable;
import dev.probestream.schema.record.Frame;
import dev.probestream.schema.record.FrameKind;
import dev.probestream.schema.record.Stack;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The stacks of one capture, by index from 0; frames that are equal are kept once. Index 0 stands in for missing ones. */
public final class StackTable {
    public static final int UNKNOWN = 0;

    private record Entry(StackFrame frame, int label, int module, int source) {}

    private final List<int[]> stacks = new ArrayList<>();
    private final LongMap<Integer> indexes = new LongMap<>();
    private final List<Entry> frames = new ArrayList<>();
    private final Map<StackFrame, Integer> frameIndexes = new HashMap<>();
    private final NameTable labels = new NameTable();
    private final NameTable modules = new NameTable();
    private final NameTable sources = new NameTable();

    StackTable() {
        String text = "stack is missing in the recording";
        StackFrame missing = new StackFrame(text, text, "", 0, FrameKind.NATIVE, "", 0);
        stacks.add(new int[] {frameIndex(missing)});
    }

    void add(Stack stack) {
        if (indexes.get(stack.getStackId()) != null || stack.getFrames().isEmpty()) {
            return;
        }
        int[] frameOfDepth = new int[stack.getFrames().size()];
        for (int i = 0; i < frameOfDepth.length; i++) {
            Frame frame = stack.getFrames().get(i);
            frameOfDepth[i] = frameIndex(StackFrame.of(frame));
        }
        indexes.put(stack.getStackId(), stacks.size());
        stacks.add(frameOfDepth);
    }

    private int frameIndex(StackFrame frame) {
        Integer known = frameIndexes.get(frame);
        if (known != null) {
            return known;
        }
        // The tables' own strings, so that equal ones of many frames are kept once.
        int label = labels.add(frame.label());
        int module = modules.add(frame.module());
        int source = sources.add(frame.file());
        StackFrame shared = new StackFrame(
                labels.name(label),
                frame.text(),
                modules.name(module),
                frame.offset(),
                frame.kind(),
                sources.name(source),
                frame.line());
        Entry entry = new Entry(shared, label, module, source);
        frameIndexes.put(entry.frame, frames.size());
        frames.add(entry);
        return frames.size() - 1;
    }

    /** {@link #UNKNOWN} if the recording does not hold it. */
    public int indexOf(long stackId) {
        Integer index = indexes.get(stackId);
        return index == null ? UNKNOWN : index;
    }

    /** How many frames the stack has, at least 1. */
    public int depth(int stackIndex) {
        return stacks.get(stackIndex).length;
    }

    /** Which frame is at that depth; 0 = the leaf. */
    public int frameIndex(int stackIndex, int depth) {
        return stacks.get(stackIndex)[depth];
    }

    public StackFrame frame(int frameIndex) {
        return frames.get(frameIndex).frame;
    }

    /** Equal for frames with equal {@link StackFrame#label}; counts from 0. */
    public int labelIndex(int frameIndex) {
        return frames.get(frameIndex).label;
    }

    /** Equal for frames with equal {@link StackFrame#module}; counts from 0. */
    public int moduleIndex(int frameIndex) {
        return frames.get(frameIndex).module;
    }

    /** Equal for frames with equal {@link StackFrame#file}; counts from 0. */
    public int sourceIndex(int frameIndex) {
        return frames.get(frameIndex).source;
    }
}
