package posts;

import java.net.URI;

/** The parts of `postgres://USER:PASSWORD@HOST:PORT/DATABASE`, as JDBC wants them. */
record DatabaseUrl(String address, String database, String user, String password) {
    static DatabaseUrl parse(String text) {
        URI url = URI.create(text);
        if (url.getHost() == null) {
            throw new IllegalArgumentException("environment: `DATABASE_URL` names no host\n"
                    + "hint: DATABASE_URL=postgres://postgres@127.0.0.1:15432/postgres");
        }
        String[] who = (url.getUserInfo() == null ? "postgres" : url.getUserInfo()).split(":", 2);
        int port = url.getPort() == -1 ? 5432 : url.getPort();
        return new DatabaseUrl(url.getHost() + ":" + port, url.getPath(), who[0], who.length == 2 ? who[1] : "");
    }

    String jdbc() {
        return "jdbc:postgresql://" + address + database + "?sslmode=disable";
    }
}
