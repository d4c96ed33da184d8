-- The table of `posts`, made with the database. Its rows are the same for all. `challenges/posts/posts.jsonl` has them too, but for the
-- last one, which no load asks for.

CREATE TABLE posts (
    id bigint PRIMARY KEY,
    name text NOT NULL,
    title text NOT NULL,
    text text NOT NULL,
    created_at timestamptz NOT NULL
);

INSERT INTO posts
SELECT id,
       'author ' || (id * 7919) % 97,
       initcap(left(md5('title ' || id), 8)) || ' "' || id || '"',
       repeat(md5('text ' || id) || ' ', 1 + (id % 8)::int) || 'ção',
       timestamptz '2023-01-01 00:00:00+00' + id * interval '8641 seconds'
FROM generate_series(1, 1001) AS id;

ANALYZE posts;
