-- Which chunks of codebases have vectors, apart from their texts and words; and what is left of deleted codebases.

-- As in 0001: taken back at the end.
grant otto_directory to current_user;
grant create on schema public to otto_directory;

-- One row for each chunk, so that recording its vector writes no text and no word of it again. Triggers add and delete the rows.
create table code_chunk_vectors (
  tenant      text not null,
  chunk       text not null,
  codebase    text not null,
  -- The model and the form of the embedded text (core/knowledge/vector-mark.ts); null: it has no vector yet.
  embedded_by text,
  primary key (tenant, chunk)
);
create index code_chunk_vectors_embedded_by on code_chunk_vectors (tenant, codebase, embedded_by);

alter table code_chunk_vectors enable row level security;
alter table code_chunk_vectors force  row level security;
create policy tenant_rows on code_chunk_vectors using (tenant = nullif(current_setting('app.tenant', true), ''));
create policy directory_rows on code_chunk_vectors to otto_directory using (true);
grant select, update (embedded_by)           on code_chunk_vectors to otto_app;
grant select, insert, delete, update (embedded_by) on code_chunk_vectors to otto_directory;

-- These run as otto_directory, because rows are also deleted by the purge of a tenant and by foreign keys.
create function otto_add_chunk_vectors()
returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  insert into public.code_chunk_vectors (tenant, chunk, codebase, embedded_by)
  select a.tenant, a.id, a.codebase, a.embedded_by from added a;
  return null;
end
$$;

create function otto_delete_chunk_vectors()
returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  delete from public.code_chunk_vectors v using gone g where v.tenant = g.tenant and v.chunk = g.id;
  return null;
end
$$;

-- An earlier release records vectors in code_chunks.
create function otto_copy_chunk_vector()
returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  update public.code_chunk_vectors set embedded_by = new.embedded_by where tenant = new.tenant and chunk = new.id;
  return null;
end
$$;

-- What is stored already. Policies bind the owner, so the role that they let see all rows does it.
create function otto_copy_chunk_vectors()
returns void
language sql security definer set search_path = pg_catalog, pg_temp
as $$
  insert into public.code_chunk_vectors (tenant, chunk, codebase, embedded_by)
  select c.tenant, c.id, c.codebase, c.embedded_by from public.code_chunks c
$$;

alter function otto_add_chunk_vectors()    owner to otto_directory;
alter function otto_delete_chunk_vectors() owner to otto_directory;
alter function otto_copy_chunk_vector()    owner to otto_directory;
alter function otto_copy_chunk_vectors()   owner to otto_directory;
revoke all on function otto_add_chunk_vectors()    from public;
revoke all on function otto_delete_chunk_vectors() from public;
revoke all on function otto_copy_chunk_vector()    from public;
revoke all on function otto_copy_chunk_vectors()   from public;

-- From here on indexing waits until the end of this migration, and searches do not.
create trigger add_chunk_vectors after insert on code_chunks
  referencing new table as added for each statement execute function otto_add_chunk_vectors();
create trigger delete_chunk_vectors after delete on code_chunks
  referencing old table as gone for each statement execute function otto_delete_chunk_vectors();
create trigger copy_chunk_vector after update of embedded_by on code_chunks
  for each row execute function otto_copy_chunk_vector();

select otto_copy_chunk_vectors();
drop function otto_copy_chunk_vectors();

-- The sweep: deleted codebases with files that are left. Goes from codebase to codebase, not from file to file.
create function otto_deleted_codebases(how_many integer)
returns table (tenant text, id text)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  with recursive present as (
    (select f.tenant, f.codebase from public.code_files f order by f.tenant, f.codebase limit 1)
    union all
    select n.tenant, n.codebase
    from present p cross join lateral (
      select f.tenant, f.codebase from public.code_files f
      where (f.tenant, f.codebase) > (p.tenant, p.codebase)
      order by f.tenant, f.codebase
      limit 1
    ) n
  )
  select p.tenant, p.codebase
  from present p join public.tenants t on t.id = p.tenant and t.erased_at is null
  where not exists (select from public.codebases c where c.tenant = p.tenant and c.id = p.codebase)
  limit how_many
$$;
alter function otto_deleted_codebases(integer) owner to otto_directory;
revoke all on function otto_deleted_codebases(integer) from public;
grant execute on function otto_deleted_codebases(integer) to otto_app;

revoke create on schema public from otto_directory;
revoke otto_directory from current_user;
