package pessoas;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.Json;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisAPI;
import io.vertx.redis.client.Response;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Whoever is created is in Redis alone when that is acknowledged, and in PostgreSQL up to two seconds later. */
final class QueuedStore extends Store {
    private static final int FLUSH_MS = 2000;
    private static final String FLUSHED_MAX = "1000";
    private static final String QUEUE = "queue";
    /** Claims the `apelido`, keeps the person for look-ups and queues it. */
    private static final String CREATE = """
        if redis.call('SETNX', KEYS[1], '1') == 0 then return 0 end
        redis.call('SET', KEYS[2], ARGV[1])
        redis.call('RPUSH', KEYS[3], ARGV[1])
        return 1""";

    private final RedisAPI redis;

    QueuedStore(Pool pool, Vertx vertx, String redisUrl) {
        super(pool);
        redis = RedisAPI.api(Redis.createClient(vertx, redisUrl));
        vertx.setTimer(FLUSH_MS, timer -> flush(vertx));
    }

    @Override
    Future<Boolean> create(Person person) {
        List<String> words =
            List.of(CREATE, "3", "apelido:" + person.apelido(), key(person.id()), QUEUE, Json.encode(person));
        return redis.eval(words).map(answer -> answer.toInteger() == 1);
    }

    @Override
    Future<Person> find(UUID id) {
        return redis.get(key(id)).compose(known ->
            known == null ? super.find(id) : Future.succeededFuture(Json.decodeValue(known.toString(), Person.class)));
    }

    /** All that is queued, a batch after the other. Of a batch that PostgreSQL refused nobody is kept, as in the design that this is after. */
    private void flush(Vertx vertx) {
        redis.lpop(List.of(QUEUE, FLUSHED_MAX))
            .compose(queued -> queued == null ? Future.succeededFuture(false) : insert(queued).map(true))
            .onFailure(Database::failed)
            .onComplete(done -> {
                if (done.succeeded() && done.result()) {
                    flush(vertx);
                } else {
                    vertx.setTimer(FLUSH_MS, timer -> flush(vertx));
                }
            });
    }

    private Future<?> insert(Response queued) {
        List<Tuple> batch = new ArrayList<>(queued.size());
        for (Response person : queued) {
            batch.add(fields(Json.decodeValue(person.toString(), Person.class)));
        }
        return pool.preparedQuery(Database.CREATE).executeBatch(batch);
    }

    private static String key(UUID id) {
        return "id:" + id;
    }
}
