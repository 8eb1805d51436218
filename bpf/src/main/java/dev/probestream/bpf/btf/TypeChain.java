package dev.probestream.bpf.btf;

/** Resolves typedefs and qualifiers of a type, and computes its size. */
final class TypeChain {
    /** No C compiler nests deeper; bounds the work on types that refer to themselves. */
    static final int MAX_DEPTH = 32;

    private static final int POINTER_BYTES = 8;

    private TypeChain() {}

    /** The id behind typedefs, const, volatile, restrict and tags; 0 is void. */
    static int bare(BtfFile btf, int typeId) throws BtfFormatException {
        int id = typeId;
        for (int depth = 0; id != 0 && btf.kind(id).isWrapper(); depth++) {
            if (depth == MAX_DEPTH) {
                throw btf.malformedType(typeId, "is a typedef of itself");
            }
            id = btf.referredId(id);
        }
        return id;
    }

    /** The size of a type, typedefs and qualifiers taken off; 0 for void, functions and forward declarations. */
    static long sizeBytes(BtfFile btf, int typeId) throws BtfFormatException {
        long elements = 1;
        int id = bare(btf, typeId);
        for (int depth = 0; id != 0 && btf.kind(id) == BtfKind.ARRAY; depth++) {
            if (depth == MAX_DEPTH) {
                throw btf.malformedType(typeId, "is an array of itself");
            }
            elements = product(btf, typeId, elements, btf.elementCount(id));
            id = bare(btf, btf.elementId(id));
        }
        return id == 0 ? 0 : product(btf, typeId, elements, plainSizeBytes(btf, id));
    }

    private static long plainSizeBytes(BtfFile btf, int id) {
        return switch (btf.kind(id)) {
            case INT, STRUCT, UNION, ENUM, ENUM64, FLOAT, DATA_SECTION -> btf.sizeBytes(id);
            case POINTER -> POINTER_BYTES;
            case ARRAY,
                    FORWARD,
                    TYPEDEF,
                    VOLATILE,
                    CONST,
                    RESTRICT,
                    FUNCTION,
                    FUNCTION_PROTOTYPE,
                    VARIABLE,
                    DECLARATION_TAG,
                    TYPE_TAG -> 0;
        };
    }

    private static long product(BtfFile btf, int typeId, long one, long other) throws BtfFormatException {
        if (other != 0 && one > Integer.MAX_VALUE / other) {
            throw btf.malformedType(typeId, "is larger than 2 GiB");
        }
        return one * other;
    }
}
