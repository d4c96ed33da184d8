package pessoas

import com.fasterxml.jackson.core.JacksonException
import com.fasterxml.jackson.databind.ObjectMapper
import io.ktor.http.ContentType
import io.ktor.http.HttpHeaders
import io.ktor.http.HttpMethod
import io.ktor.http.HttpStatusCode
import io.ktor.http.URLDecodeException
import io.ktor.http.content.OutgoingContent
import io.ktor.server.application.Application
import io.ktor.server.application.ApplicationCall
import io.ktor.server.application.install
import io.ktor.server.plugins.statuspages.StatusPages
import io.ktor.server.request.httpMethod
import io.ktor.server.request.receive
import io.ktor.server.response.header
import io.ktor.server.response.respond
import io.ktor.server.response.respondBytes
import io.ktor.server.routing.Route
import io.ktor.server.routing.RoutingHandler
import io.ktor.server.routing.get
import io.ktor.server.routing.head
import io.ktor.server.routing.post
import io.ktor.server.routing.routing
import java.util.UUID

/** Without Ktor's `ContentNegotiation`, which reads a body as text first and so repairs bytes that are no UTF-8. */
private val json = ObjectMapper().also(StrictJson::apply)

/** Routes and statuses. */
fun Application.api(store: Store) {
    install(StatusPages) {
        exception<StoreFailed> { call, failed -> call.respond(HttpStatusCode.fromValue(Database.failed(failed.cause))) }
        exception<URLDecodeException> { call, _ -> call.respond(HttpStatusCode.BadRequest) }
    }
    routing {
        post("/pessoas") { call.create(store) }
        getOrHead("/pessoas") {
            val term = call.queryParameters["t"]
            if (term.isNullOrEmpty()) call.respond(HttpStatusCode.BadRequest) else call.respondJson(store.search(term))
        }
        getOrHead("/pessoas/{id}") {
            val person = uuid(call.parameters["id"])?.let { store.find(it) }
            if (person == null) call.respond(HttpStatusCode.NotFound) else call.respondJson(person)
        }
        getOrHead("/contagem-pessoas") { call.reply(store.count().toString().toByteArray(), ContentType.Text.Plain) }
    }
}

private fun Route.getOrHead(path: String, body: RoutingHandler) {
    get(path, body)
    head(path, body)
}

private suspend fun ApplicationCall.create(store: Store) {
    val sent = read(receive()) ?: return respond(HttpStatusCode.BadRequest)
    val person = sent.validate()
    if (person == null || !store.create(person)) return respond(HttpStatusCode.UnprocessableEntity)
    response.header(HttpHeaders.Location, "/pessoas/${person.id}")
    respond(HttpStatusCode.Created)
}

/** Null for broken JSON and for a wrong type. */
private fun read(body: ByteArray): NewPerson? =
    try {
        json.readValue(body, NewPerson::class.java)
    } catch (_: JacksonException) {
        null
    }

private fun uuid(text: String?): UUID? =
    try {
        UUID.fromString(text)
    } catch (_: IllegalArgumentException) {
        null
    }

private suspend fun ApplicationCall.respondJson(value: Any) =
    reply(json.writeValueAsBytes(value), ContentType.Application.Json)

/** HEAD has the head alone. Ktor's plugin for it, `AutoHeadResponse`, would be one more library for these lines. */
private suspend fun ApplicationCall.reply(body: ByteArray, type: ContentType) =
    if (request.httpMethod == HttpMethod.Head) {
        respond(object : OutgoingContent.NoContent() {
            override val contentLength = body.size.toLong()
            override val contentType = type
        })
    } else {
        respondBytes(body, type)
    }
