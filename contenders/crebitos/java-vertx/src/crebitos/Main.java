package crebitos;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The `crebitos` API in the plain way of Vert.x: one event loop, a router, and a pool of its own PostgreSQL client. */
public final class Main {
    private static final int POOL_WAIT_SECONDS_MAX = 5;
    /** That the database may take to come up. */
    private static final int START_SECONDS_MAX = 30;
    private static final int START_PAUSE_MS = 250;
    private static final int STOP_SECONDS_MAX = 5;

    private Main() {}

    public static void main(String[] args) throws Exception {
        Map<String, String> environment = System.getenv();
        int port = Integer.parseInt(environment.getOrDefault("HTTP_PORT", "8081"));
        int connections = Integer.parseInt(environment.getOrDefault("POOL", "5"));
        String url = environment.getOrDefault("DATABASE_URL", "postgres://postgres@127.0.0.1:15432/postgres");

        Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
        Pool pool = PgBuilder.pool()
            .with(new PoolOptions().setMaxSize(connections).setConnectionTimeout(POOL_WAIT_SECONDS_MAX))
            .connectingTo(PgConnectOptions.fromUri(url).setCachePreparedStatements(true))
            .using(vertx)
            .build();
        await(pool, url);

        HttpServer server = vertx.createHttpServer(new HttpServerOptions().setHost("127.0.0.1").setPort(port));
        server.requestHandler(new Api(new Store(pool)).router(vertx));
        try {
            server.listen().toCompletionStage().toCompletableFuture().get();
        } catch (ExecutionException failed) {
            String reason = failed.getCause().getMessage();
            System.err.printf("port %d: %s%nhint: end who has it, or set HTTP_PORT to another%n", port, reason);
            // Vert.x's threads would run on.
            System.exit(1);
        }
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(server, vertx)));
    }

    /** Waits until the database answers. If it does not, the process ends: there is nothing to be in order about yet. */
    private static void await(Pool pool, String url) throws InterruptedException {
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

    /** Requests under way are answered first. */
    private static void stop(HttpServer server, Vertx vertx) {
        Future<Void> stopped = server.shutdown(STOP_SECONDS_MAX, TimeUnit.SECONDS);
        stopped.otherwiseEmpty().toCompletionStage().toCompletableFuture().join();
        // Not chained to the first: closing ends the event loop that the chain would be completed on.
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }
}
