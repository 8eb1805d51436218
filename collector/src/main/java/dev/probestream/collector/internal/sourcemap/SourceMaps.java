package dev.probestream.collector.internal.sourcemap;

import dev.probestream.bpf.machine.ClockReading;
import dev.probestream.collector.internal.event.Warnings;
import dev.probestream.collector.internal.process.ProcessFiles;
import dev.probestream.collector.internal.process.Target;
import dev.probestream.collector.internal.process.TargetRoot;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The source maps of the scripts of all traced processes, read when the first place of a script is asked for, which takes
 * 0.3 s for a map of 65 MB. Maps of files are shared by the processes that use them. Not thread-safe.
 */
public final class SourceMaps {
    private static final int MAX_FILE_MEGABYTES = 64;
    /** Of all maps that are kept. */
    private static final long MAX_BYTES = 96L << 20;

    /** Of a map that is kept, or known not to be there, beside what it holds. */
    private static final int ENTRY_BYTES = 200;

    private static final int MAX_SCRIPTS = 4096;
    private static final int MAX_NAMED_FAILURES = 8;
    private static final Set<String> NO_FILES = Set.of("/proc/", "/sys/", "/dev/");

    private final Warnings warnings;
    private final long maxBytes;
    private final Map<Script, Optional<Place>> places = new LinkedHashMap<>(16, 0.75f, true);
    /** By {@link FileKey}, or by script. The least recently used one goes first. */
    private final Map<Object, Optional<SourceMap>> maps = new LinkedHashMap<>(16, 0.75f, true);

    private long bytes;
    private int failures;
    private boolean isDenialSaid;

    /**
     * A process whose scripts these are.
     *
     * @param root its file system
     * @param startRealtimeNs when it started
     */
    public record Origin(TargetRoot root, long startRealtimeNs) {
        public static Origin of(Target target, ProcessFiles files) {
            ClockReading now = ClockReading.now();
            return new Origin(files.root(), now.realtimeNs() - now.bootTimeNs() + target.startBoottimeNs());
        }
    }

    private record Script(TargetRoot root, String name, String mappingUrl) {}

    /** @param path as the process sees it: what the sources' names are relative to */
    private record FileKey(Object file, long sizeBytes, FileTime modified, String path) {}

    /**
     * Where a map is.
     *
     * @param path from here; empty = in the URL
     */
    private record Place(Object key, Optional<Path> path) {}

    /** @param warnings take the maps that are there and cannot be read */
    public SourceMaps(Warnings warnings) {
        this(warnings, MAX_BYTES);
    }

    SourceMaps(Warnings warnings, long maxBytes) {
        this.warnings = warnings;
        this.maxBytes = maxBytes;
    }

    /**
     * What a place in a script was made from; empty if the script has no map that can be read, or the map does not
     * contain it.
     *
     * @param script path or {@code file:} URL, as V8 names it
     * @param mappingUrl of the comment {@code //# sourceMappingURL=}: a path relative to the script, a {@code file:} URL, or
     *     a {@code data:} URL; other URLs are not read. The same String at each call spares comparing long ones
     * @param line in the script, from 1
     * @param column in UTF-16 units, from 1
     */
    public Optional<SourceLocation> locate(Origin origin, String script, String mappingUrl, int line, int column) {
        if (mappingUrl.isEmpty()) {
            return Optional.empty();
        }
        Script key = new Script(origin.root(), script, mappingUrl);
        Optional<Place> place = places.get(key);
        if (place == null) {
            place = placeOf(origin, key);
            places.put(key, place);
            if (places.size() > MAX_SCRIPTS) {
                places.remove(places.keySet().iterator().next());
            }
        }
        return place.flatMap(known -> mapOf(key, known)).flatMap(map -> map.locate(line, column));
    }

    private Optional<SourceMap> mapOf(Script script, Place place) {
        Optional<SourceMap> known = maps.get(place.key());
        if (known == null) {
            known = place.path().isPresent()
                    ? ofFile((FileKey) place.key(), place.path().get())
                    : ofData(script);
            maps.put(place.key(), known);
            bytes += sizeBytes(place.key(), known);
            while (bytes > maxBytes && maps.size() > 1) {
                Map.Entry<Object, Optional<SourceMap>> eldest =
                        maps.entrySet().iterator().next();
                bytes -= sizeBytes(eldest.getKey(), eldest.getValue());
                maps.remove(eldest.getKey());
            }
        }
        return known;
    }

