package pessoas;

import io.smallrye.mutiny.Uni;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.util.UUID;
import java.util.function.Function;
import org.jboss.resteasy.reactive.RestPath;
import org.jboss.resteasy.reactive.RestQuery;

/** Routes and statuses. Jackson's refusals are 400 of themselves, and HEAD is GET. */
@Path("/")
@Produces(MediaType.APPLICATION_JSON)
class Api {
    private final Store store;

    Api(Store store) {
        this.store = store;
    }

    @POST
    @Path("pessoas")
    public Uni<Response> create(NewPerson sent) {
        if (sent == null) {
            return only(400);
        }
        Person person = sent.validate();
        if (person == null) {
            return only(422);
        }
        return answer(store.create(person), isCreated -> isCreated
            ? Response.status(201).header("Location", "/pessoas/" + person.id()).build()
            : Response.status(422).build());
    }

    /** An id that is no UUID is 404 of itself. */
    @GET
    @Path("pessoas/{id}")
    public Uni<Response> find(@RestPath UUID id) {
        return answer(store.find(id), person -> person == null ? Response.status(404).build() : Response.ok(person).build());
    }

    @GET
    @Path("pessoas")
    public Uni<Response> search(@RestQuery String t) {
        return t == null || t.isEmpty() ? only(400) : answer(store.search(t), people -> Response.ok(people).build());
    }

    @GET
    @Path("contagem-pessoas")
    @Produces(MediaType.TEXT_PLAIN)
    public Uni<Response> count() {
        return answer(store.count(), count -> Response.ok(count.toString()).build());
    }

    private static <T> Uni<Response> answer(Uni<T> result, Function<T, Response> then) {
        return result.map(then).onFailure().recoverWithItem(cause -> Response.status(Database.failed(cause)).build());
    }

    private static Uni<Response> only(int status) {
        return Uni.createFrom().item(Response.status(status).build());
    }
}
