package pessoas

import io.vertx.kotlin.coroutines.coAwait
import io.vertx.sqlclient.Pool
import io.vertx.sqlclient.Row
import io.vertx.sqlclient.RowSet
import io.vertx.sqlclient.Tuple
import java.util.UUID
import kotlin.coroutines.cancellation.CancellationException

/** The database failed a request. */
class StoreFailed(override val cause: Throwable) : Exception(cause)

/** One statement for each request. */
class Store(private val pool: Pool) {
    /** Keeps a person; false where somebody has that `apelido`. */
    suspend fun create(person: Person): Boolean =
        ask(
            Database.CREATE,
            Tuple.of(person.id, person.apelido, person.nome, person.nascimento, person.stack),
        ).rowCount() == 1

    suspend fun find(id: UUID): Person? = ask(Database.FIND, Tuple.of(id)).map(::read).firstOrNull()

    /** People in whom a term is contained, whatever the letter case, 50 at most. */
    suspend fun search(term: String): List<Person> {
        // Nobody has it, and PostgreSQL cannot be asked for it.
        if ('\u0000' in term) return emptyList()
        return ask(Database.SEARCH, Tuple.of(Database.pattern(term))).map(::read)
    }

    suspend fun count(): Long = ask(Database.COUNT, Tuple.tuple()).first().getLong(0)

    private suspend fun ask(statement: String, parameters: Tuple): RowSet<Row> =
        try {
            pool.preparedQuery(statement).execute(parameters).coAwait()
        } catch (cancelled: CancellationException) {
            throw cancelled
        } catch (cause: Throwable) {
            throw StoreFailed(cause)
        }

    private fun read(row: Row) =
        Person(row.getUUID(0), row.getString(1), row.getString(2), row.getString(3), row.getArrayOfStrings(4))
}
