-- Each answers one line at most. A person comes as JSON that jq has read and written again.
PREPARE create_person (uuid, json) AS
    INSERT INTO pessoas (id, apelido, nome, nascimento, stack)
    SELECT $1, apelido, nome, nascimento, stack
    FROM json_to_record($2) AS person (apelido text, nome text, nascimento text, stack text[])
    ON CONFLICT (apelido) DO NOTHING;

PREPARE find_person (uuid) AS
    SELECT row_to_json(person)
    FROM (SELECT id, apelido, nome, nascimento, stack FROM pessoas WHERE id = $1) AS person;

PREPARE search_people (text) AS
    SELECT '[' || coalesce(string_agg(row_to_json(person)::text, ','), '') || ']'
    FROM (SELECT id, apelido, nome, nascimento, stack FROM pessoas WHERE busca LIKE lower($1) LIMIT 50) AS person;

PREPARE count_people AS
    SELECT count(*) FROM pessoas;
