package dev.probestream.bpf.btf;

import dev.probestream.bpf.btf.MemberSearch.Member;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The location of a field in a kernel structure, e.g. {@code task_struct.se.vruntime}.
 *
 * @param path as asked: the structure (or union, or typedef of one), then fields; members of anonymous structures and
 *     unions are named as in C, without them
 * @param offsetBytes from the start of the structure; for a bit field, of the byte that holds its lowest bit
 * @param sizeBytes of the field; for a bit field, of its declared type
 * @param bitOffset of a bit field: its lowest bit, counted from the lowest bit of that byte; else 0
 * @param bitSize of a bit field; else 0
 * @param isSigned whether it is a signed integer
 * @param typeId of the field's type, typedefs and qualifiers taken off; 0 = void
 */
public record FieldPath(
        String path, long offsetBytes, long sizeBytes, int bitOffset, int bitSize, boolean isSigned, int typeId) {
    /** The maximum number of fields that a message lists. */
    private static final int MAX_NAMED_FIELDS = 12;

    /**
     * Looks up the fields.
     *
     * @param btf where to look
     * @param path the structure and its fields
     * @return where the field is
     * @throws UnknownFieldException the structure or a field is missing, or a field before the last is not a structure
     * @throws BtfFormatException if the bytes are malformed
     */
    public static FieldPath resolve(BtfFile btf, String path) throws BtfFormatException, UnknownFieldException {
        String[] names = path.split("\\.", -1);
        Member place = new Member(0, 0, structure(btf, path, names[0]));
        for (int i = 1; i < names.length; i++) {
            Member outer = place;
            if (outer.typeId() == 0 || !btf.kind(outer.typeId()).isComposite()) {
                throw new UnknownFieldException(notFound(path) + names[i - 1] + " is not a structure"
                        + (isPointer(btf, outer) ? " but a pointer, which a path cannot cross" : ""));
            }
            Optional<Member> member = MemberSearch.find(btf, outer.typeId(), names[i]);
            if (member.isEmpty()) {
                throw new UnknownFieldException(notFound(path) + names[i - 1] + " has no field " + names[i]
                        + " in this kernel (it has " + fieldNames(btf, outer.typeId()) + ")");
            }
            place = new Member(
                    outer.bits() + member.get().bits(),
                    member.get().bitSize(),
                    member.get().typeId());
        }
        return of(btf, path, place);
    }

    /** {@return whether it is narrower than its type, and must be shifted and masked} */
    public boolean isBitField() {
        return bitSize != 0;
    }

    private static FieldPath of(BtfFile btf, String path, Member place) throws BtfFormatException {
        int id = place.typeId();
        return new FieldPath(
                path,
                place.bits() / 8,
                TypeChain.sizeBytes(btf, id),
                (int) (place.bits() % 8),
                place.bitSize(),
                id != 0 && btf.kind(id) == BtfKind.INT && btf.isSignedInt(id),
                id);
    }

    private static int structure(BtfFile btf, String path, String name)
            throws BtfFormatException, UnknownFieldException {
        for (BtfKind kind : List.of(BtfKind.STRUCT, BtfKind.UNION, BtfKind.TYPEDEF)) {
            OptionalInt id = btf.typeId(name, kind);
            if (id.isPresent()) {
                return TypeChain.bare(btf, id.getAsInt());
            }
        }
        throw new UnknownFieldException(notFound(path) + "this kernel has no structure " + name);
    }

    private static boolean isPointer(BtfFile btf, Member place) {
        return place.typeId() != 0 && btf.kind(place.typeId()) == BtfKind.POINTER;
    }

    private static String fieldNames(BtfFile btf, int structureId) throws BtfFormatException {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < btf.memberCount(structureId); i++) {
            if (!btf.isMemberAnonymous(structureId, i)) {
                if (names.size() == MAX_NAMED_FIELDS) {
                    names.add("...");
                    break;
                }
                names.add(btf.memberName(structureId, i));
            }
        }
        return String.join(", ", names);
    }

    private static String notFound(String path) {
        return "look up " + path + " in the kernel's BTF: ";
    }
}
