package kit;

import java.util.Arrays;

/**
 * Starts a driver, or says in plain words which Debian packages to install where its library is
 * not there: {@code java kit.Start CLASS PACKAGE...}. It needs no library itself.
 */
final class Start {
    private Start() {}

    public static void main(String[] args) throws Throwable {
        String driver = args[0];
        String packages = String.join(" ", Arrays.copyOfRange(args, 1, args.length));
        try {
            Runnable main = (Runnable) Class.forName(driver).getDeclaredConstructor().newInstance();
            main.run();
        } catch (NoClassDefFoundError missing) {
            System.err.printf("%s: expected the class %s, found none; run apt-get install %s, then make drivers%n",
                driver, missing.getMessage().replace('/', '.'), packages);
            System.exit(1);
        } catch (ClassNotFoundException missing) {
            System.err.printf("%s is not compiled; run apt-get install %s, then make drivers%n", driver, packages);
            System.exit(1);
        }
    }
}
