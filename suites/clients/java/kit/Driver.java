package kit;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What the Java drivers share: the conversation of docs/protocol.md.
 *
 * <pre>{@code
 * public final class MyClient implements Runnable {
 *     public void run() {
 *         Driver.serve(new Library("my-client", version(), List.of("retry", ...), KINDS, MyClient::open));
 *     }
 * }
 * }</pre>
 */
public final class Driver {
    private final Library library;
    private final PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
    private final Map<Integer, Client> clients = new ConcurrentHashMap<>();
    private final Map<Long, Call> calls = new ConcurrentHashMap<>();

    private Driver(Library library) {
        this.library = library;
    }

    /** Answers the messages on standard input until it ends, and then ends the program. */
    public static void serve(Library library) {
        Driver driver = new Driver(library);
        System.setOut(System.err); // standard output is for messages alone
        try (var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            driver.hello();
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                driver.answer(Message.read(line));
            }
        } catch (IOException broken) {
            throw new UncheckedIOException("read what faultsrv says", broken);
        }
        System.exit(0); // whatever still runs
    }

    private void hello() {
        send("hello", Map.of(
            "protocol", 1,
            "client", Map.of(
                "name", library.name(), "version", library.version(), "language", "Java " + System.getProperty("java.version")),
            "capabilities", library.capabilities()));
    }

    private void answer(Message message) {
        switch (message.type()) {
            case "open" -> open(message);
            case "run" -> start(message);
            case "cancel" -> cancel(message.seq());
            case "close" -> close(message.client());
            default -> throw new IllegalArgumentException(
                "expected a message of type open, run, cancel or close, got " + message.type());
        }
    }

    private void open(Message message) {
        Map<String, Object> opened = new LinkedHashMap<>(Map.of("client", message.client()));
        try {
            Trust trust = message.caFile() == null ? null : Trust.in(message.caFile());
            clients.put(message.client(), library.opener().open(message.policy(), trust));
        } catch (Unsupported lacking) {
            opened.put("unsupported", lacking.getMessage());
        } catch (Exception broken) {
            opened.put("error", broken.toString());
        }
        send("opened", opened);
    }

    private void start(Message message) {
        long started = System.nanoTime();
        Call call = new Call(message);
        Client client = clients.get(message.client());
        calls.put(message.seq(), call);
        Thread thread = new Thread(() -> {
            Map<String, Object> result = new LinkedHashMap<>(result(client, call));
            result.put("seq", message.seq());
            result.put("elapsed_ms", (System.nanoTime() - started) / 1e6);
            calls.remove(message.seq());
            send("result", result);
        });
        thread.setDaemon(true);
        thread.start();
    }

    private Map<String, Object> result(Client client, Call call) {
        try {
            return client.call(call).result();
        } catch (Unsupported lacking) {
            return Map.of("outcome", "unsupported", "reason", lacking.getMessage());
        } catch (Exception failure) {
            return Kind.result(failure, library.kinds());
        }
    }

    private void cancel(long seq) {
        Call call = calls.get(seq);
        if (call != null) {
            call.cancel();
        }
    }

    private void close(int number) {
        clients.remove(number).close();
        send("closed", Map.of("client", number));
    }

    private void send(String type, Map<String, Object> fields) {
        Map<String, Object> message = new LinkedHashMap<>(Map.of("type", type));
        message.putAll(fields);
        String line = Message.line(message) + "\n";
        synchronized (out) {
            out.print(line);
            out.flush();
        }
    }
}
