package crebitos;

import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/** One statement for each request. */
final class Store {
    /** The new balance, or null where the limit forbids the move; no row for an unknown client. The move is inserted
     *  under the lock of the client's row, so the order of ids is the order of balances. */
    private static final String MOVE = """
        WITH moved AS (
            UPDATE clientes SET saldo = saldo + $2 WHERE id = $1 AND saldo + $2 >= -limite RETURNING saldo
        ), kept AS (
            INSERT INTO transacoes (cliente_id, valor, tipo, descricao) SELECT $1, $3, $4, $5 FROM moved
        )
        SELECT limite, moved.saldo FROM clientes LEFT JOIN moved ON true WHERE id = $1""";
    /** A row for each of the last moves, and one for a client without a move: one statement, so one snapshot. */
    private static final String STATEMENT = """
        SELECT limite, saldo, valor, tipo, descricao, realizada_em
        FROM clientes c LEFT JOIN LATERAL (
            SELECT id, valor, tipo, descricao, realizada_em FROM transacoes
            WHERE cliente_id = c.id ORDER BY id DESC LIMIT 10
        ) t ON true
        WHERE c.id = $1 ORDER BY t.id DESC""";
    /** PostgreSQL's numeric_value_out_of_range: a balance beyond 64 bits. */
    private static final String OUT_OF_RANGE = "22003";
    private static final DateTimeFormatter TIMESTAMP =
        DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);

    private final Pool pool;

    Store(Pool pool) {
        this.pool = pool;
    }

    /** Keeps a move, and gives the balance after it. */
    Future<JsonObject> move(int id, Move move) {
        Tuple parameters = Tuple.of(id, move.change(), move.valor(), move.tipo(), move.descricao());
        return pool.preparedQuery(MOVE).execute(parameters).map(Store::moved).recover(cause -> {
            boolean isBeyond = cause instanceof PgException refused && OUT_OF_RANGE.equals(refused.getSqlState());
            return Future.failedFuture(isBeyond ? new Refused(422) : cause);
        });
    }

    private static JsonObject moved(RowSet<Row> rows) {
        Row client = client(rows);
        if (client.getLong("saldo") == null) {
            throw new Refused(422);
        }
        return new JsonObject().put("limite", client.getLong("limite")).put("saldo", client.getLong("saldo"));
    }

    /** The balance and the last moves, newest first. */
    Future<JsonObject> statement(int id) {
        return pool.preparedQuery(STATEMENT).execute(Tuple.of(id)).map(rows -> {
            Row client = client(rows);
            JsonObject balance = new JsonObject()
                .put("total", client.getLong("saldo"))
                .put("data_extrato", TIMESTAMP.format(Instant.now()))
                .put("limite", client.getLong("limite"));
            return new JsonObject().put("saldo", balance).put("ultimas_transacoes", moves(rows));
        });
    }

    private static JsonArray moves(RowSet<Row> rows) {
        JsonArray moves = new JsonArray();
        for (Row row : rows) {
            if (row.getLong("valor") != null) {
                moves.add(new JsonObject()
                    .put("valor", row.getLong("valor"))
                    .put("tipo", row.getString("tipo"))
                    .put("descricao", row.getString("descricao"))
                    .put("realizada_em", TIMESTAMP.format(row.getOffsetDateTime("realizada_em"))));
            }
        }
        return moves;
    }

    /** The first row, which has the client. */
    private static Row client(RowSet<Row> rows) {
        if (rows.size() == 0) {
            throw new Refused(404);
        }
        return rows.iterator().next();
    }
}
