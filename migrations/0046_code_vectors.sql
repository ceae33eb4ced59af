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
-- As in 0045, but looks up the file of each found row. Without statistics, a join compared every row with every file.
create or replace function otto_find_code(
  of_codebases text[], symbol_words text, text_words text, of_extensions text[], how_many integer)
returns table (
  found text, codebase text, path text, language text, start_line integer, end_line integer, name text, kind text,
  signature text, doc text, code text, code_line integer)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  with scope as (
    select string_agg(quote_literal('c:' || c.id), ' | ')::tsquery as codebases
    from public.codebases c
    where c.tenant = nullif(current_setting('app.tenant', true), '') and c.id = any (of_codebases)
  ),
  symbols as (
    select s.*, f.language, ts_rank(s.terms, symbol_words::tsquery) as rank
    from scope
      join public.code_symbols s on s.terms @@ (scope.codebases && symbol_words::tsquery)
      cross join lateral (
        select f.language, f.extension from public.code_files f
        where f.tenant = s.tenant and f.codebase = s.codebase and f.path = s.path and f.build = s.build and f.live
        offset 0
      ) f
    where s.tenant = nullif(current_setting('app.tenant', true), '') and s.codebase = any (of_codebases)
      and (of_extensions is null or f.extension = any (of_extensions))
    order by rank desc, s.path, s.ordinal
    limit how_many
  ),
  texts as (
    select c.*, f.language, ts_rank(c.terms, text_words::tsquery) as rank
    from scope
      join public.code_chunks c on c.terms @@ (scope.codebases && text_words::tsquery)
      cross join lateral (
        select f.language, f.extension from public.code_files f
        where f.tenant = c.tenant and f.codebase = c.codebase and f.path = c.path and f.build = c.build and f.live
        offset 0
      ) f
    where c.tenant = nullif(current_setting('app.tenant', true), '') and c.codebase = any (of_codebases)
      and (of_extensions is null or f.extension = any (of_extensions))
    order by rank desc, c.path, c.ordinal
    limit how_many
  )
  (
    select 'symbol', s.codebase, s.path, s.language, s.start_line, s.end_line, s.name, s.kind, s.signature, s.doc,
      coalesce(t.text, ''), coalesce(t.start_line, s.start_line)
    from symbols s left join lateral (
      select c.text, c.start_line from public.code_chunks c
      where c.tenant = s.tenant and c.codebase = s.codebase and c.path = s.path and c.build = s.build
        and c.start_line <= s.start_line and c.end_line >= s.start_line
      order by c.ordinal limit 1
    ) t on true
    order by s.rank desc, s.path, s.ordinal
  )
  union all
  (
    select 'text', t.codebase, t.path, t.language, t.start_line, t.end_line, null, null, null, null, t.text, t.start_line
    from texts t
    order by t.rank desc, t.path, t.ordinal
  )
$$;

alter function otto_codebases_due(timestamptz, integer) owner to otto_directory;
revoke all on function otto_codebases_due(timestamptz, integer) from public;
grant execute on function otto_codebases_due(timestamptz, integer) to otto_app;

revoke create on schema public from otto_directory;
revoke otto_directory from current_user;
