package kit;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/** What the caller of a library got, its body read to the end. */
public record Answer(int status, List<Call.Header> headers, byte[] body) {
    Map<String, Object> result() {
        return Map.of(
            "outcome", "response",
            "status", status,
            "headers", headers.stream().map(header -> List.of(header.name(), header.value())).toList(),
            "body_sha256", sha256(body),
            "body_length", body.length);
    }

    private static String sha256(byte[] body) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(body));
        } catch (NoSuchAlgorithmException impossible) {
            throw new AssertionError("every Java has SHA-256", impossible);
        }
    }
}
