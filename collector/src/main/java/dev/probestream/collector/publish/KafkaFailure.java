package dev.probestream.collector.publish;

import java.nio.file.NoSuchFileException;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.OutOfOrderSequenceException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SslAuthenticationException;
import org.apache.kafka.common.errors.TimeoutException;

/** Turns exceptions of Kafka's clients into a reason and an advice for the user. */
final class KafkaFailure {
    private KafkaFailure() {}

    /** The message of the innermost cause: Kafka's outer exceptions only report that something failed. */
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
            return "no such file: " + message;
        }
        if (innermost instanceof RecordTooLargeException) {
            return "a record is too large: " + message;
        }
        // Kafka's messages are sentences; a message of the JDK may be a bare name, so add the exception's name.
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
            return "increase max.message.bytes of the topic, and max.request.size in the properties if it is lower";
        } else if (isOfTimestamp(failure)) {
            return "the topic of events refuses the time of an event: correct the clock of this machine or of the broker, or increase"
                    + " message.timestamp.before.max.ms and message.timestamp.after.max.ms of the topic";
        } else if (failure instanceof OutOfOrderSequenceException) {
            return "the broker lost records that it had acknowledged (unclean leader election, disk failure); start"
                    + " the collection again";
        } else if (failure instanceof TimeoutException) {
            return "check that the broker is running and reachable, and whether it needs a password (--kafka-config);"
                    + " delivery.timeout.ms sets how long to wait for it";
        } else if (failure instanceof KafkaException) {
            return "see the broker's log";
        }
        return "check the address and the properties";
    }

    /** The client has one exception for all that a broker refuses in a record; the broker's message begins with what is wrong. */
    private static boolean isOfTimestamp(Throwable failure) {
        return failure instanceof InvalidRecordException
                && String.valueOf(failure.getMessage()).startsWith("Timestamp ");
    }
}
