package pessoas

import io.ktor.server.engine.connector
import io.ktor.server.engine.embeddedServer
import io.ktor.server.netty.Netty
import io.vertx.core.Vertx
import io.vertx.core.VertxOptions
import io.vertx.pgclient.PgBuilder
import io.vertx.pgclient.PgConnectOptions
import io.vertx.sqlclient.PoolOptions
import java.io.IOException
import kotlin.system.exitProcess

/** Connections to the database, for each instance, where `POOL` says nothing else. */
private const val POOL = 6

/** nginx passes on heads of this size. */
private const val HEAD_BYTES_MAX = 32 * 1024

/** The `pessoas` API in the plain way of Ktor: coroutines on Netty, and the PostgreSQL client of Vert.x. */
fun main() {
    val httpPort = variable("HTTP_PORT", "8081").toInt()
    val url = variable("DATABASE_URL", "postgres://postgres@127.0.0.1:15432/postgres")
    val size = System.getenv("POOL")?.toInt() ?: POOL

    val pool = PgBuilder.pool()
        .with(PoolOptions().setMaxSize(size).setConnectionTimeout(Database.POOL_WAIT_SECONDS_MAX))
        .connectingTo(PgConnectOptions.fromUri(url).setCachePreparedStatements(true))
        .using(Vertx.vertx(VertxOptions().setEventLoopPoolSize(1)))
        .build()
    Database.await(pool, url)

    val server = embeddedServer(Netty, configure = {
        connector {
            host = "127.0.0.1"
            port = httpPort
        }
        // One thread for less than half a core; nothing here blocks.
        connectionGroupSize = 1
        workerGroupSize = 1
        callGroupSize = 0
        shareWorkGroup = true
        maxInitialLineLength = HEAD_BYTES_MAX
        maxHeaderSize = HEAD_BYTES_MAX
        shutdownGracePeriod = 500
        shutdownTimeout = 5000
    }) { api(Store(pool)) }
    try {
        // It stops in order by itself when it is told to.
        server.start(wait = true)
    } catch (error: IOException) {
        System.err.println("port $httpPort: ${error.message}\nhint: end who has it, or set HTTP_PORT to another")
        // At once: the threads of Vert.x would run on, and what Ktor does at an end is for a server that has started.
        Runtime.getRuntime().halt(1)
    }
}

private fun variable(name: String, example: String): String = System.getenv(name) ?: run {
    System.err.println("environment: `$name` is not set\nhint: $name=$example")
    exitProcess(1)
}
