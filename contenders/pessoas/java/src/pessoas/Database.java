package pessoas;

import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.Pool;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** What is the same with every framework: the statements, the wait for the database, and what its failures mean. */
public final class Database {
    public static final String CREATE = """
        INSERT INTO pessoas (id, apelido, nome, nascimento, stack) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (apelido) DO NOTHING""";
    public static final String FIND = "SELECT id, apelido, nome, nascimento, stack FROM pessoas WHERE id = $1";
    public static final String SEARCH =
        "SELECT id, apelido, nome, nascimento, stack FROM pessoas WHERE busca LIKE lower($1) LIMIT 50";
    public static final String COUNT = "SELECT count(*) FROM pessoas";

    /** That a request waits for a connection. */
    public static final int POOL_WAIT_SECONDS_MAX = 5;

    private static final int START_SECONDS_MAX = 30;
    private static final int START_PAUSE_MS = 250;

    private Database() {}

    /** A pattern of LIKE in which every character of the term stands for itself. */
    public static String pattern(String term) {
        return '%' + term.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + '%';
    }

    /** The status of a request that this failed: 500 where PostgreSQL refused, 503 where it was not reached in time. */
    public static int failed(Throwable cause) {
        System.err.println("database: " + cause);
        return cause instanceof PgException ? 500 : 503;
    }

    /** Waits until the database answers. If it does not, the process ends: there is nothing to be in order about yet. */
    public static void await(Pool pool, String url) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS_MAX);
        while (true) {
            String answer;
            try {
                pool.query("SELECT 1").execute().toCompletionStage().toCompletableFuture()
                    .get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
                return;
            } catch (ExecutionException failed) {
                answer = failed.getCause().getMessage();
            } catch (TimeoutException late) {
                answer = "none";
            }
            if (System.nanoTime() > deadline) {
                PgConnectOptions at = PgConnectOptions.fromUri(url);
                System.err.printf(
                    "database: %s:%d did not answer for %d s (last answer: %s)%nhint: start PostgreSQL there, or set DATABASE_URL%n",
                    at.getHost(), at.getPort(), START_SECONDS_MAX, answer);
                Runtime.getRuntime().halt(1);
            }
            Thread.sleep(START_PAUSE_MS);
        }
    }
}
