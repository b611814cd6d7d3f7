import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.ProtocolException;
import java.net.Proxy;
import java.net.SocketException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import kit.Answer;
import kit.Call;
import kit.Canceled;
import kit.Client;
import kit.Driver;
import kit.Kind;
import kit.Library;
import kit.Policy;
import kit.Trust;
import kit.Unsupported;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okhttp3.internal.Version;
import okio.BufferedSink;
import okio.Okio;

/**
 * A driver that has OkHttp judged, which recovers by itself from connections that were lost, and
 * repeats a request that was answered 408, or 503 with a Retry-After of 0.
 *
 * <p>What a policy says becomes these settings:
 *
 * <pre>
 *     attempts: 1           OkHttpClient.Builder.retryOnConnectionFailure(false)
 *     timeouts.attempt_ms   connectTimeout, readTimeout and writeTimeout
 *     deadline_ms           Call.timeout
 *     cancel                Call.cancel
 *     ca_file               sslSocketFactory
 * </pre>
 *
 * <p>Not among the capabilities are attempts and backoff: how often is fixed, and there is no pause.
 * The methods and statuses are fixed, too.
 */
public final class OkHttp implements Runnable {
    private static final List<Kind> KINDS = List.of(
        new Kind(Canceled.class, "canceled"),
        new Kind(InterruptedIOException.class, "timeout"), // and SocketTimeoutException
        new Kind(ConnectException.class, "connect"),
        new Kind(ProtocolException.class, "protocol"),
        new Kind(SocketException.class, "reset"),
        new Kind(EOFException.class, "reset"));

    /** OkHttp makes no request of these without a body. */
    private static final Set<String> NEED_BODY = Set.of("POST", "PUT", "PATCH");

    @Override
    public void run() {
        String version = Version.userAgent().replace("okhttp/", "");
        Driver.serve(new Library("okhttp", version, List.of(
            "retry", "timeout", "attempt-timeout", "method", "headers", "request-body", "streamed-body",
            "cancel", "shared", "parallel", "status", "error-kind", "response-body", "tls"), KINDS, Opened::new));
    }

    private static final class Opened implements Client {
        private final OkHttpClient client;

        Opened(Policy policy, Trust trust) {
            OkHttpClient.Builder builder = new OkHttpClient.Builder()
                .proxy(Proxy.NO_PROXY)
                .retryOnConnectionFailure(policy.retries() > 0);
            if (trust != null) {
                builder.sslSocketFactory(trust.context().getSocketFactory(), trust.manager());
            }
            Duration attempt = policy.attemptTimeout();
            if (attempt != null) {
                builder.connectTimeout(attempt).readTimeout(attempt).writeTimeout(attempt);
            }
            client = builder.build();
        }

        @Override
        public Answer call(Call call) throws Exception {
            okhttp3.Call made = client.newCall(request(call));
            if (call.deadline() != null) {
                made.timeout().timeout(call.deadline().toNanos(), TimeUnit.NANOSECONDS);
            }
            call.onCancel(made::cancel);
            try (Response response = made.execute()) {
                return answer(response);
            } catch (IOException failure) {
                if (made.isCanceled() && call.isCanceled()) { // a timeout cancels it, too
                    throw new Canceled(failure);
                }
                throw failure;
            }
        }

        private static Request request(Call call) throws IOException, Unsupported {
            Request.Builder request = new Request.Builder().url(call.url());
            call.headers().forEach(header -> request.addHeader(header.name(), header.value()));
            try {
                return request.method(call.method(), body(call)).build();
            } catch (IllegalArgumentException refused) {
                throw new Unsupported(refused.getMessage());
            }
        }

        private static RequestBody body(Call call) throws IOException {
            if (call.isStreamed()) {
                return new Streamed(call.stream());
            }
            if (call.hasBody()) {
                return RequestBody.create(null, call.bytes());
            }
            return NEED_BODY.contains(call.method()) ? RequestBody.create(null, new byte[0]) : null;
        }

        private static Answer answer(Response response) throws IOException {
            List<Call.Header> headers = new ArrayList<>();
            for (int i = 0; i < response.headers().size(); i++) {
                headers.add(new Call.Header(response.headers().name(i), response.headers().value(i)));
            }
            return new Answer(response.code(), headers, response.body().bytes());
        }

        @Override
        public void close() {
            client.dispatcher().executorService().shutdown();
            client.connectionPool().evictAll();
        }
    }

    /** A body of unknown length, written as OkHttp's recipe for streaming does. */
    private static final class Streamed extends RequestBody {
        private final InputStream once;

        Streamed(InputStream once) {
            this.once = once;
        }

        @Override
        public MediaType contentType() {
            return null;
        }

        @Override
        public void writeTo(BufferedSink sink) throws IOException {
            sink.writeAll(Okio.source(once));
        }
    }
}
