package posts;

import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Map;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** `posts` with Spring Boot: an entity, a repository of Spring Data JPA, and HikariCP's pool. */
@SpringBootApplication
public class Application {
    private static final int START_WAIT_S = 30;
    private static final int START_PAUSE_MS = 200;

    public static void main(String[] arguments) throws InterruptedException {
        DatabaseUrl database;
        try {
            for (String name : new String[] {"HTTP_PORT", "MAX_OPEN", "MIN_IDLE"}) {
                Integer.parseInt(variable(name));
            }
            database = DatabaseUrl.parse(variable("DATABASE_URL"));
            waitFor(database);
        } catch (IllegalArgumentException | IllegalStateException error) {
            System.err.println(error.getMessage());
            System.exit(1);
            return;
        }
        SpringApplication application = new SpringApplication(Application.class);
        application.setDefaultProperties(Map.of(
                "spring.datasource.url", database.jdbc(),
                "spring.datasource.username", database.user(),
                "spring.datasource.password", database.password()));
        application.run(arguments);
    }

    private static String variable(String name) {
        String value = System.getenv(name);
        if (value == null) {
            throw new IllegalArgumentException("environment: `" + name + "` is not set\nhint: see compose.yaml");
        }
        return value;
    }

    /** Returns once the database takes connections: without one, Hibernate does not start. */
    private static void waitFor(DatabaseUrl database) throws InterruptedException {
        long end = System.nanoTime() + START_WAIT_S * 1_000_000_000L;
        DriverManager.setLoginTimeout(5);
        while (true) {
            try {
                DriverManager.getConnection(database.jdbc(), database.user(), database.password()).close();
                return;
            } catch (SQLException error) {
                if (System.nanoTime() + START_PAUSE_MS * 1_000_000L > end) {
                    throw new IllegalStateException("database: no connection to " + database.address() + " within "
                            + START_WAIT_S + " s: " + error.getMessage()
                            + "\nhint: start PostgreSQL there, or set DATABASE_URL to where it is");
                }
            }
            Thread.sleep(START_PAUSE_MS);
        }
    }
}
