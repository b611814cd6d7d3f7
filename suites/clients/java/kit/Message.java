package kit;

import com.google.gson.FieldNamingPolicy;
import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** What faultsrv says, of any type: a field that the type has not, or that is missing, is null or 0. */
record Message(
    String type, int client, Policy policy, String caFile,
    long seq, String url, String method, List<List<String>> headers, Body body, Double deadlineMs) {

    /** Where the bytes of a call's body are, and whether they can be read only once. */
    record Body(String file, boolean stream) {}

    private static final Gson JSON =
        new GsonBuilder().setFieldNamingPolicy(FieldNamingPolicy.LOWER_CASE_WITH_UNDERSCORES).create();

    static Message read(String line) {
        return JSON.fromJson(line, Message.class);
    }

    /** The line of an answer. */
    static String line(Map<String, Object> answer) {
        return JSON.toJson(answer);
    }

    static Duration duration(Double ms) {
        return ms == null ? null : Duration.ofNanos((long) (ms * 1e6));
    }
}
