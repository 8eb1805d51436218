package dev.probestream.collector.probe;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/**
 * How the bytes of an argument are to be read.
 *
 * @param form what kind of value it is
 * @param capacityBytes for {@link Form#STR} and its kin the most bytes that are read, the terminating NUL included; for {@link
 *     Form#CHARS} the size of the array; for numbers their size in memory (1, 2, 4 or 8); 0 for {@link Form#DECLARED}
 * @param lengthArgument for {@link Form#COUNTED} the argument that holds the text's length in bytes, counted from 1, or
 *     0 when the length lies 8 bytes behind the text's pointer in memory; else 0
 */
public record ArgumentType(Form form, int capacityBytes, int lengthArgument) {
    /** How much of a string is read when a spec does not say: most paths fit. */
    public static final int DEFAULT_STRING_BYTES = 128;

    /** The longest string that can be asked for: PATH_MAX of linux/limits.h. */
    public static final int MAX_STRING_BYTES = 4096;

    public static final ArgumentType S64 = number(Form.S64);
    public static final ArgumentType DECLARED = number(Form.DECLARED);

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
        /** Text behind a pointer whose length in bytes is told apart from it; no NUL ends it. */
        COUNTED(0, false),
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
        boolean isText = form == Form.STR || form == Form.COUNTED || form == Form.CHARS;
        if (isText && (capacityBytes < 1 || capacityBytes > MAX_STRING_BYTES)) {
            throw new IllegalArgumentException(
                    "a string of " + capacityBytes + " bytes: 1 to " + MAX_STRING_BYTES + " can be read");
        }
        if (!isText && capacityBytes != form.sizeBytes) {
            throw new IllegalArgumentException(form + " of " + capacityBytes + " bytes");
        }
        if (lengthArgument != 0 && form != Form.COUNTED) {
            throw new IllegalArgumentException(form + " with the length in argument " + lengthArgument);
        }
    }

    /** A number of this form. */
    public static ArgumentType number(Form form) {
        return new ArgumentType(form, form.sizeBytes, 0);
    }

    /** Text behind a pointer, of which at most {@code capacityBytes} are read. */
    public static ArgumentType string(int capacityBytes) {
        return new ArgumentType(Form.STR, capacityBytes, 0);
    }

    /** Text behind a pointer, its length in bytes in another argument: {@code str[argN,CAPACITY]}. */
    public static ArgumentType countedString(int lengthArgument, int capacityBytes) {
        return new ArgumentType(Form.COUNTED, capacityBytes, lengthArgument);
    }

    /**
     * A string of Go's: pointer and length.
     *
     * @param lengthArgument the argument behind the pointer's, or 0 when both lie in memory
     */
    static ArgumentType goString(int lengthArgument, int capacityBytes) {
        return new ArgumentType(Form.COUNTED, capacityBytes, lengthArgument);
    }

    /** An array of {@code sizeBytes} characters in place. */
    public static ArgumentType chars(int sizeBytes) {
        return new ArgumentType(Form.CHARS, sizeBytes, 0);
    }

    static Optional<ArgumentType> ofSpelling(String word) {
        return Arrays.stream(Form.values())
                .filter(form -> form.sizeBytes != 0
                        && form.name().toLowerCase(Locale.ROOT).equals(word))
                .map(ArgumentType::number)
                .findFirst();
    }

    /** Whether the value is text; everything else is a number. */
    public boolean isText() {
        return form == Form.STR || form == Form.COUNTED || form == Form.CHARS;
    }

    /** Whether the number must be sign-extended. */
    public boolean isSigned() {
        return form.signed;
    }

    /** The type as the Avro record {@code Argument} names it: {@code s32}, {@code str}, {@code char[16]}. */
    public String recordName() {
        return switch (form) {
            case CHARS -> "char[" + capacityBytes + "]";
            case COUNTED -> "str"; // how the length was found is no matter to who reads the text
            case S8, U8, S16, U16, S32, U32, S64, U64, PTR, BOOL, STR, DECLARED ->
                form.name().toLowerCase(Locale.ROOT);
        };
    }
}
