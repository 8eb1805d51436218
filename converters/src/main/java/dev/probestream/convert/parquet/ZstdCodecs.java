package dev.probestream.convert.parquet;

import com.github.luben.zstd.ZstdCompressCtx;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.compression.CompressionCodecFactory;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;

/** Compresses pages with zstd; Parquet's own codecs need Hadoop. */
final class ZstdCodecs implements CompressionCodecFactory, CompressionCodecFactory.BytesInputCompressor {
    private final ZstdCompressCtx context = new ZstdCompressCtx();

    ZstdCodecs(int level) {
        context.setLevel(level);
    }

    @Override
    public BytesInputCompressor getCompressor(CompressionCodecName name) {
        if (name != CompressionCodecName.ZSTD) {
            throw new IllegalArgumentException("codec " + name);
        }
        return this;
    }

    @Override
    public BytesInput compress(BytesInput page) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(Math.toIntExact(page.size()));
        page.writeAllTo(bytes);
        return BytesInput.from(context.compress(bytes.toByteArray()));
    }

    @Override
    public CompressionCodecName getCodecName() {
        return CompressionCodecName.ZSTD;
    }

    @Override
    public BytesInputDecompressor getDecompressor(CompressionCodecName name) {
        throw new UnsupportedOperationException("tables are only written here");
    }

    @Override
    public void release() {
        context.close();
    }
}
