-- Hooks of tenants: how a program outside calls Otto, and what a call becomes.

create table hooks (
  tenant     text        not null references tenants (id),
  id         text        not null,
  name       text        not null,
  type       text        not null,
  version    integer     not null,
  -- JSON of what the API shows.
  config     text        not null,
  -- Nonce and ciphertext of AES-256-GCM, in base64: what calls are signed with. It opens for this tenant and id only.
  sealed     text        not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant, id),
  constraint hooks_name_unique unique (tenant, name)
);
create index hooks_by_time on hooks (tenant, created_at desc, id desc);

alter table hooks enable row level security;
alter table hooks force  row level security;

create policy tenant_rows    on hooks using (tenant = nullif(current_setting('app.tenant', true), ''));
create policy directory_rows on hooks to otto_directory using (true);

grant select, insert, update, delete on hooks to otto_app;
grant select, delete                 on hooks to otto_directory;

-- These rows go when their tenant is purged: otto_purge_tenant marks the tenant, and this runs as the function does.
create function otto_purge_hooks()
returns trigger
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  delete from public.hooks where tenant = new.id;
  return null;
end
$$;
revoke all on function otto_purge_hooks() from public;

create trigger purge_hooks after update of purged_at on tenants
  for each row when (new.purged_at is not null) execute function otto_purge_hooks();
