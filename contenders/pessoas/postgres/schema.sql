-- The table of contenders in plain SQL, made with the database.

CREATE EXTENSION pg_trgm;

-- `array_to_string` is not immutable for every type of element; for text it is.
CREATE FUNCTION join_texts(texts text[]) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN array_to_string(texts, chr(31));

-- Between two fields there is a control character, so that no term is found across them.
-- Its limit: a term that has U+001F itself may be found across fields, where nobody has it.
CREATE TABLE pessoas (
    id uuid PRIMARY KEY,
    apelido varchar(32) NOT NULL UNIQUE,
    nome varchar(100) NOT NULL,
    nascimento char(10) NOT NULL,
    stack text[],
    busca text NOT NULL GENERATED ALWAYS AS (
        lower(apelido || chr(31) || nome || chr(31) || coalesce(join_texts(stack), ''))
    ) STORED
);

CREATE INDEX pessoas_busca ON pessoas USING gist (busca gist_trgm_ops (siglen = 64));
