package pessoas;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.json.jackson.DatabindCodec;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** The `pessoas` API in the plain way of Vert.x: one event loop, a router, and a pool of its own PostgreSQL client. */
public final class Main {
    /** Connections to the database, for each instance, where `POOL` says nothing else. */
    private static final int POOL = 6;
    private static final int STOP_SECONDS_MAX = 5;

    private Main() {}

    public static void main(String[] args) throws Exception {
        int port = Integer.parseInt(variable("HTTP_PORT", "8081"));
        String url = variable("DATABASE_URL", "postgres://postgres@127.0.0.1:15432/postgres");
        String size = System.getenv().getOrDefault("POOL", String.valueOf(POOL));

        StrictJson.apply(DatabindCodec.mapper());
        Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
        Pool pool = PgBuilder.pool()
            .with(new PoolOptions()
                .setMaxSize(Integer.parseInt(size))
                .setConnectionTimeout(Database.POOL_WAIT_SECONDS_MAX))
            .connectingTo(PgConnectOptions.fromUri(url).setCachePreparedStatements(true))
            .using(vertx)
            .build();
        Database.await(pool, url);

        HttpServer server = vertx.createHttpServer(new HttpServerOptions().setHost("127.0.0.1").setPort(port));
        String redis = System.getenv("REDIS_URL");
        Store store = redis == null ? new Store(pool) : new QueuedStore(pool, vertx, redis);
        server.requestHandler(new Api(store).router(vertx));
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

    /** Requests under way are answered first. */
    private static void stop(HttpServer server, Vertx vertx) {
        Future<Void> stopped = server.shutdown(STOP_SECONDS_MAX, TimeUnit.SECONDS);
        stopped.otherwiseEmpty().toCompletionStage().toCompletableFuture().join();
        // Not chained to the first: closing ends the event loop that the chain would be completed on.
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }

    private static String variable(String name, String example) {
        String value = System.getenv(name);
        if (value == null) {
            System.err.printf("environment: `%s` is not set%nhint: %s=%s%n", name, name, example);
            System.exit(1);
        }
        return value;
    }
}
