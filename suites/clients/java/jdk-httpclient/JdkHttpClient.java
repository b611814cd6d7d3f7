import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.ProtocolException;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import kit.Answer;
import kit.Call;
import kit.Client;
import kit.Driver;
import kit.Kind;
import kit.Library;
import kit.Policy;
import kit.Trust;
import kit.Unsupported;

/**
 * A driver that has the JDK's own java.net.http.HttpClient judged, which tries a GET or a HEAD once
 * more when its connection was lost, and any request once more that no server took.
 *
 * <p>What a policy says becomes these settings:
 *
 * <pre>
 *     timeouts.attempt_ms   HttpRequest.Builder.timeout, until the head of the answer
 *     deadline_ms           CompletableFuture.get, and then cancel
 *     cancel                CompletableFuture.cancel
 *     Expect                HttpRequest.Builder.expectContinue
 *     ca_file               HttpClient.Builder.sslContext
 * </pre>
 *
 * <p>Redirects are followed, which it does only when told. Not among the capabilities are attempts and
 * backoff: the retry is fixed, and has no pause. No answer is retried, and the methods are set for
 * the whole program alone, by jdk.httpclient.enableAllMethodRetry.
 */
public final class JdkHttpClient implements Runnable {
    private static final List<Kind> KINDS = List.of(
        new Kind(CancellationException.class, "canceled"),
        new Kind(TimeoutException.class, "timeout"),
        new Kind(HttpTimeoutException.class, "timeout"),
        new Kind(ConnectException.class, "connect"),
        new Kind(SocketException.class, "reset"),
        new Kind(EOFException.class, "reset"),
        new Kind(ProtocolException.class, "protocol"));

    @Override
    public void run() {
        Driver.serve(new Library("jdk-httpclient", System.getProperty("java.version"), List.of(
            "retry", "timeout", "attempt-timeout", "method", "headers", "request-body", "streamed-body",
            "cancel", "shared", "parallel", "status", "error-kind", "response-body", "tls"), KINDS, Opened::new));
    }

    private static final class Opened implements Client {
        private final Duration attemptTimeout;
        private HttpClient client;

        Opened(Policy policy, Trust trust) {
            HttpClient.Builder builder = HttpClient.newBuilder()
                .followRedirects(HttpClient.Redirect.NORMAL)
                .proxy(HttpClient.Builder.NO_PROXY);
            if (trust != null) {
                builder.sslContext(trust.context());
            }
            client = builder.build();
            attemptTimeout = policy.attemptTimeout();
        }

        @Override
        public Answer call(Call call) throws Exception {
            CompletableFuture<HttpResponse<byte[]>> coming = client.sendAsync(request(call), BodyHandlers.ofByteArray());
            call.onCancel(() -> coming.cancel(true));
            try {
                return answer(call.deadline() == null ? coming.get() : coming.get(call.deadline().toNanos(), TimeUnit.NANOSECONDS));
            } catch (TimeoutException late) {
                coming.cancel(true);
                throw late;
            }
        }

        private HttpRequest request(Call call) throws IOException, Unsupported {
            HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(call.url())).method(call.method(), body(call));
            for (Call.Header header : call.headers()) {
                if (header.name().equalsIgnoreCase("Expect")) {
                    request.expectContinue(true);
                    continue;
                }
                try {
                    request.header(header.name(), header.value());
                } catch (IllegalArgumentException restricted) {
                    throw new Unsupported(restricted.getMessage());
                }
            }
            if (attemptTimeout != null) {
                request.timeout(attemptTimeout);
            }
            return request.build();
        }

        private static BodyPublisher body(Call call) throws IOException {
            if (!call.hasBody()) {
                return BodyPublishers.noBody();
            }
            if (!call.isStreamed()) {
                return BodyPublishers.ofByteArray(call.bytes());
            }
            InputStream once = call.stream();
            return BodyPublishers.ofInputStream(() -> once);
        }

        private static Answer answer(HttpResponse<byte[]> response) {
            List<Call.Header> headers = new ArrayList<>();
            response.headers().map().forEach((name, values) -> values.forEach(value -> headers.add(new Call.Header(name, value))));
            return new Answer(response.statusCode(), headers, response.body());
        }

        /** A client ends when it has been collected, before Java 21, which can close it. */
        @Override
        public void close() {
            client = null;
            System.gc();
        }
    }
}
