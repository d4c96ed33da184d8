package pessoas;

import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** One statement for each request. */
@Singleton
class Store {
    private final Pool pool;

    Store(Pool pool) {
        this.pool = pool;
    }

    /** Keeps a person; false where somebody has that `apelido`. */
    Uni<Boolean> create(Person person) {
        Tuple fields =
            Tuple.of(person.id(), person.apelido(), person.nome(), person.nascimento(), person.stack());
        return pool.preparedQuery(Database.CREATE).execute(fields).map(done -> done.rowCount() == 1);
    }

    /** The person of an id, or null. */
    Uni<Person> find(UUID id) {
        return people(Database.FIND, Tuple.of(id)).map(found -> found.isEmpty() ? null : found.get(0));
    }

    /** People in whom a term is contained, whatever the letter case, 50 at most. */
    Uni<List<Person>> search(String term) {
        if (term.indexOf('\0') >= 0) {
            // Nobody has it, and PostgreSQL cannot be asked for it.
            return Uni.createFrom().item(List.of());
        }
        return people(Database.SEARCH, Tuple.of(Database.pattern(term)));
    }

    Uni<Long> count() {
        return pool.preparedQuery(Database.COUNT).execute().map(rows -> rows.iterator().next().getLong(0));
    }

    private Uni<List<Person>> people(String statement, Tuple parameters) {
        return pool.preparedQuery(statement).execute(parameters).map(Store::read);
    }

    private static List<Person> read(RowSet<Row> rows) {
        List<Person> people = new ArrayList<>(rows.size());
        for (Row row : rows) {
            people.add(new Person(
                row.getUUID(0),
                row.getString(1),
                row.getString(2),
                row.getString(3),
                row.getDelegate().getArrayOfStrings(4)));
        }
        return people;
    }
}
