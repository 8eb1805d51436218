package dev.probestream.sink.position;

import dev.probestream.schema.file.PrivateFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;

/**
 * The folder that all instances of a sink share.
 *
 * <pre>
 *   OUT/...                                finished files only
 *   OUT/.probestream/sink.json             the manifest: topic and kind of files
 *   OUT/.probestream/folder-id             a random id, which stays with the folder when it is moved
 *   OUT/.probestream/TOPIC-PARTITION.json  the position
 *   OUT/.probestream/TOPIC-PARTITION.lock  held by the owner of the partition
 *   OUT/.probestream/metadata-N.lock       held by the instance that uses metadata-N
 *   OUT/.probestream/metadata-N/           where the metadata of captures is in its topic; can be deleted
 *   OUT/.probestream/instance-N.lock       held while instance N runs
 *   OUT/.probestream/instance-N/           temporary files of instance N
 * </pre>
 */
public final class SinkFolder implements AutoCloseable {
    /**
     * Identifies the topic to which offsets belong. A topic that was deleted and made again has the same name but another
     * id, and other offsets.
     */
    public record TopicId(String clusterId, String topic, String id) {}

    /** A folder that only the holder of its lock uses. */
    public record HeldFolder(Path path, HeldLock lock) implements AutoCloseable {
        @Override
        public void close() throws IOException {
            lock.close();
        }
    }

    private static final String OWN_FOLDER = ".probestream";
    private static final String FOLDER_ID = "folder-id";
    private static final String INSTANCE = "instance-";
    private static final String LOCK = ".lock";

    private final Path folder;
    private final Path ownFolder;
    private final String topic;
    private final Path instanceFolder;
    private final Path instanceLockFile;
    private final HeldLock instanceLock;

    private SinkFolder(Path folder, String topic, Path instanceFolder, Path instanceLockFile, HeldLock instanceLock) {
        this.folder = folder;
        this.ownFolder = folder.resolve(OWN_FOLDER);
        this.topic = topic;
        this.instanceFolder = instanceFolder;
        this.instanceLockFile = instanceLockFile;
        this.instanceLock = instanceLock;
    }

    /** Opens or creates the folder, and deletes temporary files of instances that were killed. */
    public static SinkFolder open(Path folder, String topic) throws IOException {
        Path ownFolder = folder.resolve(OWN_FOLDER);
        DurableFile.createFolders(ownFolder);
        removeDeadInstances(ownFolder);
        while (true) {
            String name =
                    INSTANCE + Long.toUnsignedString(ThreadLocalRandom.current().nextLong(), 36);
            Path lockFile = ownFolder.resolve(name + LOCK);
            Optional<HeldLock> lock = HeldLock.tryTake(lockFile, owner());
            if (lock.isPresent()) {
                Path instanceFolder = PrivateFiles.createFolders(ownFolder.resolve(name));
                return new SinkFolder(folder, topic, instanceFolder, lockFile, lock.get());
            }
        }
    }

    private static void removeDeadInstances(Path ownFolder) throws IOException {
        List<Path> lockFiles;
        try (Stream<Path> paths = Files.list(ownFolder)) {
            lockFiles = paths.filter(path -> path.getFileName().toString().startsWith(INSTANCE))
                    .filter(path -> path.getFileName().toString().endsWith(LOCK))
                    .toList();
        }
        for (Path lockFile : lockFiles) {
            Optional<HeldLock> lock = HeldLock.tryTake(lockFile, owner());
            if (lock.isPresent()) {
                HeldLock held = lock.get();
                try (held) {
                    String name = lockFile.getFileName().toString();
                    FolderTree.delete(ownFolder.resolve(name.substring(0, name.length() - LOCK.length())));
                    Files.deleteIfExists(lockFile);
                }
            }
        }
    }

    /**
     * Takes a folder that outlives this instance, for what is derived from the metadata topic: the first that no other
     * instance uses. The lock is released by the caller.
     */
    public HeldFolder holdMetadataFolder() throws IOException {
        for (int number = 0; ; number++) {
            String name = "metadata-" + number;
            Optional<HeldLock> lock = HeldLock.tryTake(ownFolder.resolve(name + LOCK), owner());
            if (lock.isPresent()) {
                return new HeldFolder(PrivateFiles.createFolders(ownFolder.resolve(name)), lock.get());
            }
        }
    }

