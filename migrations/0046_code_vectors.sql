-- Codebases that are indexed again on a schedule, and the vectors of their chunks.

-- As in 0001: taken back at the end.
grant otto_directory to current_user;
grant create on schema public to otto_directory;

-- How often it is indexed again: `6h`, `2d` or a cron expression in UTC; null: never. `due_at`: when next.
alter table codebases add column every  text;
alter table codebases add column due_at timestamptz;
-- The attempt that searches see the files of; null: none, or one of an earlier release.
alter table codebases add column published integer;
-- The model that all of its visible chunks have vectors of; null: it is found by names and words alone.
alter table codebases add column embedder text;
create index codebases_due on codebases (due_at) where due_at is not null;

-- The same for the same place, so that a repeated write changes nothing.
alter table code_chunks add column id text not null
  generated always as ('cch_' || left(md5(codebase || '/' || build || '/' || ordinal || '/' || path), 26)) stored;
-- The model that it has a vector of; null: none yet.
alter table code_chunks add column embedded_by text;
create unique index code_chunks_id on code_chunks (tenant, id);
create index code_chunks_embedded_by on code_chunks (tenant, codebase, embedded_by);

grant update (embedded_by) on code_chunks to otto_app;

-- The sweep: codebases that are to be indexed again.
create function otto_codebases_due(now timestamptz, how_many integer)
returns table (tenant text, id text, every text, due_at timestamptz, builds integer)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select c.tenant, c.id, c.every, c.due_at, c.builds
  from public.codebases c join public.tenants t on t.id = c.tenant
  where c.due_at <= now and t.erased_at is null
  order by c.due_at, c.id
  limit how_many
$$;
alter function otto_codebases_due(timestamptz, integer) owner to otto_directory;
revoke all on function otto_codebases_due(timestamptz, integer) from public;
grant execute on function otto_codebases_due(timestamptz, integer) to otto_app;

revoke create on schema public from otto_directory;
revoke otto_directory from current_user;
