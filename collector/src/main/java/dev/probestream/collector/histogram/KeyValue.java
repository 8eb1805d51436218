package dev.probestream.collector.histogram;

import dev.probestream.collector.probe.ArgumentType;

/**
 * One part of a key.
 *
 * @param type type of the number or of the text
 * @param isReadable false if the value could not be read; number and text are then undefined
 * @param number the number's bits, sign-extended if the type is signed; 0 for a text
 * @param text the text, ending in "…" if it was cut; "" for a number
 */
public record KeyValue(ArgumentType type, boolean isReadable, long number, String text) {
    /**
     * {@return a number}
     *
     * @param type how it is shown
     * @param number its value
     */
    public static KeyValue number(ArgumentType type, long number) {
        return new KeyValue(type, true, number, "");
    }

    /**
     * {@return a text}
     *
     * @param type of the argument
     * @param text its value
     */
    public static KeyValue text(ArgumentType type, String text) {
        return new KeyValue(type, true, 0, text);
    }

    /**
     * {@return the value of memory that could not be read}
     *
     * @param type of the argument
     */
    public static KeyValue unreadable(ArgumentType type) {
        return new KeyValue(type, false, 0, "");
    }
}
