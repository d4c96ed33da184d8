package pessoas;

import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** One statement for each request. */
class Store {
    protected final Pool pool;

    Store(Pool pool) {
        this.pool = pool;
    }

    /** Keeps a person; false where somebody has that `apelido`. */
    Future<Boolean> create(Person person) {
        return pool.preparedQuery(Database.CREATE).execute(fields(person)).map(done -> done.rowCount() == 1);
    }

    protected static Tuple fields(Person person) {
        return Tuple.of(person.id(), person.apelido(), person.nome(), person.nascimento(), person.stack());
    }

    /** The person of an id, or null. */
    Future<Person> find(UUID id) {
        return people(Database.FIND, Tuple.of(id)).map(found -> found.isEmpty() ? null : found.get(0));
    }

    /** People in whom a term is contained, whatever the letter case, 50 at most. */
    Future<List<Person>> search(String term) {
        if (term.indexOf('\0') >= 0) {
            // Nobody has it, and PostgreSQL cannot be asked for it.
            return Future.succeededFuture(List.of());
        }
        return people(Database.SEARCH, Tuple.of(Database.pattern(term)));
    }

    Future<Long> count() {
        return pool.preparedQuery(Database.COUNT).execute().map(rows -> rows.iterator().next().getLong(0));
    }

    private Future<List<Person>> people(String statement, Tuple parameters) {
        return pool.preparedQuery(statement).execute(parameters).map(Store::read);
    }

    private static List<Person> read(RowSet<Row> rows) {
        List<Person> people = new ArrayList<>(rows.size());
        for (Row row : rows) {
            people.add(new Person(
                row.getUUID(0), row.getString(1), row.getString(2), row.getString(3), row.getArrayOfStrings(4)));
        }
        return people;
    }
}
