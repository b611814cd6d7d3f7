package kit;

/** A client that was opened with a policy. Its calls are made side by side, each in a thread of its own. */
public interface Client {
    /**
     * Makes a call as a program would that uses the library, retries included, and reads the answer to its end.
     *
     * @throws Unsupported where the library cannot make such a call
     * @throws Exception what the caller of the library gets
     */
    Answer call(Call call) throws Exception;

    /** Ends its connections; it does not wait for calls. */
    void close();
}
