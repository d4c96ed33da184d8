require "c/sys/socket"
require "./libpq"

# A connection to PostgreSQL with prepared statements. libpq sends them, and the fiber waits on the socket for the answer, so that other
# fibers go on; libpq's own waiting would hold up all of them.
class Connection
  class Error < Exception
  end

  private MSG_PEEK = 2 # the standard library's LibC lacks it

  @socket : IO::FileDescriptor?

  # Blocks, but only on the way to a database that is there. See `revive` for whether it came to be.
  def initialize(url : String, @statements : Hash(String, String))
    @pq = LibPQ.connectdb(url)
    prepare
  end

  # Whether it works; one that broke is made again.
  def revive : Bool
    return true if open?
    @socket.try &.close
    @socket = nil
    LibPQ.reset(@pq)
    prepare
  end

  def close
    @socket.try &.close
    LibPQ.finish(@pq)
  end

  # The first line of what went wrong last.
  def message : String
    String.new(LibPQ.error_message(@pq)).lines.first? || "unknown"
  end

  # Sends a statement, and yields its answer.
  def ask(statement : String, params : Array(String?), & : Answer -> T) : T forall T
    raise Error.new(message) unless revive
    values = params.map { |param| param ? param.to_unsafe : Pointer(UInt8).null }
    sent = LibPQ.send_query_prepared(@pq, statement, params.size, values, nil, nil, 0)
    raise Error.new(message) if sent == 0
    result = receive
    begin
      unless LibPQ.result_status(result).in?(LibPQ::COMMAND_OK, LibPQ::TUPLES_OK)
        raise Error.new(String.new(LibPQ.result_error_message(result)).lines.first? || "unknown")
      end
      yield Answer.new(result)
    ensure
      LibPQ.clear(result)
    end
  end

  # Whether it stands with nothing to read: to one that is idle only a server that ends says something, and libpq's own check takes that
  # farewell for input, as its end comes later.
  private def open? : Bool
    return false unless LibPQ.status(@pq) == LibPQ::CONNECTION_OK
    peeked = uninitialized UInt8
    LibC.recv(LibPQ.socket(@pq), pointerof(peeked), 1, MSG_PEEK) < 0 && Errno.value == Errno::EAGAIN
  end

  private def receive : LibPQ::Result
    while LibPQ.is_busy(@pq) == 1
      @socket.not_nil!.wait_readable
      raise Error.new(message) if LibPQ.consume_input(@pq) == 0
    end
    result = LibPQ.get_result(@pq)
    raise Error.new(message) unless result
    # The end of the answer, which is there already or comes at once.
    while more = LibPQ.get_result(@pq)
      LibPQ.clear(more)
    end
    result
  end

  private def prepare : Bool
    return false unless LibPQ.status(@pq) == LibPQ::CONNECTION_OK
    # Of its own, as whoever waits on a descriptor also closes it.
    @socket = IO::FileDescriptor.new(LibC.dup(LibPQ.socket(@pq)), blocking: false)
    @statements.all? do |name, text|
      result = LibPQ.prepare(@pq, name, text, 0, nil)
      is_prepared = LibPQ.result_status(result) == LibPQ::COMMAND_OK
      LibPQ.clear(result)
      is_prepared
    end
  end

  # What came for a statement; valid until its block ends.
  struct Answer
    def initialize(@result : LibPQ::Result)
    end

    def rows : Int32
      LibPQ.ntuples(@result)
    end

    # Of a statement that changes rows: how many.
    def changed : Int32
      String.new(LibPQ.cmd_tuples(@result)).to_i
    end

    def text(row : Int32, column : Int32) : String
      String.new(LibPQ.getvalue(@result, row, column), LibPQ.getlength(@result, row, column))
    end

    def text?(row : Int32, column : Int32) : String?
      text(row, column) if LibPQ.getisnull(@result, row, column) == 0
    end
  end
end
