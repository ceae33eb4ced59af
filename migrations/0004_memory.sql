-- Projects, memories, and the vectors that they are found by.

create extension if not exists vector;

-- As in 0001: taken back at the end.
grant otto_directory to current_user;

-- A project is known from the first task or memory that names it until it is erased.
create table projects (
  tenant     text        not null references tenants (id),
  name       text        not null,
  created_at timestamptz not null,
  primary key (tenant, name)
);

create table memories (
  tenant       text        not null references tenants (id),
  id           text        not null,
  -- Null: the whole tenant's.
  project      text,
  kind         text        not null,
  content      text        not null,
  -- SHA-256, in hex, of the content without its form: equal ones are merged.
  content_hash text        not null,
  tags         text[]      not null,
  -- The task that it came from; null: it came by the API.
  source_task  text,
  -- An agent, or an API key.
  author       text        not null,
  created_at   timestamptz not null,
  updated_at   timestamptz not null,
  -- The model that it has a vector of; null: it has none yet.
  embedded_by  text,
  primary key (tenant, id)
);
create unique index memories_content on memories (tenant, coalesce(project, ''), content_hash);
create index memories_page on memories (tenant, created_at desc, id desc);
create index memories_page_by_project on memories (tenant, project, created_at desc, id desc);
create index memories_to_embed on memories (embedded_by);

-- The words of the tags, as a query's words are written. A table of its own: under row-level security an index is used by
-- operators alone that tell nothing of what they look at, and those of arrays may.
create table memory_tags (
  tenant text not null references tenants (id),
  word   text not null,
  memory text not null,
  primary key (tenant, word, memory),
  foreign key (tenant, memory) references memories (tenant, id) on delete cascade
);
create index memory_tags_by_memory on memory_tags (tenant, memory);

-- One vector of length 1 for each id. The column has no dimensions of its own: a model's name ends in them, and only
-- vectors of one model are compared.
create table vectors (
  tenant    text   not null references tenants (id),
  id        text   not null,
  model     text   not null,
  -- Empty: the whole tenant's.
  project   text   not null,
  embedding vector not null,
  primary key (tenant, id)
);
-- In the row as long as a page can hold it: a search reads every vector of a tenant.
alter table vectors alter column embedding set storage main;
create index vectors_by_model on vectors (tenant, model);

create index tasks_by_project on tasks (tenant, project) where project is not null;

-- What the index knows already. Its policy binds the owner too, so it is lifted for this statement.
alter table tasks no force row level security;
insert into projects (tenant, name, created_at)
  select tenant, project, min(created_at) from tasks where project is not null group by tenant, project;
alter table tasks force row level security;

alter table projects enable row level security;
alter table projects force  row level security;
alter table memories enable row level security;
alter table memories force  row level security;
alter table memory_tags enable row level security;
alter table memory_tags force  row level security;
alter table vectors  enable row level security;
alter table vectors  force  row level security;

create policy tenant_rows on projects using (tenant = nullif(current_setting('app.tenant', true), ''));
create policy tenant_rows on memories using (tenant = nullif(current_setting('app.tenant', true), ''));
create policy tenant_rows on memory_tags using (tenant = nullif(current_setting('app.tenant', true), ''));
create policy tenant_rows on vectors  using (tenant = nullif(current_setting('app.tenant', true), ''));

grant select, insert, delete         on projects to otto_app;
grant select, insert, update, delete on memories to otto_app;
grant select, insert, delete         on memory_tags to otto_app;
grant select, insert, update, delete on vectors  to otto_app;

create policy directory_rows on projects to otto_directory using (true);
create policy directory_rows on memories to otto_directory using (true);
create policy directory_rows on memory_tags to otto_directory using (true);
create policy directory_rows on vectors  to otto_directory using (true);

grant create on schema public to otto_directory;
grant select, delete on projects to otto_directory;
grant select, delete on memories to otto_directory;
grant select, delete on memory_tags to otto_directory;
grant select, delete on vectors  to otto_directory;

-- The sweep: memories that have no vector of this model. Three looks into one index: none first, then other models.
create function otto_memories_to_embed(wanted_model text, how_many integer)
returns table (tenant text, id text)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select m.tenant, m.id
  from (
    (select n.tenant, n.id from public.memories n where n.embedded_by is null limit how_many)
    union all
    (select b.tenant, b.id from public.memories b where b.embedded_by < wanted_model limit how_many)
    union all
    (select a.tenant, a.id from public.memories a where a.embedded_by > wanted_model limit how_many)
  ) m
  join public.tenants t on t.id = m.tenant and t.erased_at is null
  limit how_many
$$;

-- What 0001's otto_purge_tenant deletes, it deletes with this.
create function otto_purge_memory()
returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  delete from public.vectors  where tenant = new.id;
  delete from public.memory_tags where tenant = new.id;
  delete from public.memories where tenant = new.id;
  delete from public.projects where tenant = new.id;
  return null;
end
$$;
create trigger purge_memory after update of purged_at on tenants
  for each row when (new.purged_at is not null) execute function otto_purge_memory();

alter function otto_memories_to_embed(text, integer) owner to otto_directory;
alter function otto_purge_memory()                   owner to otto_directory;

revoke all on function otto_memories_to_embed(text, integer) from public;
revoke all on function otto_purge_memory()                   from public;

grant execute on function otto_memories_to_embed(text, integer) to otto_app;

revoke create on schema public from otto_directory;
revoke otto_directory from current_user;