    /** Of memory, about. */
    long sizeBytes() {
        return bytes;
    }

    private static long sizeBytes(Object key, Optional<SourceMap> map) {
        long ofKey = key instanceof Script script ? 2L * script.mappingUrl().length() : 0;
        return ENTRY_BYTES + ofKey + map.map(SourceMap::sizeBytes).orElse(0L);
    }

    private Optional<Place> placeOf(Origin origin, Script script) {
        if (SourceUrl.isData(script.mappingUrl())) {
            return Optional.of(new Place(script, Optional.empty()));
        }
        Optional<String> path = SourceUrl.pathOf(script.name())
                .map(base -> SourceUrl.resolve(base, script.mappingUrl()))
                .filter(file -> file.startsWith("/") && NO_FILES.stream().noneMatch(file::startsWith));
        return path.flatMap(file -> placeOf(origin, file));
    }

    private Optional<Place> placeOf(Origin origin, String file) {
        try {
            Path path = origin.root().resolve(file);
            BasicFileAttributes attributes =
                    Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            if (!attributes.isRegularFile() || attributes.size() > MAX_FILE_MEGABYTES * 1_000_000L) {
                String tooLarge = "it is larger than " + MAX_FILE_MEGABYTES + " MB";
                fail(file, attributes.isRegularFile() ? tooLarge : "it is no regular file");
                return Optional.empty();
            }
            if (attributes.lastModifiedTime().to(TimeUnit.NANOSECONDS) > origin.startRealtimeNs()) {
                warnings.add(
                        "the source map " + file + " is younger than the process that uses it: lines of sources are"
                                + " wrong if the script was loaded before");
            }
            Object id = attributes.fileKey() == null ? path : attributes.fileKey();
            FileKey key = new FileKey(id, attributes.size(), attributes.lastModifiedTime(), file);
            return Optional.of(new Place(key, Optional.of(path)));
        } catch (NoSuchFileException | NotDirectoryException | InvalidPathException e) {
            return Optional.empty(); // most scripts are installed without their maps
        } catch (IOException e) {
            fail(file, e);
            return Optional.empty();
        }
    }

    private Optional<SourceMap> ofFile(FileKey file, Path path) {
        try (InputStream in = Files.newInputStream(path, LinkOption.NOFOLLOW_LINKS)) {
            return Optional.of(SourceMapReader.read(in, source -> SourceUrl.resolve(file.path(), source)));
        } catch (SourceMapException e) {
            fail(file.path(), String.valueOf(e.getMessage()));
        } catch (IOException e) {
            fail(file.path(), e);
        }
        return Optional.empty();
    }

    private Optional<SourceMap> ofData(Script script) {
        String base = SourceUrl.pathOf(script.name()).orElse("");
        Optional<byte[]> data = SourceUrl.data(script.mappingUrl());
        try {
            if (data.isPresent()) {
                return Optional.of(SourceMapReader.read(
                        new ByteArrayInputStream(data.get()), source -> SourceUrl.resolve(base, source)));
            }
            fail("in " + script.name(), "its URL is malformed");
        } catch (SourceMapException | IOException e) {
            fail("in " + script.name(), String.valueOf(e.getMessage()));
        }
        return Optional.empty();
    }

    private void fail(String file, IOException e) {
        if (!(e instanceof AccessDeniedException)) {
            fail(file, e.getMessage() == null ? e.toString() : e.getMessage());
        } else if (!isDenialSaid) {
            isDenialSaid = true;
            warnings.add("the source map " + file + " is not used: access is denied; lines of sources are missing"
                    + " where maps cannot be read");
        }
    }

    private void fail(String file, String reason) {
        failures++;
        if (failures <= MAX_NAMED_FAILURES) {
            warnings.add("the source map " + file + " is not used: " + reason);
        } else {
            warnings.add("further source maps are not used");
        }
    }
}
