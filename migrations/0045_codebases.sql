-- Codebases that agents search: their settings, files, symbols and chunks of text.

-- As in 0001: taken back at the end.
grant otto_directory to current_user;
grant create on schema public to otto_directory;

create table codebases (
  tenant     text        not null references tenants (id),
  -- cdb_…
  id         text        not null,
  name       text        not null,
  -- JSON: a git URL, a stored archive, or a project.
  source     text        not null,
  -- Who may use it; null: the list was not given. At least one is given, and each given one has to match.
  agents     text[],
  projects   text[],
  people     text[],
  status     text        not null check (status in ('queued', 'indexing', 'ready', 'failed')),
  error      text,
  commit     text,
  files      integer     not null default 0,
  symbols    integer     not null default 0,
  chunks     integer     not null default 0,
  -- JSON: why files were left out, and how many.
  skipped    text        not null default '{}',
  -- The number of the last attempt, and of the one under way; null: none is.
  builds     integer     not null default 0,
  building   integer,
  indexed_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant, id),
  check (agents is not null or projects is not null or people is not null)
);
create unique index codebases_name on codebases (tenant, name);

-- Without a foreign key to its codebase: the rows of a deleted one are deleted in batches, and no search finds them.
create table code_files (
  tenant    text    not null references tenants (id),
  codebase  text    not null,
  path      text    not null,
  -- The attempt that added it.
  build     integer not null,
  -- Whether searches see it. An attempt's files become visible in one transaction.
  live      boolean not null default false,
  -- SHA-256 of the file, in hex.
  hash      text    not null,
  language  text    not null,
  extension text    not null,
  size      integer not null,
  lines     integer not null,
  primary key (tenant, codebase, path, build)
);
create unique index code_files_live on code_files (tenant, codebase, path) where live;
create index code_files_old on code_files (tenant, codebase, build) where not live;

create table code_symbols (
  tenant     text    not null,
  codebase   text    not null,
  path       text    not null,
  build      integer not null,
  ordinal    integer not null,
  name       text    not null,
  kind       text    not null,
  signature  text    not null,
  doc        text    not null,
  start_line integer not null,
  end_line   integer not null,
  -- The names that it calls.
  calls      text[]  not null,
  -- Its codebase (c:), its name (n:) and the parts of that (w:).
  terms      tsvector not null,
  primary key (tenant, codebase, path, build, ordinal),
  foreign key (tenant, codebase, path, build) references code_files (tenant, codebase, path, build) on delete cascade
);

create table code_chunks (
  tenant     text    not null,
  codebase   text    not null,
  path       text    not null,
  build      integer not null,
  ordinal    integer not null,
  start_line integer not null,
  end_line   integer not null,
  text       text    not null,
  -- Its codebase (c:) and its words (w:).
  terms      tsvector not null,
  primary key (tenant, codebase, path, build, ordinal),
  foreign key (tenant, codebase, path, build) references code_files (tenant, codebase, path, build) on delete cascade
);

-- A codebase's id is a word of each row, so the index itself keeps codebases apart.
create index code_symbols_terms on code_symbols using gin (terms) with (gin_pending_list_limit = 512);
create index code_chunks_terms  on code_chunks  using gin (terms) with (gin_pending_list_limit = 512);

alter table codebases    enable row level security;
alter table codebases    force  row level security;
alter table code_files   enable row level security;
alter table code_files   force  row level security;
alter table code_symbols enable row level security;
alter table code_symbols force  row level security;
alter table code_chunks  enable row level security;
alter table code_chunks  force  row level security;

create policy tenant_rows on codebases    using (tenant = nullif(current_setting('app.tenant', true), ''));
create policy tenant_rows on code_files   using (tenant = nullif(current_setting('app.tenant', true), ''));
create policy tenant_rows on code_symbols using (tenant = nullif(current_setting('app.tenant', true), ''));
create policy tenant_rows on code_chunks  using (tenant = nullif(current_setting('app.tenant', true), ''));
create policy directory_rows on codebases    to otto_directory using (true);
create policy directory_rows on code_files   to otto_directory using (true);
create policy directory_rows on code_symbols to otto_directory using (true);
create policy directory_rows on code_chunks  to otto_directory using (true);

grant select, insert, update, delete on codebases    to otto_app;
grant select, insert, update, delete on code_files   to otto_app;
grant select, insert, delete         on code_symbols to otto_app;
grant select, insert, delete         on code_chunks  to otto_app;
grant select, delete                 on codebases    to otto_directory;
grant select, delete                 on code_files   to otto_directory;
grant select, delete                 on code_symbols to otto_directory;
grant select, delete                 on code_chunks  to otto_directory;

-- Symbols and chunks of this transaction's tenant that have any of the wanted words. `@@` may leak, so row-level security lets no
-- index serve it: this runs as a role that its policies do not narrow, and takes the tenant from where they take it.
create function otto_find_code(
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
      join public.code_files f
        on f.tenant = s.tenant and f.codebase = s.codebase and f.path = s.path and f.build = s.build and f.live
    where s.tenant = nullif(current_setting('app.tenant', true), '') and s.codebase = any (of_codebases)
      and (of_extensions is null or f.extension = any (of_extensions))
    order by rank desc, s.path, s.ordinal
    limit how_many
  ),
  texts as (
    select c.*, f.language, ts_rank(c.terms, text_words::tsquery) as rank
    from scope
      join public.code_chunks c on c.terms @@ (scope.codebases && text_words::tsquery)
      join public.code_files f
        on f.tenant = c.tenant and f.codebase = c.codebase and f.path = c.path and f.build = c.build and f.live
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
alter function otto_find_code(text[], text, text, text[], integer) owner to otto_directory;
revoke all on function otto_find_code(text[], text, text, text[], integer) from public;
grant execute on function otto_find_code(text[], text, text, text[], integer) to otto_app;

-- These rows go when their tenant is purged, as those of 0033.
create function otto_purge_codebases()
returns trigger
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  delete from public.code_files where tenant = new.id;
  delete from public.codebases  where tenant = new.id;
  return null;
end
$$;
revoke all on function otto_purge_codebases() from public;

create trigger purge_codebases after update of purged_at on tenants
  for each row when (new.purged_at is not null) execute function otto_purge_codebases();

revoke create on schema public from otto_directory;
revoke otto_directory from current_user;
