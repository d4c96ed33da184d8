//! One statement for each request.

use pessoas_person::{Person, like_pattern};
use sqlx::PgPool;
use uuid::Uuid;

/// Keeps a person; `false` where somebody has that `apelido`.
pub(crate) async fn create(pool: &PgPool, person: &Person) -> sqlx::Result<bool> {
    let insert = "INSERT INTO pessoas (id, apelido, nome, nascimento, stack) VALUES ($1, $2, $3, $4, $5)
                  ON CONFLICT (apelido) DO NOTHING";
    let done = sqlx::query(insert)
        .bind(person.id)
        .bind(&person.apelido)
        .bind(&person.nome)
        .bind(&person.nascimento)
        .bind(&person.stack)
        .execute(pool)
        .await?;
    Ok(done.rows_affected() == 1)
}

pub(crate) async fn find(pool: &PgPool, id: Uuid) -> sqlx::Result<Option<Person>> {
    sqlx::query_as("SELECT id, apelido, nome, nascimento, stack FROM pessoas WHERE id = $1")
        .bind(id)
        .fetch_optional(pool)
        .await
}

/// People in whom a term is contained, whatever the letter case, 50 at most.
pub(crate) async fn search(pool: &PgPool, term: &str) -> sqlx::Result<Vec<Person>> {
    sqlx::query_as(
        "SELECT id, apelido, nome, nascimento, stack FROM pessoas WHERE busca LIKE lower($1) LIMIT 50",
    )
    .bind(like_pattern(term))
    .fetch_all(pool)
    .await
}

pub(crate) async fn count(pool: &PgPool) -> sqlx::Result<i64> {
    sqlx::query_scalar("SELECT count(*) FROM pessoas").fetch_one(pool).await
}
