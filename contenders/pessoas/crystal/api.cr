require "http/server"
require "uri/params"
require "./person"
require "./store"

# Routes and statuses.
class Api
  BODY_BYTES_MAX = 65_536

  # Requests that are not answered yet.
  getter under_way = 0

  def initialize(@store : Store)
  end

  def answer(context : HTTP::Server::Context)
    @under_way += 1
    context.response.content_type = "text/plain"
    route(context)
  rescue Store::PoolTimeout
    context.response.status = :service_unavailable
  rescue error : Store::Error
    STDERR.puts "database: #{error.message}"
    context.response.status = :internal_server_error
  ensure
    @under_way -= 1
  end

  private def route(context)
    method = context.request.method
    is_read = method.in?("GET", "HEAD")
    path, _, query = context.request.resource.partition('?')
    if path == "/pessoas" && method == "POST"
      create(context)
    elsif !is_read
      context.response.status = :method_not_allowed
    elsif path == "/pessoas"
      search(context, query)
    elsif path == "/contagem-pessoas"
      show(context, "text/plain", @store.count)
    elsif path.starts_with?("/pessoas/")
      find(context, path.lchop("/pessoas/"))
    else
      context.response.status = :not_found
    end
  end

  private def create(context)
    body = body(context.request)
    return context.response.status = :payload_too_large unless body
    new = NewPerson.from_json?(body)
    return context.response.status = :bad_request unless new
    person = new.validate
    if person && @store.create(person)
      context.response.headers["Location"] = "/pessoas/#{person.id}"
      context.response.status = :created
    else
      context.response.status = :unprocessable_entity
    end
  end

  # `nil` where it is too long.
  private def body(request) : String?
    return "" unless io = request.body
    body = String.build { |text| IO.copy(io, text, BODY_BYTES_MAX + 1) }
    body if body.bytesize <= BODY_BYTES_MAX
  end

  private def find(context, id)
    person = @store.find(id) if NewPerson.id?(id)
    if person
      show(context, "application/json", person)
    else
      context.response.status = :not_found
    end
  end

  private def search(context, query)
    term = URI::Params.parse(query)["t"]?
    if term && !term.empty? && term.valid_encoding?
      show(context, "application/json", @store.search(term))
    else
      context.response.status = :bad_request
    end
  end

  private def show(context, type, body : String)
    context.response.content_type = type
    context.response.content_length = body.bytesize
    context.response << body unless context.request.method == "HEAD"
  end
end
