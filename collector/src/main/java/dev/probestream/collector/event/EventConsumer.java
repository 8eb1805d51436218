package dev.probestream.collector.event;

import dev.probestream.schema.EventEncoder;
import dev.probestream.schema.record.Probe;

/** Takes what the {@link EventDecoder} makes of samples, on the thread that reads the ring. */
public interface EventConsumer {
    /** One event; the encoder is the decoder's own and valid only inside the call. */
    void event(EventEncoder event);

    /** A probe that is about to have its first event; only those of system calls are told of in this way. */
    void probe(Probe probe);
}
