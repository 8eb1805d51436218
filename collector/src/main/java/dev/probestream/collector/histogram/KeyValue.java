package dev.probestream.collector.histogram;

import dev.probestream.collector.probe.ArgumentType;
import java.util.List;
import java.util.Map;

/**
 * One part of a key.
 *
 * @param type type of the number or of the text
 * @param isReadable false if the value could not be read; number and text are then undefined
 * @param number the number's bits, sign-extended if the type is signed; 0 for a text
 * @param text the text, ending in "…" if it was cut to the room of its type; "" for a number or a stack; of a function of a stack its text
 * @param stack the functions of a stack, the innermost first; empty for a number or a text
 */
public record KeyValue(ArgumentType type, boolean isReadable, long number, String text, List<StackFunction> stack) {
    private static final ArgumentType NAME = ArgumentType.string(ArgumentType.DEFAULT_STRING_BYTES);
    private static final ArgumentType STACK = ArgumentType.string(ArgumentType.MAX_STRING_BYTES);

    /** Copies the list. */
    public KeyValue {
        stack = List.copyOf(stack);
    }

    /**
     * {@return a number}
     *
     * @param type how it is shown
     * @param number its value
     */
    public static KeyValue number(ArgumentType type, long number) {
        return new KeyValue(type, true, number, "", List.of());
    }

    /**
     * {@return a number, or its name as a text if it has one}
     *
     * @param type how the number is shown
     * @param number its value
     * @param names names for values, by the value in decimal
     */
    public static KeyValue named(ArgumentType type, long number, Map<String, String> names) {
        String name = names.get(String.valueOf(number));
        return name == null ? number(type, number) : text(NAME, name);
    }

    /**
     * {@return a text}
     *
     * @param type of the argument
     * @param text its value
     */
    public static KeyValue text(ArgumentType type, String text) {
        return new KeyValue(type, true, 0, text, List.of());
    }

    /**
     * {@return the value of memory that could not be read}
     *
     * @param type of the argument
     */
    public static KeyValue unreadable(ArgumentType type) {
        return new KeyValue(type, false, 0, "", List.of());
    }

    /**
     * {@return a stack, or a function of one}
     *
     * @param functions the innermost first; at least one
     */
    public static KeyValue stack(List<StackFunction> functions) {
        String text = functions.size() == 1 ? functions.get(0).text() : "";
        return new KeyValue(STACK, true, 0, text, functions);
    }
}
