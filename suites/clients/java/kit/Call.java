package kit;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** A call as faultsrv asks for it. */
public final class Call {
    /** A line of a header. */
    public record Header(String name, String value) {}

    private final Message asked;
    private Runnable cancel;
    private boolean canceled;

    Call(Message asked) {
        this.asked = asked;
    }

    public String method() {
        return asked.method();
    }

    public String url() {
        return asked.url();
    }

    public List<Header> headers() {
        return asked.headers().stream().map(pair -> new Header(pair.get(0), pair.get(1))).toList();
    }

    /** The whole call's, from now on; null for none. */
    public Duration deadline() {
        return Message.duration(asked.deadlineMs());
    }

    public boolean hasBody() {
        return asked.body() != null;
    }

    /** Whether the body can be read only once: then {@link #stream} has it, else {@link #bytes}. */
    public boolean isStreamed() {
        return hasBody() && asked.body().stream();
    }

    public byte[] bytes() throws IOException {
        return Files.readAllBytes(file());
    }

    /** A stream without a way back to its beginning; it does not show that it is of a file. */
    public InputStream stream() throws IOException {
        return new FilterInputStream(Files.newInputStream(file())) {};
    }

    private Path file() {
        return Path.of(asked.body().file());
    }

    /** Has {@code cancel} run when the call is cancelled, at once if it is already. */
    public synchronized void onCancel(Runnable cancel) {
        this.cancel = cancel;
        if (canceled) {
            cancel.run();
        }
    }

    /** Whether the caller has cancelled the call. */
    public synchronized boolean isCanceled() {
        return canceled;
    }

    synchronized void cancel() {
        canceled = true;
        if (cancel != null) {
            cancel.run();
        }
    }
}
