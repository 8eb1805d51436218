package dev.probestream.collector.probe;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/**
 * How the bytes of an argument are to be read.
 *
 * @param form what kind of value it is
 * @param capacityBytes for {@link Form#STR} the most bytes that are read, the terminating NUL included; for {@link
 *     Form#CHARS} the size of the array; for numbers their size in memory (1, 2, 4 or 8); 0 for {@link Form#DECLARED}
 */
public record ArgumentType(Form form, int capacityBytes) {
    /** How much of a string is read when a spec does not say: most paths fit. */
    public static final int DEFAULT_STRING_BYTES = 128;

    /** The longest string that can be asked for: PATH_MAX of linux/limits.h. */
    public static final int MAX_STRING_BYTES = 4096;

    public static final ArgumentType S64 = new ArgumentType(Form.S64, 8);
    public static final ArgumentType DECLARED = new ArgumentType(Form.DECLARED, 0);

    /** The forms of a value; the names are the spellings in a spec, in capitals. */
    public enum Form {
        S8(1, true),
        U8(1, false),
        S16(2, true),
        U16(2, false),
        S32(4, true),
        U32(4, false),
        S64(8, true),
        U64(8, false),
        /** An address; shown in hex. */
        PTR(8, false),
        /** One byte; 0 is false. */
        BOOL(1, false),
        /** NUL-terminated text behind a pointer. */
        STR(0, false),
        /** An array of characters in place, ended by the first NUL or by its size. */
        CHARS(0, false),
        /** As the tracepoint's format file declares the field. */
        DECLARED(0, false);

        private final int sizeBytes;
        private final boolean signed;

        Form(int sizeBytes, boolean signed) {
            this.sizeBytes = sizeBytes;
            this.signed = signed;
        }
    }

    public ArgumentType {
        boolean isText = form == Form.STR || form == Form.CHARS;
        if (isText && (capacityBytes < 1 || capacityBytes > MAX_STRING_BYTES)) {
            throw new IllegalArgumentException(
                    "a string of " + capacityBytes + " bytes: 1 to " + MAX_STRING_BYTES + " can be read");
        }
        if (!isText && capacityBytes != form.sizeBytes) {
            throw new IllegalArgumentException(form + " of " + capacityBytes + " bytes");
        }
    }

    /** A number of this form. */
    public static ArgumentType number(Form form) {
        return new ArgumentType(form, form.sizeBytes);
    }

    /** Text behind a pointer, of which at most {@code capacityBytes} are read. */
    public static ArgumentType string(int capacityBytes) {
        return new ArgumentType(Form.STR, capacityBytes);
    }

    /** An array of {@code sizeBytes} characters in place. */
    public static ArgumentType chars(int sizeBytes) {
        return new ArgumentType(Form.CHARS, sizeBytes);
    }

    static Optional<ArgumentType> ofSpelling(String word) {
        if (word.equals("str")) {
            return Optional.of(string(DEFAULT_STRING_BYTES));
        }
        return Arrays.stream(Form.values())
                .filter(form -> form.sizeBytes != 0
                        && form.name().toLowerCase(Locale.ROOT).equals(word))
                .map(ArgumentType::number)
                .findFirst();
    }

    /** Whether the value is text; everything else is a number. */
    public boolean isText() {
        return form == Form.STR || form == Form.CHARS;
    }

    /** Whether the number must be sign-extended. */
    public boolean isSigned() {
        return form.signed;
    }

    /** The type as the Avro record {@code Argument} names it: {@code s32}, {@code str}, {@code char[16]}. */
    public String recordName() {
        return form == Form.CHARS ? "char[" + capacityBytes + "]" : form.name().toLowerCase(Locale.ROOT);
    }
}
