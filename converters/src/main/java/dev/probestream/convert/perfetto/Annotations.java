package dev.probestream.convert.perfetto;

import dev.probestream.convert.shape.ArgumentShape;
import dev.probestream.convert.shape.ArgumentSink;

/** Writes arguments as debug annotations of a track event. */
final class Annotations implements ArgumentSink {
    private final ProtoBuffer event;

    /** @param event the buffer in which the track event is being written */
    Annotations(ProtoBuffer event) {
        this.event = event;
    }

    @Override
    public void signed(ArgumentShape argument, long value) {
        put(argument, Tags.INT_VALUE, value);
    }

    @Override
    public void unsigned(ArgumentShape argument, long value) {
        put(argument, Tags.UINT_VALUE, value);
    }

    @Override
    public void hexadecimal(ArgumentShape argument, long value) {
        put(argument, Tags.POINTER_VALUE, value);
    }

    @Override
    public void bool(ArgumentShape argument, boolean value) {
        put(argument, Tags.BOOL_VALUE, value ? 1 : 0);
    }

    @Override
    public void text(ArgumentShape argument, byte[] utf8, int offset, int lengthBytes) {
        int message = begin(argument);
        event.text(Tags.STRING_VALUE, utf8, offset, lengthBytes);
        event.end(message);
    }

    private void put(ArgumentShape argument, int tag, long value) {
        int message = begin(argument);
        event.varint(tag, value);
        event.end(message);
    }

    private int begin(ArgumentShape argument) {
        int message = event.begin(Tags.DEBUG_ANNOTATIONS);
        event.varint(Tags.ANNOTATION_NAME_IID, Interning.iid(argument.nameIndex()));
        return message;
    }
}
