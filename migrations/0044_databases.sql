-- Databases of tenants that their agents may query.

-- As in 0001: taken back at the end.
grant otto_directory to current_user;
grant create on schema public to otto_directory;

create table databases (
  tenant     text        not null references tenants (id),
  -- dbs_…
  id         text        not null,
  -- Unique in its tenant without regard to case.
  name       text        not null,
  kind       text        not null check (kind in ('postgres')),
  -- JSON: DatabaseSettings.
  settings   text        not null,
  -- The address with its password, sealed for the tenant and the id.
  sealed     text        not null,
  -- Ids of agents, names of projects and ids of people that may use it; null: that list does not limit it.
  agents     text[],
  projects   text[],
  people     text[],
  -- unchecked, ready or rejected.
  status     text        not null,
  -- JSON: DatabaseCheck; null: never checked.
  checked    text,
  version    integer     not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant, id)
);
create unique index databases_name on databases (tenant, lower(name));
create index databases_page on databases (tenant, created_at desc, id desc);

alter table databases enable row level security;
alter table databases force  row level security;

create policy tenant_rows    on databases using (tenant = nullif(current_setting('app.tenant', true), ''));
create policy directory_rows on databases to otto_directory using (true);

grant select, insert, update, delete on databases to otto_app;
grant select, delete                 on databases to otto_directory;

-- These rows go when their tenant is purged, as those of 0033.
create function otto_purge_databases()
returns trigger
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  delete from public.databases where tenant = new.id;
  return null;
end
$$;
revoke all on function otto_purge_databases() from public;

create trigger purge_databases after update of purged_at on tenants
  for each row when (new.purged_at is not null) execute function otto_purge_databases();

create trigger record_sealing_key after insert or update of sealed on databases
  for each row execute function otto_record_sealing_key('sealed');

revoke create on schema public from otto_directory;
revoke otto_directory from current_user;
