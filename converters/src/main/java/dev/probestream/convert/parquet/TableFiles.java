package dev.probestream.convert.parquet;

import dev.probestream.convert.parquet.row.RowShape;
import dev.probestream.schema.file.PrivateFiles;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;

/** The files of one conversion: all of them come into their places, or none is touched. */
final class TableFiles implements AutoCloseable {
    private final List<TableFile<?>> unfinished = new ArrayList<>();
    private final List<TableFile<?>> finished = new ArrayList<>();

    <T> TableFile<T> create(Path place, RowShape<T> shape, Supplier<Map<String, String>> footer)
            throws FileSystemException {
        TableFile<T> file = TableFile.create(place, shape, footer);
        unfinished.add(file);
        return file;
    }

    /** Frees the memory of a file that gets no more rows. */
    void finish(TableFile<?> file) throws FileSystemException {
        file.finish();
        unfinished.remove(file);
        finished.add(file);
    }

    <T> void write(Path place, RowShape<T> shape, List<T> rows, Supplier<Map<String, String>> footer)
            throws FileSystemException {
        TableFile<T> file = create(place, shape, footer);
        for (T row : rows) {
            file.write(row);
        }
        finish(file);
    }

    /** Finishes what is unfinished and moves everything to its place; the result has the paths. */
    List<Path> putInPlace() throws FileSystemException {
        for (TableFile<?> file : List.copyOf(unfinished)) {
            finish(file);
        }
        List<Path> places = new ArrayList<>();
        Set<Path> folders = new LinkedHashSet<>();
        for (TableFile<?> file : List.copyOf(finished)) {
            file.putInPlace();
            finished.remove(file);
            places.add(file.place());
            folders.add(Objects.requireNonNull(file.place().getParent()));
        }
        for (Path folder : folders) {
            bringToDisk(folder);
        }
        return places;
    }

    /** @return whether it was there */
    boolean delete(Path file) throws FileSystemException {
        try {
            return Files.deleteIfExists(file);
        } catch (IOException e) {
            throw TableFile.failed(file, e);
        }
    }

    /** A new name survives a crash of the machine only when its folder is on the disk too. */
    private static void bringToDisk(Path folder) throws FileSystemException {
        try {
            PrivateFiles.sync(folder);
        } catch (IOException e) {
            throw TableFile.failed(folder, e);
        }
    }

    /** Leaves nothing of files that are not in their places. */
    @Override
    public void close() throws FileSystemException {
        List<TableFile<?>> left = new ArrayList<>(unfinished);
        left.addAll(finished);
        unfinished.clear();
        finished.clear();
        FileSystemException failure = null;
        for (TableFile<?> file : left) {
            try {
                file.discard();
            } catch (FileSystemException e) {
                failure = e;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
