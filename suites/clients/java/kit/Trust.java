package kit;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;

/** Whom a client is to trust, as Java's libraries take it. */
public record Trust(X509TrustManager manager, SSLContext context) {
    /** Trusts the authorities in a PEM file, and nobody else. */
    static Trust in(String file) throws IOException, GeneralSecurityException {
        KeyStore authorities = KeyStore.getInstance(KeyStore.getDefaultType());
        authorities.load(null, null);
        try (InputStream pem = Files.newInputStream(Path.of(file))) {
            for (Certificate authority : CertificateFactory.getInstance("X.509").generateCertificates(pem)) {
                authorities.setCertificateEntry("authority-" + authorities.size(), authority);
            }
        }
        TrustManagerFactory managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        managers.init(authorities);
        X509TrustManager manager = (X509TrustManager) managers.getTrustManagers()[0];
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, new TrustManager[] {manager}, null);
        return new Trust(manager, context);
    }
}