    /** See {@link FolderManifest#claim}. */
    public void claim(String content, TopicId topicId) throws IOException {
        FolderManifest manifest = manifest();
        // Checked twice: another instance may claim the folder and finish files between the two checks.
        if (!manifest.isThere() && new OrphanFiles(folder, ownFolder).areAnyFiles() && !manifest.isThere()) {
            throw manifest.lost();
        }
        manifest.claim(content, topicId);
    }

    /**
     * Fails as {@link #claim} does, as far as that is known without the topic.
     *
     * @param content the kind of files, as of {@link #claim}
     */
    public void check(String content) throws IOException {
        FolderManifest manifest = manifest();
        if (manifest.isThere()) {
            manifest.checkContent(content);
        } else if (new OrphanFiles(folder, ownFolder).areAnyFiles() && !manifest.isThere()) {
            throw manifest.lost();
        }
    }

    /** Whether a sink has used this folder. */
    public boolean isClaimed() {
        return manifest().isThere();
    }

    private FolderManifest manifest() {
        return new FolderManifest(folder, ownFolder.resolve("sink.json"));
    }

    /** The folder's id; written once, by the first instance. */
    public String id() throws IOException {
        Path file = ownFolder.resolve(FOLDER_ID);
        if (!Files.exists(file)) {
            DurableFile.create(file, UUID.randomUUID().toString().getBytes(StandardCharsets.US_ASCII));
        }
        return Files.readString(file, StandardCharsets.US_ASCII).strip();
    }

    /** {@code HOST:PATH}, for messages. */
    public String place() throws IOException {
        return host() + ":" + folder.toRealPath();
    }

    /** Whether the folder with that id is still at its {@link #place}; true if the place is on another host. */
    public boolean isThere(String otherId, String otherPlace) throws IOException {
        String prefix = host() + ":";
        if (!otherPlace.startsWith(prefix)) {
            return true;
        }
        Path file = Path.of(otherPlace.substring(prefix.length()), OWN_FOLDER, FOLDER_ID);
        try {
            return Files.readString(file, StandardCharsets.US_ASCII).strip().equals(otherId);
        } catch (NoSuchFileException e) {
            return false;
        } catch (IOException e) {
            return true; // it cannot be read, so it is not known to be gone
        }
    }

    /** Takes the lock that allows to use the partition's position and to finish files of it; empty if it is taken. */
    public Optional<HeldLock> tryLock(int partition) throws IOException {
        return HeldLock.tryTake(lockFile(partition), owner());
    }

    /** The owner of a partition's lock, for messages. */
    public String lockOwner(int partition) throws IOException {
        return HeldLock.owner(lockFile(partition));
    }

    public Path lockFile(int partition) {
        return ownFolder.resolve(topic + "-" + partition + LOCK);
    }

    /** The partition must be locked. */
    public PositionFile positionFile(int partition) {
        return new PositionFile(ownFolder.resolve(topic + "-" + partition + ".json"), partition);
    }

    /** Deletes finished files of a locked partition that are beyond its position, and returns them. */
    public List<Path> deleteOrphanFiles(int partition, Position position) throws IOException {
        return new OrphanFiles(folder, ownFolder).delete(partition, position);
    }

    /** Where finished files go. */
    public Path path() {
        return folder;
    }

    /** The folder of this instance's temporary files; on the same file system. */
    public Path instanceFolder() {
        return instanceFolder;
    }

    @Override
    public void close() throws IOException {
        try (instanceLock) {
            FolderTree.delete(instanceFolder);
            Files.deleteIfExists(instanceLockFile);
        }
    }

    private static String owner() {
        return "process " + ProcessHandle.current().pid() + " on " + host();
    }

    private static String host() {
        try {
            return Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
        } catch (IOException e) {
            return "this host";
        }
    }
}
