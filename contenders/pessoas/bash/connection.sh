#!/bin/bash
# One connection of HTTP, which is standard input and output: answers one request after the other.
set -u
shopt -s extglob
idle_s=75 # nginx ends a connection after 60 s, and must be the first
receive_s=10
wait_s=8
body_bytes_max=65536

: >"$FOLDER/connections/$$"
trap 'rm -f "$FOLDER/connections/$$"' EXIT
# A client that goes away is no reason to keep a slot.
trap '' PIPE
busy='' stopping=''
trap 'if [[ $busy ]]; then stopping=1; else exit 0; fi' TERM
exec {free}<>"$FOLDER/free"
asked=0

# answer STATUS [TYPE BODY [HEADER]]
answer() {
    local close='' shown=${3-} length
    length=${#shown}
    if [[ $stopping || $ends ]]; then close=$'Connection: close\r\n'; fi
    if [[ $method == HEAD ]]; then shown=''; fi
    printf 'HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n%s%s\r\n%s' \
        "$1" "${2:-text/plain}" "$length" "${4-}" "$close" "$shown"
}

# A pair of psql and jq is whose who has read its number from the pipe of those that are free.
take() { read -r -N 1 -t "$wait_s" slot <&"$free"; }
give() { printf %s "$slot" >&"$free"; }

# Sends a line to a pipe of the slot.
send() { printf "$2" "${@:3}" >"$FOLDER/$1.$slot"; }

# request MARK STATEMENT: sends it to psql. Sets `sent`, in microseconds.
request() {
    sent=${EPOCHREALTIME/./}
    send ask '\\echo begin-%s\n%s;\n\\echo end-%s :SQLSTATE :ROW_COUNT\n' "$1" "$2" "$1"
}

# ask STATEMENT: has psql carry it out. Sets `row` (every answer is one line at most), `state` (SQLSTATE) and `rows`; fails if none came.
ask() {
    local mark=$$-$((++asked)) line='' has_begun='' sent limit=$((SECONDS + wait_s))
    row='' state='' rows=0
    request "$mark" "$1"
    while ((SECONDS < limit)) && IFS= read -r -t $((limit - SECONDS)) line; do
        case $line in
            "begin-$mark") has_begun=1 ;;
            'again '*)
                # A new psql, with a new pipe since that time. What the last one had begun may be done or not.
                if ((${line#again } > sent)); then
                    [[ ! $has_begun ]] || return 1
                    request "$mark" "$1"
                fi
                ;;
            "end-$mark "*)
                read -r _ state rows <<<"$line"
                return 0
                ;;
            # What an earlier asker did not wait for comes before.
            *) if [[ $has_begun ]]; then row=$line; fi ;;
        esac
    done <"$FOLDER/told.$slot"
    # It is answered by 503, so psql must not begin it later.
    read -r line <"$FOLDER/psql.$slot" && kill "$line"
    return 1
}

# judge BODY: has jq read it. Sets `verdict`: `400`, `422`, or the person as JSON.
judge() {
    local mark=$$-$((++asked)) got=''
    # A line break is as good as any other space, but not within a text: jq puts it back.
    send body '%s %s\n' "$mark" "${1//$'\n'/$'\x1e'}"
    {
        until [[ $got == "$mark" ]]; do
            read -r -t "$wait_s" got verdict || return
        done
    } <"$FOLDER/verdict.$slot"
}

# A text as a literal of SQL.
literal() { printf -v "$1" "'%s'" "${2//"'"/"''"}"; }

# Whether psql has carried it out; if not, that is answered.
done_or_answered() {
    case $state in
        00000) return 0 ;;
        22021) answer '400 Bad Request' ;; # bytes that are no UTF-8
        '') answer '503 Service Unavailable' ;;
        *) answer '500 Internal Server Error' ;;
    esac
    return 1
}

