import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
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
import org.apache.http.ConnectionClosedException;
import org.apache.http.HttpEntity;
import org.apache.http.HttpException;
import org.apache.http.NoHttpResponseException;
import org.apache.http.client.NonRepeatableRequestException;
import org.apache.http.client.config.RequestConfig;
import org.apache.http.client.methods.CloseableHttpResponse;
import org.apache.http.client.methods.HttpUriRequest;
import org.apache.http.client.methods.RequestBuilder;
import org.apache.http.conn.ConnectTimeoutException;
import org.apache.http.entity.ByteArrayEntity;
import org.apache.http.entity.InputStreamEntity;
import org.apache.http.impl.client.CloseableHttpClient;
import org.apache.http.impl.client.DefaultServiceUnavailableRetryStrategy;
import org.apache.http.impl.client.HttpClientBuilder;
import org.apache.http.impl.client.StandardHttpRequestRetryHandler;
import org.apache.http.util.EntityUtils;
import org.apache.http.util.VersionInfo;

/**
 * A driver that has Apache HttpClient 4.5 judged, with the two retries that it ships with: one of
 * lost connections, and one of the status 503.
 *
 * <p>What a policy says becomes these settings:
 *
 * <pre>
 *     attempts              StandardHttpRequestRetryHandler and DefaultServiceUnavailableRetryStrategy, attempts - 1 each
 *     methods               requestSentRetryEnabled of the former, where one of them is not idempotent
 *     backoff               the interval of DefaultServiceUnavailableRetryStrategy: constant, without jitter
 *     timeouts.attempt_ms   RequestConfig: connectTimeout, connectionRequestTimeout and socketTimeout
 *     cancel                HttpUriRequest.abort
 *     ca_file               HttpClientBuilder.setSSLContext
 * </pre>
 *
 * <p>The handler retries all methods that are idempotent, and the strategy all there are. Not among
 * the capabilities is timeout, since there is none of a whole call.
 */
public final class ApacheHttpClient implements Runnable {
    private static final List<Kind> KINDS = List.of(
        new Kind(Canceled.class, "canceled"),
        new Kind(ConnectTimeoutException.class, "timeout"),
        new Kind(SocketTimeoutException.class, "timeout"),
        new Kind(ConnectException.class, "connect"),
        new Kind(NonRepeatableRequestException.class, "not-replayable"),
        new Kind(NoHttpResponseException.class, "reset"),
        new Kind(SocketException.class, "reset"),
        new Kind(ConnectionClosedException.class, "truncated"),
        new Kind(HttpException.class, "protocol"));

    /** Those that StandardHttpRequestRetryHandler retries unless it is told to retry all. */
    private static final Set<String> IDEMPOTENT = Set.of("GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE");

    /** More than any contract makes at the same time; the library's own is 2 for a server. */
    private static final int CONNECTIONS = 1000;

    @Override
    public void run() {
        String version = VersionInfo.loadVersionInfo("org.apache.http.client", getClass().getClassLoader()).getRelease();
        Driver.serve(new Library("apache-httpclient", version, List.of(
            "retry", "attempts", "backoff", "attempt-timeout", "method", "headers", "request-body", "streamed-body",
            "cancel", "shared", "parallel", "status", "error-kind", "response-body", "tls"), KINDS, Opened::new));
    }

    private static final class Opened implements Client {
        private final CloseableHttpClient client;

        Opened(Policy policy, Trust trust) throws Unsupported {
            HttpClientBuilder builder = HttpClientBuilder.create()
                .setMaxConnTotal(CONNECTIONS)
                .setMaxConnPerRoute(CONNECTIONS)
                .setRetryHandler(new StandardHttpRequestRetryHandler(policy.retries(), !IDEMPOTENT.containsAll(policy.methods())));
            if (policy.retries() > 0) {
                if (!policy.backoff().isConstant()) {
                    throw new Unsupported("the interval is constant, and has no jitter");
                }
                int interval = (int) Math.round(policy.backoff().baseMs());
                builder.setServiceUnavailableRetryStrategy(new DefaultServiceUnavailableRetryStrategy(policy.retries(), interval));
            }
            if (trust != null) {
                builder.setSSLContext(trust.context());
            }
            Duration attempt = policy.attemptTimeout();
            if (attempt != null) {
                int ms = (int) attempt.toMillis();
                builder.setDefaultRequestConfig(RequestConfig.custom()
                    .setConnectTimeout(ms).setConnectionRequestTimeout(ms).setSocketTimeout(ms).build());
            }
            client = builder.build();
        }

        @Override
        public Answer call(Call call) throws Exception {
            HttpUriRequest request = request(call);
            call.onCancel(request::abort);
            try (CloseableHttpResponse response = client.execute(request)) {
                return answer(response);
            } catch (IOException failure) {
                if (request.isAborted()) {
                    throw new Canceled(failure);
                }
                throw failure;
            }
        }

        private static HttpUriRequest request(Call call) throws IOException {
            RequestBuilder request = RequestBuilder.create(call.method()).setUri(call.url());
            call.headers().forEach(header -> request.addHeader(header.name(), header.value()));
            if (call.hasBody()) {
                request.setEntity(call.isStreamed() ? new InputStreamEntity(call.stream()) : new ByteArrayEntity(call.bytes()));
            }
            return request.build();
        }

        private static Answer answer(CloseableHttpResponse response) throws IOException {
            HttpEntity body = response.getEntity();
            return new Answer(
                response.getStatusLine().getStatusCode(),
                Stream.of(response.getAllHeaders()).map(header -> new Call.Header(header.getName(), header.getValue())).toList(),
                body == null ? new byte[0] : EntityUtils.toByteArray(body));
        }

        @Override
        public void close() {
            try {
                client.close();
            } catch (IOException failure) {
                throw new UncheckedIOException("close the client", failure);
            }
        }
    }
}
