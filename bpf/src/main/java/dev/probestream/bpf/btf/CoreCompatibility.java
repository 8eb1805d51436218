package dev.probestream.bpf.btf;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * Whether a type of an object and one of the kernel are the same for CO-RE, by the rules of tools/lib/bpf/relo_core.c:
 * {@code bpf_core_fields_are_compat}, {@code bpf_core_types_are_compat}, {@code bpf_core_types_match}. A flavor
 * ({@code name___flavor}) is not part of a name.
 */
final class CoreCompatibility {
    private static final int MAX_DEPTH = 32;

    private CoreCompatibility() {}

    static String essential(String name) {
        int flavor = name.lastIndexOf("___");
        return flavor > 0 && flavor + 3 < name.length() ? name.substring(0, flavor) : name;
    }

    /** Of members: structures by anything, numbers of any size, arrays by their elements. */
    static boolean ofFields(BtfFile local, int localId, BtfFile target, int targetId) throws BtfFormatException {
        int one = TypeChain.bare(local, localId);
        int other = TypeChain.bare(target, targetId);
        for (int depth = 0; depth < MAX_DEPTH; depth++) {
            if (one == 0 || other == 0) {
                return one == other;
            }
            BtfKind kind = local.kind(one);
            if (kind.isComposite() && target.kind(other).isComposite()) {
                return true;
            }
            if (!isSameKind(kind, target.kind(other))) {
                return false;
            }
            switch (kind) {
                case POINTER, FLOAT, INT -> {
                    return true;
                }
                case ENUM, ENUM64, FORWARD -> {
                    String name = essential(local.name(one));
                    String targetName = essential(target.name(other));
                    return name.isEmpty() || targetName.isEmpty() || name.equals(targetName);
                }
                case ARRAY -> {
                    one = TypeChain.bare(local, local.elementId(one));
                    other = TypeChain.bare(target, target.elementId(other));
                }
                default -> {
                    return false;
                }
            }
        }
        return false;
    }

    /** Of whole types: pointers by what they point to, functions by their arguments, all else by its kind. */
    static boolean ofTypes(BtfFile local, int localId, BtfFile target, int targetId, int depth)
            throws BtfFormatException {
        int one = TypeChain.bare(local, localId);
        int other = TypeChain.bare(target, targetId);
        if (one == 0 || other == 0 || depth > MAX_DEPTH) {
            return one == other;
        }
        BtfKind kind = local.kind(one);
        if (!isSameKind(kind, target.kind(other))) {
            return false;
        }
        return switch (kind) {
            case POINTER -> ofTypes(local, local.referredId(one), target, target.referredId(other), depth + 1);
            case ARRAY -> ofTypes(local, local.elementId(one), target, target.elementId(other), depth + 1);
            case FUNCTION_PROTOTYPE -> {
                boolean same = local.memberCount(one) == target.memberCount(other)
                        && ofTypes(local, local.referredId(one), target, target.referredId(other), depth + 1);
                for (int i = 0; same && i < local.memberCount(one); i++) {
                    // As in libbpf, arguments are compared one level deep.
                    same = isSameKind(local, local.parameterTypeId(one, i), target, target.parameterTypeId(other, i));
                }
                yield same;
            }
            default -> true;
        };
    }

    /** Whether the kernel's type has every member of the object's, with types that match. */
    static boolean matches(BtfFile local, int localId, BtfFile target, int targetId, boolean behindPointer, int depth)
            throws BtfFormatException {
        int one = TypeChain.bare(local, localId);
        int other = TypeChain.bare(target, targetId);
        if (one == 0 || other == 0 || depth > MAX_DEPTH) {
            return one == other;
        }
        BtfKind kind = local.kind(one);
        BtfKind targetKind = target.kind(other);
        if (!essential(local.name(one)).equals(essential(target.name(other)))) {
            return false;
        }
        boolean forwards = kind == BtfKind.FORWARD || targetKind == BtfKind.FORWARD;
        if (behindPointer && forwards) {
            return (kind == BtfKind.FORWARD || kind.isComposite())
                    && (targetKind == BtfKind.FORWARD || targetKind.isComposite());
        }
        if (!isSameKind(kind, targetKind)) {
            return false;
        }
        return switch (kind) {
            case INT ->
                local.sizeBytes(one) == target.sizeBytes(other) && local.isSignedInt(one) == target.isSignedInt(other);
            case ENUM, ENUM64 -> hasEnumerators(local, one, target, other);
            case STRUCT, UNION -> behindPointer || hasMembers(local, one, target, other, depth);
            case POINTER -> matches(local, local.referredId(one), target, target.referredId(other), true, depth + 1);
            case ARRAY ->
                local.elementCount(one) == target.elementCount(other)
                        && matches(
                                local, local.elementId(one), target, target.elementId(other), behindPointer, depth + 1);
            case FUNCTION_PROTOTYPE -> ofTypes(local, one, target, other, depth + 1);
            default -> true;
        };
    }

    private static boolean hasMembers(BtfFile local, int one, BtfFile target, int other, int depth)
            throws BtfFormatException {
        if (local.memberCount(one) > target.memberCount(other) || depth > 4) {
            return depth > 4;
        }
        for (int i = 0; i < local.memberCount(one); i++) {
            byte[] name = local.memberName(one, i).getBytes(UTF_8);
            boolean found = false;
            for (int j = 0; !found && j < target.memberCount(other); j++) {
                found = target.isMemberNamed(other, j, name)
                        && matches(
                                local,
                                local.memberTypeId(one, i),
                                target,
                                target.memberTypeId(other, j),
                                false,
                                depth + 1);
            }
            if (!found) {
                return false;
            }
        }
        return true;
    }

    private static boolean hasEnumerators(BtfFile local, int one, BtfFile target, int other) throws BtfFormatException {
        if (local.memberCount(one) > target.memberCount(other)) {
            return false;
        }
        for (int i = 0; i < local.memberCount(one); i++) {
            byte[] name = essential(local.memberName(one, i)).getBytes(UTF_8);
            boolean found = false;
            for (int j = 0; !found && j < target.memberCount(other); j++) {
                found = target.isMemberNamed(other, j, name);
            }
            if (!found) {
                return false;
            }
        }
        return true;
    }

    private static boolean isSameKind(BtfFile local, int localId, BtfFile target, int targetId)
            throws BtfFormatException {
        int one = TypeChain.bare(local, localId);
        int other = TypeChain.bare(target, targetId);
        return (one == 0 || other == 0) ? one == other : isSameKind(local.kind(one), target.kind(other));
    }

    static boolean isSameKind(BtfKind one, BtfKind other) {
        return one == other || (isEnum(one) && isEnum(other));
    }

    private static boolean isEnum(BtfKind kind) {
        return kind == BtfKind.ENUM || kind == BtfKind.ENUM64;
    }
}
