package dev.probestream.convert.chrome;

import dev.probestream.convert.shape.ArgumentShape;
import dev.probestream.convert.shape.ArgumentSink;
import dev.probestream.convert.timeline.RequestSpan;
import dev.probestream.convert.timeline.StackTable;
import dev.probestream.convert.timeline.Timeline;
import dev.probestream.convert.timeline.TraceEvent;

/** Writes an event's arguments, and its stack, as the member "args". */
final class ArgumentMembers implements ArgumentSink {
    private static final byte[] ARGS = JsonBuffer.ascii(",\"args\":{");
    private static final byte[] STACK = JsonBuffer.ascii("\"stack\":[");
    private static final byte[] TRUE = JsonBuffer.ascii("true");
    private static final byte[] FALSE = JsonBuffer.ascii("false");

    private final JsonBuffer buffer;

    /** {@code "name":} by the index of the argument's name. */
    private final byte[][] keys;

    private boolean hasMembers;

    ArgumentMembers(JsonBuffer buffer, Timeline timeline) {
        this.buffer = buffer;
        this.keys = new byte[timeline.argumentNames().size()][];
        for (int i = 0; i < keys.length; i++) {
            JsonBuffer key = new JsonBuffer(64);
            key.text(timeline.argumentNames().name(i));
            key.raw(':');
            keys[i] = key.toByteArray();
        }
    }

    void put(TraceEvent event) {
        hasMembers = false;
        event.showArguments(this);
        if (event.stackIndex() != TraceEvent.NO_STACK) {
            separate();
            putStack(event.thread().process().capture().stacks(), event.stackIndex());
        }
        if (hasMembers) {
            buffer.raw('}');
        }
    }

    void put(RequestSpan request) {
        hasMembers = false;
        request.showArguments(this);
        if (hasMembers) {
            buffer.raw('}');
        }
    }

    /** Leaf first, as a person reads a stack. */
    private void putStack(StackTable stacks, int stackIndex) {
        buffer.raw(STACK);
        for (int i = 0; i < stacks.depth(stackIndex); i++) {
            if (i > 0) {
                buffer.raw(',');
            }
            buffer.text(stacks.frame(stacks.frameIndex(stackIndex, i)).text());
        }
        buffer.raw(']');
    }

    @Override
    public void signed(ArgumentShape argument, long value) {
        key(argument);
        buffer.safeNumber(value);
    }

    @Override
    public void unsigned(ArgumentShape argument, long value) {
        key(argument);
        buffer.safeUnsigned(value);
    }

    @Override
    public void hexadecimal(ArgumentShape argument, long value) {
        key(argument);
        buffer.hexText(value);
    }

    @Override
    public void bool(ArgumentShape argument, boolean value) {
        key(argument);
        buffer.raw(value ? TRUE : FALSE);
    }

    @Override
    public void text(ArgumentShape argument, byte[] utf8, int offset, int lengthBytes) {
        key(argument);
        buffer.text(utf8, offset, lengthBytes);
    }

    private void key(ArgumentShape argument) {
        separate();
        buffer.raw(keys[argument.nameIndex()]);
    }

    private void separate() {
        if (hasMembers) {
            buffer.raw(',');
        } else {
            buffer.raw(ARGS);
            hasMembers = true;
        }
    }
}
