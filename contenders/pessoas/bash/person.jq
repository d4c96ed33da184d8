# Judges a person. In: a line of a mark, a space and a body, whose line breaks are U+001E. Out: the mark, and `400`, `422`, or what counts
# of the person as JSON.

# jq takes more than JSON (NaN, line breaks within texts), so first what it is made of.
def is_json: test("\\A(?>[ \\t\\r\\n]+|[\\[\\]{},:]|true|false|null"
    + "|\"(?>[^\"\\\\\\x00-\\x1f]+|\\\\(?:[\"\\\\/bfnrt]|u[0-9a-fA-F]{4}))*\""
    + "|-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?(?:[eE][-+]?[0-9]+)?(?![0-9.eE+-]))*\\z");

def is_text_or_null: type == "string" or . == null;

# PostgreSQL keeps no NUL in a text.
def fits($max): length > 0 and length <= $max and (explode | all(. > 0));

def is_leap: (. % 4 == 0 and . % 100 != 0) or . % 400 == 0;

# Whether a text is `YYYY-MM-DD`, and that day exists.
def is_date:
    . != null and test("\\A[0-9]{4}-[0-9]{2}-[0-9]{2}\\z") and (
        split("-") | map(tonumber) | . as [$year, $month, $day]
        | $year > 0 and $month >= 1 and $month <= 12 and $day >= 1
        and $day <= [31, (if $year | is_leap then 29 else 28 end), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][$month - 1]
    );

def verdict:
    # Bytes that are no UTF-8 are U+FFFD by now.
    if contains("\ufffd") or (is_json | not) then "400"
    else
        fromjson
        | if type != "object" or ([.apelido, .nome, .nascimento] | all(is_text_or_null) | not) then "400"
          elif .stack | . != null and (type != "array" or (all(is_text_or_null) | not)) then "400"
          elif (.apelido | fits(32)) and (.nome | fits(100)) and (.nascimento | is_date)
            and (.stack // [] | all(fits(32))) then {apelido, nome, nascimento, stack} | tojson
          else "422"
          end
    end;

index(" ") as $at
# White space alone is nothing to `fromjson`.
| .[:$at] + " " + ([.[$at + 1:] | gsub("\u001e"; "\n") | try verdict catch "400"][0] // "400")
