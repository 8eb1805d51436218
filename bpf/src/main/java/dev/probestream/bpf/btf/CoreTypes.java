package dev.probestream.bpf.btf;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Resolves CO-RE relocations of one object against the types of a kernel, as tools/lib/bpf/relo_core.c does: the type is
 * searched by kind and name without flavor, the field by the names of its members. For one thread.
 */
public final class CoreTypes {
    private final BtfFile local;
    private final BtfFile kernel;
    private final Map<String, List<Integer>> candidates = new HashMap<>();

    /**
     * Prepares it.
     *
     * @param local the types of the object
     * @param kernel the types of the kernel
     */
    public CoreTypes(BtfFile local, BtfFile kernel) {
        this.local = local;
        this.kernel = kernel;
    }

    /**
     * {@return the number in this kernel; empty where it lacks what the relocation asks for}
     *
     * @param relocation of the object
     * @throws BtfFormatException if the types are malformed, or several types of the kernel answer differently
     */
    public Optional<CoreValue> resolve(CoreRelocation relocation) throws BtfFormatException {
        if (relocation.kind() == CoreKind.TYPE_ID_LOCAL) {
            return Optional.of(CoreValue.of(relocation.typeId()));
        }
        Optional<CoreValue> found = Optional.empty();
        for (int candidate : candidates(relocation.typeId())) {
            Optional<CoreValue> value = ofCandidate(relocation, candidate);
            if (value.isPresent() && found.isPresent() && !value.equals(found)) {
                if (relocation.kind() == CoreKind.TYPE_ID_TARGET) {
                    continue; // the first of several equal types
                }
                throw local.malformedType(
                        relocation.typeId(),
                        "is ambiguous in the kernel: " + describe(relocation) + " has two answers");
            }
            found = value.isPresent() ? value : found;
        }
        return found.isEmpty() && relocation.kind().asksForExistence() ? Optional.of(CoreValue.of(0)) : found;
    }

    /**
     * {@return the number that the compiler put into the instruction, of the object's own types; empty where that is
     * none to compare with}
     *
     * @param relocation of the object
     * @throws BtfFormatException if the types are malformed
     */
    public Optional<CoreValue> local(CoreRelocation relocation) throws BtfFormatException {
        if (relocation.typeId() == 0) {
            return Optional.empty();
        }
        return relocation.kind().isOfField()
                ? Optional.of(field(relocation).value(relocation.kind()))
                : Optional.empty();
    }

    /**
     * {@return the relocation in words, such as {@code offset of task_struct.exit_code}}
     *
     * @param relocation of the object
     * @throws BtfFormatException if the types are malformed
     */
    public String describe(CoreRelocation relocation) throws BtfFormatException {
        StringBuilder text = new StringBuilder(relocation.kind().name().toLowerCase(Locale.ROOT)).append(' ');
        text.append(relocation.typeId() == 0 ? "void" : local.name(relocation.typeId()));
        if (relocation.typeId() != 0 && relocation.kind().isOfField()) {
            for (CoreField.Step step : field(relocation).steps()) {
                text.append(step.name().isEmpty() ? "[" + step.index() + "]" : "." + step.name());
            }
        } else if (relocation.typeId() != 0 && relocation.kind().isOfEnumerator()) {
            text.append("::").append(local.memberName(relocation.typeId(), enumerator(relocation)));
        }
        return text.toString();
    }

