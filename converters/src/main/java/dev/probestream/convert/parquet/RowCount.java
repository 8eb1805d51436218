package dev.probestream.convert.parquet;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import org.apache.parquet.format.Util;

/**
 * How many rows a finished file has, from its footer alone. Parquet's own reader of files needs Hadoop.
 *
 * <pre>
 *   0      4  PAR1
 *   ...       row groups
 *   ...       footer: a FileMetaData in Thrift's compact protocol
 *   -8     4  length of the footer, little-endian
 *   -4     4  PAR1
 * </pre>
 */
final class RowCount {
    private static final byte[] MAGIC = "PAR1".getBytes(StandardCharsets.US_ASCII);
    private static final int TAIL_BYTES = 8;

    private RowCount() {}

    static long of(Path file) throws IOException {
        try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "r")) {
            long tailOffset = bytes.length() - TAIL_BYTES;
            byte[] head = tailOffset < MAGIC.length ? new byte[0] : read(bytes, 0, MAGIC.length);
            if (!Arrays.equals(head, MAGIC)) {
                throw notWhole(file);
            }
            ByteBuffer tail =
                    ByteBuffer.wrap(read(bytes, tailOffset, TAIL_BYTES)).order(ByteOrder.LITTLE_ENDIAN);
            int footerBytes = tail.getInt();
            boolean isClosed = Arrays.equals(tail.array(), Integer.BYTES, TAIL_BYTES, MAGIC, 0, MAGIC.length);
            if (!isClosed || footerBytes < 0 || footerBytes > tailOffset - MAGIC.length) {
                throw notWhole(file);
            }
            byte[] footer = read(bytes, tailOffset - footerBytes, footerBytes);
            return Util.readFileMetaData(new ByteArrayInputStream(footer), true).getNum_rows();
        }
    }

    private static byte[] read(RandomAccessFile file, long offset, int lengthBytes) throws IOException {
        byte[] bytes = new byte[lengthBytes];
        file.seek(offset);
        file.readFully(bytes);
        return bytes;
    }

    private static IOException notWhole(Path file) {
        return new IOException("count the rows of " + file + ": not a complete Parquet file");
    }
}