create() {
    local id person
    if [[ $body == *$'\x1e'* ]]; then
        verdict=400
    else
        judge "$body" || verdict=503
    fi
    case $verdict in
        400) answer '400 Bad Request' ; return ;;
        422) answer '422 Unprocessable Entity' ; return ;;
        503) answer '503 Service Unavailable' ; return ;;
    esac
    read -r id </proc/sys/kernel/random/uuid
    literal person "$verdict"
    ask "EXECUTE create_person('$id', $person)"
    done_or_answered || return
    if [[ $rows == 1 ]]; then
        answer '201 Created' text/plain '' "Location: /pessoas/$id"$'\r\n'
    else
        answer '422 Unprocessable Entity'
    fi
}

find_person() {
    ask "EXECUTE find_person('$1')"
    done_or_answered || return
    if [[ $row ]]; then answer '200 OK' application/json "$row"; else answer '404 Not Found'; fi
}

# The first `t` of the query; a percent sign is decoded with the two letters behind it.
term() {
    local pair
    term=''
    local IFS='&'
    for pair in $query; do
        if [[ $pair == t=* ]]; then
            pair=${pair#t=}
            pair=${pair//+/ }
            pair=${pair//\\/\\\\}
            printf -v term %b "${pair//%/\\x}" 2>/dev/null
            return
        fi
    done
}

search() {
    local pattern
    set -f
    term
    set +f
    if [[ ! $term ]]; then
        answer '400 Bad Request'
        return
    fi
    if [[ $query == *%00* ]]; then
        # Nobody has it, and PostgreSQL cannot be asked for it.
        answer '200 OK' application/json '[]'
        return
    fi
    term=${term//\\/\\\\}
    term=${term//%/\\%}
    term=${term//_/\\_}
    literal pattern "%$term%"
    ask "EXECUTE search_people($pattern)"
    done_or_answered && answer '200 OK' application/json "$row"
}

count() {
    ask 'EXECUTE count_people'
    done_or_answered && answer '200 OK' text/plain "$row"
}

uuid='^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$'

# Whether the request needs the database; if not, it is answered.
route() {
    local read_method=${method/#HEAD/GET}
    case "$read_method $path" in
        'POST /pessoas') action=create ;;
        'GET /pessoas') action=search ;;
        'GET /contagem-pessoas') action=count ;;
        'GET /pessoas/'*)
            action="find_person ${path#/pessoas/}"
            if [[ ! ${path#/pessoas/} =~ $uuid ]]; then
                answer '404 Not Found'
                return 1
            fi
            ;;
        'GET '*) answer '404 Not Found'; return 1 ;;
        *) answer '405 Method Not Allowed'; return 1 ;;
    esac
}

while read -r -t "$idle_s" method target version; do
    busy=1 ends='' length=0 body='' query=''
    [[ ${version%$'\r'} == HTTP/1.1 ]] || ends=1
    while IFS= read -r -t "$receive_s" header; do
        header=${header%$'\r'}
        case ${header,,} in
            '') break ;;
            content-length:*) length=${header#*:} length=${length//[[:blank:]]/} ;;
            connection:*close*) ends=1 ;;
            transfer-encoding:*) length=chunked ;;
        esac
    done
    if [[ ! $length =~ ^[0-9]{1,8}$ ]]; then
        ends=1
        answer '411 Length Required'
        exit
    fi
    length=$((10#$length))
    if ((length > body_bytes_max)); then
        ends=1
        answer '413 Content Too Large'
        exit
    fi
    if ((length > 0)); then
        # A NUL is passed over by bash and waited for in vain; it is no JSON in any case.
        IFS= read -r -N "$length" -t 1 body || body=''
    fi
    path=${target%%\?*}
    if [[ $target == *\?* ]]; then query=${target#*\?}; fi
    if route; then
        if take; then
            $action
            give
        else
            answer '503 Service Unavailable'
        fi
    fi
    busy=''
    if [[ $stopping || $ends ]]; then exit; fi
done
