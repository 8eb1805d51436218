package dev.probestream.collector.histogram;

import dev.probestream.collector.probe.ArgumentType;

/**
 * One part of a key.
 *
 * @param type how the number is meant; a text's type for texts
 * @param isReadable false when the hit's value could not be read: then the rest means nothing
 * @param number its bits, sign-extended when the type is signed; 0 for a text
 * @param text as in memory, "…" at its end when it was cut; "" for a number
 */
public record KeyValue(ArgumentType type, boolean isReadable, long number, String text) {
    public static KeyValue number(ArgumentType type, long number) {
        return new KeyValue(type, true, number, "");
    }

    public static KeyValue text(ArgumentType type, String text) {
        return new KeyValue(type, true, 0, text);
    }

    public static KeyValue unreadable(ArgumentType type) {
        return new KeyValue(type, false, 0, "");
    }
}
