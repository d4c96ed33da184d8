package pessoas;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.quarkus.jackson.ObjectMapperCustomizer;
import io.quarkus.reactive.pg.client.PgPoolCreator;
import io.quarkus.runtime.StartupEvent;
import io.vertx.pgclient.PgBuilder;
import io.vertx.sqlclient.Pool;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/** What `application.properties` cannot say. */
@Singleton
class Start implements ObjectMapperCustomizer, PgPoolCreator {
    @Override
    public void customize(ObjectMapper mapper) {
        StrictJson.apply(mapper);
    }

    @Override
    public Pool create(Input input) {
        return PgBuilder.pool()
            .with(input.poolOptions().setConnectionTimeout(Database.POOL_WAIT_SECONDS_MAX))
            .connectingTo(input.pgConnectOptionsList().get(0))
            .using(input.vertx())
            .build();
    }

    /** Before the port is opened. */
    void awaitDatabase(
        @Observes StartupEvent event, Pool pool, @ConfigProperty(name = "quarkus.datasource.reactive.url") String url)
        throws InterruptedException {
        Database.await(pool, url);
    }
}
