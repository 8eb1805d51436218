package dev.probestream.bpf.btf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The offsets are those that offsetof() gives for testdata/btf/types.c. */
class FieldPathTest {
    private BtfFile btf = BtfFixture.EMPTY;

    @BeforeEach
    void read() throws Exception {
        btf = BtfFile.parse("types.btf", ByteBuffer.wrap(BtfFixture.types()));
    }

    private void assertPlace(String field, long offsetBytes, long sizeBytes) throws Exception {
        FieldPath path = FieldPath.resolve(btf, "outer." + field);
        assertThat(path.offsetBytes()).as(field).isEqualTo(offsetBytes);
        assertThat(path.sizeBytes()).as(field).isEqualTo(sizeBytes);
        assertThat(path.isBitField()).as(field).isFalse();
    }

    @Test
    void plainFieldsAreWhereTheCompilerPutsThem() throws Exception {
        assertPlace("plain", 0, 4);
        assertPlace("pointer", 24, 8);
        assertPlace("comm", 32, 16);
        assertPlace("color", 56, 4);
        assertPlace("matrix", 60, 48);
        assertPlace("minus", 108, 1);
        assertPlace("callback", 112, 8);
    }

    @Test
    void membersOfAnonymousStructuresNeedNoNameForThem() throws Exception {
        assertPlace("low", 4, 2);
        assertPlace("high", 6, 2);
        assertPlace("both", 4, 4);
        assertPlace("named.deep", 120, 8);
    }

    @Test
    void pathGoesThroughTypedefsAndQualifiers() throws Exception {
        assertPlace("nested", 8, 16);
        assertPlace("nested.second", 16, 8);
        assertPlace("usage.counter", 52, 4);
        assertThat(FieldPath.resolve(btf, "inner_t.second").offsetBytes()).isEqualTo(8);
        assertThat(FieldPath.resolve(btf, "outer").sizeBytes()).isEqualTo(128);
    }

    @Test
    void bitFieldTellsItsBits() throws Exception {
        FieldPath level = FieldPath.resolve(btf, "outer.level");
        assertThat(level.isBitField()).isTrue();
        assertThat(level.offsetBytes()).isEqualTo(48);
        assertThat(level.bitOffset()).isEqualTo(1);
        assertThat(level.bitSize()).isEqualTo(3);
        FieldPath wide = FieldPath.resolve(btf, "outer.wide");
        assertThat(wide.offsetBytes() * 8 + wide.bitOffset()).isEqualTo(49 * 8);
        assertThat(wide.bitSize()).isEqualTo(9);
    }

    @Test
    void signFollowsTheType() throws Exception {
        assertThat(FieldPath.resolve(btf, "outer.minus").isSigned()).isTrue();
        assertThat(FieldPath.resolve(btf, "outer.plain").isSigned()).isTrue();
        assertThat(FieldPath.resolve(btf, "outer.nested.second").isSigned()).isFalse();
    }

    @Test
    void missingFieldIsAnsweredWithTheFieldsThereAre() {
        assertThatThrownBy(() -> FieldPath.resolve(btf, "outer.plane"))
                .isInstanceOf(UnknownFieldException.class)
                .hasMessage("look up outer.plane in the kernel's BTF: outer has no field plane in this kernel"
                        + " (it has plain, nested, pointer, comm, flag, level, wide, usage, color, matrix, minus, callback,"
                        + " ...)");
        assertThatThrownBy(() -> FieldPath.resolve(btf, "nobody.plain"))
                .isInstanceOf(UnknownFieldException.class)
                .hasMessage("look up nobody.plain in the kernel's BTF: this kernel has no structure nobody");
        assertThatThrownBy(() -> FieldPath.resolve(btf, "outer.pointer.first"))
                .isInstanceOf(UnknownFieldException.class)
                .hasMessageContaining("pointer is not a structure but a pointer, which a path cannot cross");
        assertThatThrownBy(() -> FieldPath.resolve(btf, "outer.plain.x"))
                .isInstanceOf(UnknownFieldException.class)
                .hasMessageContaining("plain is not a structure");
        assertThatThrownBy(() -> FieldPath.resolve(btf, "outer.")).isInstanceOf(UnknownFieldException.class);
        assertThatThrownBy(() -> FieldPath.resolve(btf, "")).isInstanceOf(UnknownFieldException.class);
    }

    @Test
    void typesAreFoundByNameAndKind() throws Exception {
        int inner = btf.typeId("inner", BtfKind.STRUCT).orElseThrow();
        assertThat(btf.name(inner)).isEqualTo("inner");
        assertThat(btf.kind(inner)).isEqualTo(BtfKind.STRUCT);
        assertThat(btf.typeId("inner", BtfKind.UNION)).isEmpty();
        assertThat(btf.typeId("inner_t", BtfKind.TYPEDEF)).isPresent();
        assertThat(btf.typeId("inne", BtfKind.STRUCT)).isEmpty();
    }
}
