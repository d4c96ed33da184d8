package crebitos;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.BodyHandler;

/** Routes and statuses. */
final class Api {
    private static final int BODY_BYTES_MAX = 64 * 1024;
    /** An id of more digits is in no `int`, and no client has it. */
    private static final String CLIENT = "/clientes/(?<id>[0-9]{1,9})";

    private final Store store;

    Api(Store store) {
        this.store = store;
    }

    Router router(Vertx vertx) {
        Router router = Router.router(vertx);
        router.postWithRegex(CLIENT + "/transacoes")
            .handler(BodyHandler.create(false).setBodyLimit(BODY_BYTES_MAX))
            .handler(this::move);
        router.getWithRegex(CLIENT + "/extrato").handler(call -> answer(call, store.statement(id(call))));
        return router;
    }

    private void move(RoutingContext call) {
        Move move = Move.read(call.body().buffer());
        answer(call, move == null ? Future.failedFuture(new Refused(422)) : store.move(id(call), move));
    }

    private static int id(RoutingContext call) {
        return Integer.parseInt(call.pathParam("id"));
    }

    private static void answer(RoutingContext call, Future<JsonObject> result) {
        result.onSuccess(call::json).onFailure(cause -> {
            if (!(cause instanceof Refused)) {
                System.err.println("database: " + cause);
            }
            call.response().setStatusCode(cause instanceof Refused refused ? refused.status : 503).end();
        });
    }
}
