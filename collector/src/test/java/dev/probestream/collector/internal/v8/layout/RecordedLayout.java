package dev.probestream.collector.internal.v8.layout;

import dev.probestream.bpf.elf.ElfFile;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/** The symbols v8dbg_* of a node, in a file: the layout is then read as from the node itself. */
public final class RecordedLayout {
    private RecordedLayout() {}

    public static void write(Path node, DataOutputStream out) throws Exception {
        V8Symbols symbols;
        try (ElfFile elf = ElfFile.open(node)) {
            symbols = V8Symbols.read(elf);
        }
        V8Version version = symbols.version();
        for (int part : new int[] {version.major(), version.minor(), version.build(), version.patch()}) {
            out.writeInt(part);
        }
        out.writeInt(symbols.values().size());
        for (Map.Entry<String, Integer> symbol : symbols.values().entrySet()) {
            out.writeUTF(symbol.getKey());
            out.writeInt(symbol.getValue());
        }
    }

    public static V8Layout read(DataInputStream in) throws IOException, V8LayoutException {
        V8Version version = new V8Version(in.readInt(), in.readInt(), in.readInt(), in.readInt());
        Map<String, Integer> values = new TreeMap<>();
        for (int left = in.readInt(); left > 0; left--) {
            values.put(in.readUTF(), in.readInt());
        }
        return V8LayoutReader.layout(new V8Symbols(version, values));
    }
}
