package dev.probestream.collector.request;

import dev.probestream.collector.cost.Budget;
import dev.probestream.collector.internal.program.options.ProgramOptions;
import dev.probestream.collector.probe.Disclosure;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.probe.preset.ProbeSet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * What to collect, from whom and for how long. Immutable, and for any thread; made by a {@link Builder}.
 *
 * <p>Which stacks are recorded is a part of each probe's spec, such as {@code span:uv_fs_open [stack]}.
 */
public final class CollectionRequest {
    private final TargetSelection targets;
    private final List<ProbeSpec> probes;
    private final Optional<Duration> limit;
    private final boolean followChildren;
    private final int ringSizeBytes;
    private final List<String> commandLine;
    private final String toolVersion;
    private final boolean isLive;
    private final Disclosure shown;
    private final Budget budget;
    private final PieceLength pieceLength;

    private CollectionRequest(Builder builder) {
        this.targets = builder.targets;
        this.probes = List.copyOf(builder.probes);
        this.limit = builder.limit;
        this.followChildren = builder.followChildren;
        this.ringSizeBytes = builder.ringSizeBytes;
        this.commandLine = builder.commandLine;
        this.toolVersion = builder.toolVersion;
        this.isLive = builder.isLive;
        this.shown = builder.shown;
        this.budget = builder.budget;
        this.pieceLength = builder.pieceLength;
    }

    /**
     * Begins a request.
     *
     * @param targets the processes to trace
     * @return a builder with the defaults that its methods document
     */
    public static Builder of(TargetSelection targets) {
        return new Builder(targets);
    }

    /** {@return the processes to trace} */
    public TargetSelection targets() {
        return targets;
    }

    /** {@return what to probe; at least one} */
    public List<ProbeSpec> probes() {
        return probes;
    }

    /** {@return how long to record; empty = until stopped or until the targets have ended} */
    public Optional<Duration> limit() {
        return limit;
    }

    /** {@return whether processes that a target forks are targets too} */
    public boolean followChildren() {
        return followChildren;
    }

    /** {@return the size of the ring buffer in bytes, a power of two of at least 4096} */
    public int ringSizeBytes() {
        return ringSizeBytes;
    }

    /** {@return the command line that asked for this, for the Capture record; may be empty} */
    public List<String> commandLine() {
        return commandLine;
    }

    /** {@return which program collects, for the Capture record} */
    public String toolVersion() {
        return toolVersion;
    }

    /**
     * {@return whether events are shown while they happen: stacks are named and the publisher is flushed after every reading
     * of the ring that had samples, instead of once a second}
     */
    public boolean isLive() {
        return isLive;
    }

    /** {@return what is recorded as it is although it may hold secrets; all else is masked before it is published} */
    public Disclosure shown() {
        return shown;
    }

    /** {@return what the collection may cost its targets} */
    public Budget budget() {
        return budget;
    }

    /** {@return how far apart the places are at which a reader of the recording can begin} */
    public PieceLength pieceLength() {
        return pieceLength;
    }

    @Override
    public String toString() {
        return "CollectionRequest[targets=" + targets + ", probes="
                + probes.stream().map(ProbeSpec::text).toList() + ", limit=" + limit + ", followChildren="
                + followChildren + ", ringSizeBytes=" + ringSizeBytes + ", toolVersion=" + toolVersion + ", isLive="
                + isLive + ", shown=" + shown + ", budget=" + budget + ", pieceLength=" + pieceLength + "]";
    }

    /** Makes a {@link CollectionRequest}. For one thread. A method that is called twice sets again; {@code probes} adds. */
    public static final class Builder {
        private final TargetSelection targets;
        private final List<ProbeSpec> probes = new ArrayList<>();
        private Optional<Duration> limit = Optional.empty();
        private boolean followChildren;
        private int ringSizeBytes = ProgramOptions.DEFAULT_RING_SIZE_BYTES;
        private List<String> commandLine = List.of();
        private String toolVersion = "probestream-collector " + version();
        private boolean isLive;
        private Disclosure shown = Disclosure.NONE;
        private Budget budget = Budget.OFF;
        private PieceLength pieceLength = PieceLength.DEFAULT;

        private Builder(TargetSelection targets) {
            this.targets = Objects.requireNonNull(targets, "targets");
        }

