package dev.probestream.bpf.tracefs;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One field of a tracepoint's record.
 *
 * @param name without the brackets of an array
 * @param declaredType the C type as the kernel writes it, without the brackets of an array
 * @param kind the kind of value
 * @param offsetBytes from the start of the record
 * @param sizeBytes of the whole field
 * @param elementCount of an array; else 1
 * @param isSigned whether a number is signed
 */
public record TracepointField(
        String name,
        String declaredType,
        Kind kind,
        int offsetBytes,
        int sizeBytes,
        int elementCount,
        boolean isSigned) {
    private static final Pattern DECLARATION =
            Pattern.compile("(.*?)([A-Za-z_][A-Za-z0-9_]*)\\s*(?:\\[([^\\]]*)\\])?", Pattern.DOTALL);

    /** The kinds of value. */
    public enum Kind {
        /** 1, 2, 4 or 8 bytes. */
        NUMBER,
        /** 8 bytes, an address in the kernel or, at system calls, in the process. */
        POINTER,
        /** An array of characters in place, ended by the first NUL or by its size. */
        CHARS,
        /** An array of numbers in place. */
        NUMBERS,
        /** __data_loc char[]: the lower 16 bits are the offset of the text from the start of the record. */
        TEXT_AT_OFFSET,
        /** __rel_loc char[]: the lower 16 bits are the offset of the text from the end of this field. */
        TEXT_BEHIND_FIELD,
        /** Anything else: a struct, a bit mask of any size. */
        OTHER
    }

    /** {@return size of one element of an array, or of the field} */
    public int elementSizeBytes() {
        return sizeBytes / elementCount;
    }

    /** {@return whether the field is declared as a boolean} */
    public boolean isBoolean() {
        return sizeBytes == 1 && (declaredType.equals("bool") || declaredType.equals("_Bool"));
    }

    /** Reads the text between {@code field:} and the first semicolon; empty when it has no name. */
    static Optional<TracepointField> of(String declaration, int offsetBytes, int sizeBytes, boolean isSigned) {
        Matcher matcher = DECLARATION.matcher(declaration);
        if (!matcher.matches()) {
            return Optional.empty();
        }
        String type = matcher.group(1).strip();
        int elements = matcher.group(3) == null ? 1 : elementCount(matcher.group(3), sizeBytes);
        Kind form = kind(type, matcher.group(3) != null, elements, sizeBytes);
        return Optional.of(new TracepointField(
                matcher.group(2), type, form, offsetBytes, sizeBytes, form == Kind.NUMBERS ? elements : 1, isSigned));
    }

    private static Kind kind(String type, boolean isArray, int elements, int sizeBytes) {
        if (type.startsWith("__data_loc ") || type.startsWith("__rel_loc ")) {
            if (!type.matches("\\S+ (?:const )?char\\s*\\[\\]") || sizeBytes != 4) {
                return Kind.OTHER;
            }
            return type.startsWith("__data_loc ") ? Kind.TEXT_AT_OFFSET : Kind.TEXT_BEHIND_FIELD;
        }
        if (isArray && type.matches("(?:const )?char")) {
            return sizeBytes > 0 ? Kind.CHARS : Kind.OTHER;
        }
        if (elements < 1 || !isNumberSize(sizeBytes / elements)) {
            return Kind.OTHER;
        }
        if (isArray) {
            return Kind.NUMBERS;
        }
        return type.endsWith("*") && sizeBytes == 8 ? Kind.POINTER : Kind.NUMBER;
    }

    /** How many elements an array has; 0 when its length is not a number that divides its size. */
    private static int elementCount(String length, int sizeBytes) {
        if (!length.matches("[1-9][0-9]{0,5}")) {
            return 0;
        }
        int count = Integer.parseInt(length);
        return sizeBytes % count == 0 ? count : 0;
    }

    private static boolean isNumberSize(int sizeBytes) {
        return sizeBytes == 1 || sizeBytes == 2 || sizeBytes == 4 || sizeBytes == 8;
    }
}
