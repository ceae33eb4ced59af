-- Skills that tenants upload. Their packages stand in the bucket under their hash, and what tasks pin of them in the tenant's
-- tool source `skills`, with which these rows change in one transaction.

create table skills (
  tenant     text        not null references tenants (id),
  name       text        not null,
  -- The name of its tool.
  slug       text        not null,
  -- The version that tasks have which are made now.
  version    integer     not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant, name)
);
create index skills_page on skills (tenant, created_at desc, slug desc);

-- Every content that was uploaded, once. Versions are only added, and go with their skill.
create table skill_versions (
  tenant     text        not null,
  name       text        not null,
  version    integer     not null,
  -- SHA-256 of the package in hex.
  hash       text        not null,
  -- JSON of what its head says.
  skill      text        not null,
  -- JSON of what was found when it was uploaded: warnings and the scan.
  report     text        not null,
  files      integer     not null,
  bytes      integer     not null,
  created_at timestamptz not null,
  -- A key's id.
  created_by text        not null,
  primary key (tenant, name, version),
  constraint skill_versions_hash unique (tenant, name, hash),
  foreign key (tenant, name) references skills (tenant, name)
);

alter table skills         enable row level security;
alter table skills         force  row level security;
alter table skill_versions enable row level security;
alter table skill_versions force  row level security;

create policy tenant_rows    on skills         using (tenant = nullif(current_setting('app.tenant', true), ''));
create policy tenant_rows    on skill_versions using (tenant = nullif(current_setting('app.tenant', true), ''));
create policy directory_rows on skills         to otto_directory using (true);
create policy directory_rows on skill_versions to otto_directory using (true);

grant select, insert, update, delete on skills         to otto_app;
grant select, insert, delete         on skill_versions to otto_app;
grant select, delete                 on skills         to otto_directory;
grant select, delete                 on skill_versions to otto_directory;

-- These rows go when their tenant is purged: otto_purge_tenant marks the tenant, and this runs as the function does.
create function otto_purge_skills()
returns trigger
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  delete from public.skill_versions where tenant = new.id;
  delete from public.skills         where tenant = new.id;
  return null;
end
$$;
revoke all on function otto_purge_skills() from public;

create trigger purge_skills after update of purged_at on tenants
  for each row when (new.purged_at is not null) execute function otto_purge_skills();
