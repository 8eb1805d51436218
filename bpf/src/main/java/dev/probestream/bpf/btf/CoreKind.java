package dev.probestream.bpf.btf;

/** What a CO-RE relocation asks for, in the order of {@code enum bpf_core_relo_kind} of linux/bpf.h. */
public enum CoreKind {
    /** The offset of a field in bytes. */
    FIELD_BYTE_OFFSET,
    /** The size of a field in bytes. */
    FIELD_BYTE_SIZE,
    /** 1 if there is the field, else 0. */
    FIELD_EXISTS,
    /** 1 if the field is signed, else 0. */
    FIELD_SIGNED,
    /** How far to shift a bit field to the left, in 64 bits. */
    FIELD_LSHIFT_U64,
    /** And then to the right. */
    FIELD_RSHIFT_U64,
    /** The id of the type in the object's own BTF. */
    TYPE_ID_LOCAL,
    /** The id of the type in the kernel's BTF. */
    TYPE_ID_TARGET,
    /** 1 if there is the type, else 0. */
    TYPE_EXISTS,
    /** The size of the type in bytes. */
    TYPE_SIZE,
    /** 1 if there is the value of an enumeration, else 0. */
    ENUMVAL_EXISTS,
    /** The value of an enumerator. */
    ENUMVAL_VALUE,
    /** 1 if there is a type with the same members, else 0. */
    TYPE_MATCHES;

    private static final CoreKind[] BY_NUMBER = values();

    static boolean isKnown(int number) {
        return number >= 0 && number < BY_NUMBER.length;
    }

    /** {@code number} is known. */
    static CoreKind ofNumber(int number) {
        return BY_NUMBER[number];
    }

    boolean isOfField() {
        return switch (this) {
            case FIELD_BYTE_OFFSET, FIELD_BYTE_SIZE, FIELD_EXISTS, FIELD_SIGNED, FIELD_LSHIFT_U64, FIELD_RSHIFT_U64 ->
                true;
            case TYPE_ID_LOCAL, TYPE_ID_TARGET, TYPE_EXISTS, TYPE_SIZE, ENUMVAL_EXISTS, ENUMVAL_VALUE, TYPE_MATCHES ->
                false;
        };
    }

    boolean isOfEnumerator() {
        return this == ENUMVAL_EXISTS || this == ENUMVAL_VALUE;
    }

    /** Whether it is 0, and not unknown, where there is nothing. */
    boolean asksForExistence() {
        return this == FIELD_EXISTS || this == TYPE_EXISTS || this == ENUMVAL_EXISTS || this == TYPE_MATCHES;
    }
}
