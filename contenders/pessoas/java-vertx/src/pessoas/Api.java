package pessoas;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.Json;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.BodyHandler;
import java.util.UUID;
import java.util.function.Consumer;

/** Routes and statuses. */
final class Api {
    private static final int BODY_BYTES_MAX = 64 * 1024;

    private final Store store;

    Api(Store store) {
        this.store = store;
    }

    Router router(Vertx vertx) {
        Router router = Router.router(vertx);
        router.post("/pessoas").handler(BodyHandler.create(false).setBodyLimit(BODY_BYTES_MAX)).handler(this::create);
        get(router, "/pessoas", this::search);
        get(router, "/pessoas/:id", this::find);
        get(router, "/contagem-pessoas", this::count);
        return router;
    }

    /** HEAD is GET without a body, which Vert.x leaves to its user to say. */
    private static void get(Router router, String path, Consumer<RoutingContext> handler) {
        router.route(path).method(HttpMethod.GET).method(HttpMethod.HEAD).handler(handler::accept);
    }

    private void create(RoutingContext call) {
        NewPerson sent = read(call.body().buffer());
        if (sent == null) {
            end(call, 400);
            return;
        }
        Person person = sent.validate();
        if (person == null) {
            end(call, 422);
            return;
        }
        answer(call, store.create(person), isCreated -> {
            if (isCreated) {
                call.response().putHeader(HttpHeaders.LOCATION, "/pessoas/" + person.id());
            }
            end(call, isCreated ? 201 : 422);
        });
    }

    /** Null for broken JSON and for a wrong type. */
    private static NewPerson read(Buffer body) {
        try {
            return body == null ? null : Json.decodeValue(body, NewPerson.class);
        } catch (DecodeException refused) {
            return null;
        }
    }

    private void find(RoutingContext call) {
        UUID id;
        try {
            id = UUID.fromString(call.pathParam("id"));
        } catch (IllegalArgumentException noUuid) {
            end(call, 404);
            return;
        }
        answer(call, store.find(id), person -> {
            if (person == null) {
                end(call, 404);
            } else {
                call.json(person);
            }
        });
    }

    private void search(RoutingContext call) {
        String term;
        try {
            term = call.request().getParam("t");
        } catch (IllegalArgumentException noEncoding) {
            end(call, 400);
            return;
        }
        if (term == null || term.isEmpty()) {
            end(call, 400);
            return;
        }
        answer(call, store.search(term), call::json);
    }

    private void count(RoutingContext call) {
        answer(call, store.count(), count ->
            call.response().putHeader(HttpHeaders.CONTENT_TYPE, "text/plain").end(count.toString()));
    }

    private static <T> void answer(RoutingContext call, Future<T> result, Consumer<T> then) {
        result.onSuccess(then::accept).onFailure(cause -> end(call, Database.failed(cause)));
    }

    private static void end(RoutingContext call, int status) {
        call.response().setStatusCode(status).end();
    }
}
