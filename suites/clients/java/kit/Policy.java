package kit;

import java.time.Duration;
import java.util.List;

/**
 * How a client is to retry, as the protocol words it.
 *
 * @param attempts the requests that a call may make, the first one included
 * @param methods those that may be retried, all of them
 * @param statuses those that may be retried, all of them
 * @param timeouts null where there are none
 */
public record Policy(int attempts, Backoff backoff, Timeouts timeouts, List<String> methods, List<Integer> statuses) {
    /** The pause before each retry, in milliseconds. */
    public record Backoff(String kind, double baseMs, String jitter) {
        /** Whether every pause is {@code baseMs}. */
        public boolean isConstant() {
            return kind.equals("constant") && jitter.equals("none");
        }
    }

    /** Of one attempt, in milliseconds; null for none. */
    record Timeouts(Double attemptMs) {}

    /** The attempts after the first one. */
    public int retries() {
        return attempts - 1;
    }

    /** The timeout of one attempt; null for none. */
    public Duration attemptTimeout() {
        return timeouts == null ? null : Message.duration(timeouts.attemptMs());
    }
}
