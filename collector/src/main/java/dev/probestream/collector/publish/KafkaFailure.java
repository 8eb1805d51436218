package dev.probestream.collector.publish;

import java.nio.file.NoSuchFileException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.OutOfOrderSequenceException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SslAuthenticationException;
import org.apache.kafka.common.errors.TimeoutException;

/** What Kafka said, and what to do about it, in words for a person. */
final class KafkaFailure {
    private KafkaFailure() {}

    /** The innermost message: Kafka's outer ones only say that something failed. */
    static String reason(Throwable failure) {
        Throwable innermost = failure;
        while (innermost.getCause() != null && innermost.getCause() != innermost) {
            innermost = innermost.getCause();
        }
        String name = innermost.getClass().getSimpleName();
        String message = innermost.getMessage();
        if (message == null || message.isBlank()) {
            return name;
        }
        if (innermost instanceof NoSuchFileException) {
            return "there is no file " + message;
        }
        // Kafka's own messages are sentences; those of the JDK may be no more than the name of a thing.
        return innermost instanceof KafkaException ? message : name.replaceAll("Exception$", "") + ": " + message;
    }

    static String advice(Throwable failure) {
        if (failure instanceof SslAuthenticationException) {
            return "check the ssl.* properties and the broker's certificate";
        } else if (failure instanceof AuthenticationException) {
            return "check security.protocol and the sasl.* properties";
        } else if (failure instanceof AuthorizationException) {
            return "the user of these properties must be allowed to Describe, Create and Write the topics";
        } else if (failure instanceof RecordTooLargeException) {
            return "raise max.message.bytes of the topic and max.request.size of the properties";
        } else if (failure instanceof OutOfOrderSequenceException) {
            return "the broker has lost records that it had acknowledged (an unclean election, a lost disk); collect"
                    + " again";
        } else if (failure instanceof TimeoutException) {
            return "check that the broker runs and can be reached; how long one may be away is delivery.timeout.ms";
        } else if (failure instanceof KafkaException) {
            return "the broker's log says more";
        }
        return "check the address and the properties";
    }
}
