# What is used of libpq.
@[Link("pq")]
lib LibPQ
  type Connection = Void*
  type Result = Void*

  CONNECTION_OK   =  0
  COMMAND_OK      =  1
  TUPLES_OK       =  2

  fun connectdb = PQconnectdb(address : UInt8*) : Connection
  fun reset = PQreset(connection : Connection)
  fun finish = PQfinish(connection : Connection)
  fun status = PQstatus(connection : Connection) : Int32
  fun socket = PQsocket(connection : Connection) : Int32
  fun error_message = PQerrorMessage(connection : Connection) : UInt8*
  fun prepare = PQprepare(connection : Connection, name : UInt8*, query : UInt8*, params : Int32, types : UInt32*) : Result
  fun send_query_prepared = PQsendQueryPrepared(connection : Connection, name : UInt8*, params : Int32, values : UInt8**,
                                                lengths : Int32*, formats : Int32*, result_format : Int32) : Int32
  fun consume_input = PQconsumeInput(connection : Connection) : Int32
  fun is_busy = PQisBusy(connection : Connection) : Int32
  fun get_result = PQgetResult(connection : Connection) : Result
  fun result_status = PQresultStatus(result : Result) : Int32
  fun result_error_message = PQresultErrorMessage(result : Result) : UInt8*
  fun ntuples = PQntuples(result : Result) : Int32
  fun getvalue = PQgetvalue(result : Result, row : Int32, column : Int32) : UInt8*
  fun getlength = PQgetlength(result : Result, row : Int32, column : Int32) : Int32
  fun getisnull = PQgetisnull(result : Result, row : Int32, column : Int32) : Int32
  fun cmd_tuples = PQcmdTuples(result : Result) : UInt8*
  fun clear = PQclear(result : Result)
end

lib LibC
  fun dup(fd : Int) : Int
end
