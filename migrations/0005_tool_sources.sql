-- Tools that tenants bring: the sources that they come from, the names that they take, and the tenant's own definitions.
-- And what tasks used, by their rows of the index.

-- A source is the list of tools of one origin. Its content stands in the bucket under its hash.
create table tool_sources (
  tenant     text        not null references tenants (id),
  name       text        not null,
  -- Grows with every publishing. The row of a source that has no tools any more stays, so that it goes on growing.
  version    integer     not null,
  -- SHA-256 of the content in hex; null: no tools.
  hash       text,
  tools      integer     not null,
  -- JSON of what made the source, for the one that makes it anew.
  origin     text,
  updated_at timestamptz not null,
  primary key (tenant, name)
);

-- The names that are taken, with underscores for dots. Two sources of a tenant cannot have a name in common.
create table tool_names (
  tenant text not null,
  key    text not null,
  source text not null,
  primary key (tenant, key),
  foreign key (tenant, source) references tool_sources (tenant, name)
);
create index tool_names_by_source on tool_names (tenant, source);

-- The tools that a tenant defines by itself, every version as it was agreed. Versions are only added.
create table custom_tools (
  tenant     text        not null references tenants (id),
  name       text        not null,
  version    integer     not null,
  -- JSON; null: this version took the tool away.
  definition text,
  created_at timestamptz not null,
  primary key (tenant, name, version)
);

-- What a task itself used, without its subtasks, which have rows of their own.
alter table tasks
  add column key         text,
  add column steps       integer not null default 0,
  add column tool_calls  integer not null default 0,
  add column tokens      bigint  not null default 0,
  add column cost_micros bigint  not null default 0;
create index tasks_by_age on tasks (tenant, created_at);

-- What tasks used that were erased since: nothing else is kept of them. No key, no project: ''.
create table erased_usage (
  tenant      text   not null references tenants (id),
  day         date   not null,
  agent       text   not null,
  key         text   not null,
  project     text   not null,
  tasks       bigint not null,
  steps       bigint not null,
  tool_calls  bigint not null,
  tokens      bigint not null,
  cost_micros bigint not null,
  primary key (tenant, day, agent, key, project)
);

alter table erased_usage enable row level security;
alter table erased_usage force  row level security;
alter table tool_sources enable row level security;
alter table tool_sources force  row level security;
alter table tool_names   enable row level security;
alter table tool_names   force  row level security;
alter table custom_tools enable row level security;
alter table custom_tools force  row level security;

create policy tenant_rows on tool_sources using (tenant = nullif(current_setting('app.tenant', true), ''));
create policy tenant_rows on tool_names   using (tenant = nullif(current_setting('app.tenant', true), ''));
create policy tenant_rows on custom_tools using (tenant = nullif(current_setting('app.tenant', true), ''));

create policy tenant_rows on erased_usage using (tenant = nullif(current_setting('app.tenant', true), ''));

grant select, insert, update on erased_usage to otto_app;
grant select, insert, update on tool_sources to otto_app;
grant select, insert, delete on tool_names   to otto_app;
grant select, insert         on custom_tools to otto_app;

create policy directory_rows on erased_usage to otto_directory using (true);
create policy directory_rows on tool_sources to otto_directory using (true);
create policy directory_rows on tool_names   to otto_directory using (true);
create policy directory_rows on custom_tools to otto_directory using (true);

grant select, delete on erased_usage to otto_directory;
grant select, delete on tool_sources to otto_directory;
grant select, delete on tool_names   to otto_directory;
grant select, delete on custom_tools to otto_directory;

-- These rows go when their tenant is purged: otto_purge_tenant marks the tenant, and this runs as the function does.
create function otto_purge_tools()
returns trigger
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  delete from public.tool_names   where tenant = new.id;
  delete from public.tool_sources where tenant = new.id;
  delete from public.custom_tools where tenant = new.id;
  delete from public.erased_usage where tenant = new.id;
  return null;
end
$$;
revoke all on function otto_purge_tools() from public;

create trigger purge_tools after update of purged_at on tenants
  for each row when (new.purged_at is not null) execute function otto_purge_tools();
