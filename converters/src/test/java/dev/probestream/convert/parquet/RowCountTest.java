package dev.probestream.convert.parquet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.probestream.convert.intake.Window;
import dev.probestream.schema.record.Loss;
import dev.probestream.schema.record.LossReason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RowCountTest {
    private static final long CAPTURE = 7;

    @TempDir
    private Path folder;

    @Test
    void everyRowCounts() throws IOException {
        assertThat(ParquetTables.rowCount(losses(3))).isEqualTo(3);
    }

    @Test
    void aFileThatWasCutOffIsNone() throws IOException {
        Path file = losses(3);
        byte[] whole = Files.readAllBytes(file);

        for (int lengthBytes : new int[] {0, 3, 11, 12, whole.length / 2, whole.length - 1}) {
            Files.write(file, Arrays.copyOf(whole, lengthBytes));

            assertThatThrownBy(() -> ParquetTables.rowCount(file))
                    .as("the first " + lengthBytes + " bytes")
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(file + ": not a complete Parquet file");
        }
    }

    private Path losses(int rows) throws IOException {
        try (ParquetTables tables = ParquetTables.all(folder, Window.ALL)) {
            for (int row = 0; row < rows; row++) {
                tables.loss(new Loss(CAPTURE, row, 0, 1L, 2L, 5L, LossReason.RING_FULL));
            }
            tables.complete();
        }
        return folder.resolve("losses/" + CAPTURE + ".parquet");
    }
}