    private Optional<CoreValue> ofCandidate(CoreRelocation relocation, int candidate) throws BtfFormatException {
        int typeId = relocation.typeId();
        return switch (relocation.kind()) {
            case FIELD_BYTE_OFFSET, FIELD_BYTE_SIZE, FIELD_EXISTS, FIELD_SIGNED, FIELD_LSHIFT_U64, FIELD_RSHIFT_U64 -> {
                Optional<CoreField> field = field(relocation).in(kernel, candidate, access(relocation)[0]);
                yield field.isEmpty()
                        ? Optional.empty()
                        : Optional.of(field.get().value(relocation.kind()));
            }
            case TYPE_ID_LOCAL, TYPE_ID_TARGET, TYPE_EXISTS, TYPE_SIZE ->
                CoreCompatibility.ofTypes(local, typeId, kernel, candidate, 0)
                        ? Optional.of(CoreValue.of(
                                switch (relocation.kind()) {
                                    case TYPE_ID_TARGET -> candidate;
                                    case TYPE_SIZE -> TypeChain.sizeBytes(kernel, candidate);
                                    default -> 1;
                                }))
                        : Optional.empty();
            case TYPE_MATCHES ->
                CoreCompatibility.matches(local, typeId, kernel, candidate, false, 0)
                        ? Optional.of(CoreValue.of(1))
                        : Optional.empty();
            case ENUMVAL_EXISTS, ENUMVAL_VALUE -> enumerator(relocation, candidate);
        };
    }

    private Optional<CoreValue> enumerator(CoreRelocation relocation, int candidate) throws BtfFormatException {
        int own = TypeChain.bare(local, relocation.typeId());
        int enumeration = TypeChain.bare(kernel, candidate);
        if (enumeration == 0 || own == 0 || !CoreCompatibility.isSameKind(kernel.kind(enumeration), local.kind(own))) {
            return Optional.empty();
        }
        String name = CoreCompatibility.essential(local.memberName(own, enumerator(relocation)));
        for (int i = 0; i < kernel.memberCount(enumeration); i++) {
            if (CoreCompatibility.essential(kernel.memberName(enumeration, i)).equals(name)) {
                return Optional.of(CoreValue.of(
                        relocation.kind() == CoreKind.ENUMVAL_EXISTS ? 1 : kernel.enumeratorValue(enumeration, i)));
            }
        }
        return Optional.empty();
    }

    private int enumerator(CoreRelocation relocation) throws BtfFormatException {
        int id = TypeChain.bare(local, relocation.typeId());
        long index = access(relocation)[0];
        boolean isEnum = id != 0 && (local.kind(id) == BtfKind.ENUM || local.kind(id) == BtfKind.ENUM64);
        if (!isEnum || index >= local.memberCount(id)) {
            throw local.malformedType(relocation.typeId(), "has no enumerator " + index);
        }
        return (int) index;
    }

    private CoreField field(CoreRelocation relocation) throws BtfFormatException {
        return CoreField.local(local, relocation.typeId(), access(relocation));
    }

    private long[] access(CoreRelocation relocation) throws BtfFormatException {
        if (!relocation.access().matches("[0-9]{1,9}(:[0-9]{1,9})*")) {
            throw local.malformedType(
                    Math.max(1, relocation.typeId()),
                    "is accessed by '" + relocation.access() + "', which is no list of indices");
        }
        String[] parts = relocation.access().split(":", -1);
        long[] indices = new long[parts.length];
        for (int i = 0; i < parts.length; i++) {
            indices[i] = Long.parseLong(parts[i]);
        }
        return indices;
    }

    private List<Integer> candidates(int localId) throws BtfFormatException {
        String name = localId == 0 ? "" : CoreCompatibility.essential(local.name(localId));
        if (name.isEmpty()) {
            throw local.malformedType(Math.max(1, localId), "has no name by which the kernel's could be found");
        }
        BtfKind kind = local.kind(localId);
        String key = kind + " " + name;
        List<Integer> found = candidates.get(key);
        if (found == null) {
            found = new ArrayList<>();
            byte[] wanted = name.getBytes(UTF_8);
            for (int id = 1; id <= kernel.typeCount(); id++) {
                if (CoreCompatibility.isSameKind(kernel.kind(id), kind)
                        && kernel.isOfFamily(id, wanted)
                        && CoreCompatibility.essential(kernel.name(id)).equals(name)) {
                    found.add(id);
                }
            }
            candidates.put(key, List.copyOf(found));
        }
        return found;
    }
}