        /**
         * Adds probes by text, as the command line's {@code --probes} takes it.
         *
         * @param setsOrSpecs names of probe sets ({@code node-http}, {@code all}) or probe specs ({@code usdt:node:gc__start})
         * @return this
         * @throws dev.probestream.collector.probe.SpecSyntaxException if a text is neither a set's name nor a spec
         */
        public Builder probes(String... setsOrSpecs) {
            return probes(ProbeSet.select(List.of(setsOrSpecs)));
        }

        /**
         * Adds probes.
         *
         * @param specs parsed specs, or those of {@link ProbeSet}s
         * @return this
         */
        public Builder probes(Collection<ProbeSpec> specs) {
            probes.addAll(List.copyOf(specs));
            return this;
        }

        /**
         * Sets what the collection may cost its targets. Probes that cost more are detached for a part of the time; Gap
         * records list when. Default: {@link Budget#OFF}.
         *
         * @param newBudget a share of the targets' CPU time, the guard alone, or nothing
         * @return this
         */
        public Builder budget(Budget newBudget) {
            this.budget = Objects.requireNonNull(newBudget, "newBudget");
            return this;
        }

        /**
         * Sets how far apart the places are at which a reader of the recording can begin. Default: {@link
         * PieceLength#DEFAULT}.
         *
         * @param newLength after how much a Keyframe is published
         * @return this
         */
        public Builder pieceLength(PieceLength newLength) {
            this.pieceLength = Objects.requireNonNull(newLength, "newLength");
            return this;
        }

        /**
         * Sets how long to record, from the moment at which all probes are in place. Default: no limit.
         *
         * @param duration more than zero
         * @return this
         */
        public Builder limit(Duration duration) {
            limit = Optional.of(duration);
            return this;
        }

        /**
         * Sets or removes the limit.
         *
         * @param duration more than zero; empty = until stopped or until the targets have ended
         * @return this
         */
        public Builder limit(Optional<Duration> duration) {
            limit = Objects.requireNonNull(duration, "limit");
            return this;
        }

        /**
         * Sets whether processes that a target forks are targets too. Default: false; a warning reports what is missed.
         *
         * @param follow whether to follow them
         * @return this
         */
        public Builder followChildren(boolean follow) {
            followChildren = follow;
            return this;
        }

        /**
         * Sets the size of the ring buffer between the kernel and the collector. A larger one absorbs longer bursts and slower
         * publishers; what does not fit is counted as lost. Default: 16 MiB.
         *
         * @param sizeBytes a power of two of at least 4096
         * @return this
         */
        public Builder ringSizeBytes(int sizeBytes) {
            ringSizeBytes = sizeBytes;
            return this;
        }

        /**
         * Sets the command line that is kept in the Capture record, where its secrets are masked. Default: empty.
         *
         * @param words the program's name and its arguments
         * @return this
         */
        public Builder commandLine(List<String> words) {
            commandLine = List.copyOf(words);
            return this;
        }

        /**
         * Sets the name and version that is kept in the Capture record. Default: those of this library.
         *
         * @param version such as {@code shop-agent 1.4}
         * @return this
         */
        public Builder toolVersion(String version) {
            toolVersion = Objects.requireNonNull(version, "toolVersion");
            return this;
        }

        /**
         * Names stacks and flushes the publisher after every reading of the ring that had samples, for events that are shown
         * while they happen. Default: once a second.
         *
         * @return this
         */
        public Builder live() {
            isLive = true;
            return this;
        }

        /**
         * Sets what is recorded unmasked. Default: nothing.
         *
         * @param disclosure what may be shown
         * @return this
         */
        public Builder showing(Disclosure disclosure) {
            shown = Objects.requireNonNull(disclosure, "showing");
            return this;
        }

        /**
         * Checks the values.
         *
         * @return the request
         * @throws IllegalArgumentException if a value is outside its range; the message begins with the name of the field
         */
        public CollectionRequest build() {
            if (probes.isEmpty()) {
                throw new IllegalArgumentException("probes: there are none; add a probe set or a spec");
            }
            if (limit.isPresent() && (limit.get().isZero() || limit.get().isNegative())) {
                throw new IllegalArgumentException("limit: " + limit.get() + " is not more than zero");
            }
            if (Integer.bitCount(ringSizeBytes) != 1 || ringSizeBytes < 4096) {
                throw new IllegalArgumentException(
                        "ringSizeBytes: " + ringSizeBytes + " is not a power of two of at least 4096");
            }
            return new CollectionRequest(this);
        }

        private static String version() {
            String version = CollectionRequest.class.getPackage().getImplementationVersion();
            return version == null ? "(development)" : version;
        }
    }
}
