package dev.probestream.convert.shape;

/** Takes the arguments of an event one after the other, see {@code TraceEvent.showArguments}. */
public interface ArgumentSink {
    void signed(ArgumentShape argument, long value);

    /** All 64 bits count. */
    void unsigned(ArgumentShape argument, long value);

    /** Pointers and flags: all 64 bits, to be shown as 0x… */
    void hexadecimal(ArgumentShape argument, long value);

    void bool(ArgumentShape argument, boolean value);

    /** Text that is meant to be UTF-8 but need not be, see {@link Utf8}; borrowed. */
    void text(ArgumentShape argument, byte[] utf8, int offset, int lengthBytes);
}
