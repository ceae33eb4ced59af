-- Secrets of tenants. A value is sealed before it comes here, under a key that the database does not have.

create table secrets (
  tenant     text        not null references tenants (id),
  id         text        not null,
  name       text        not null,
  -- Where the value may be sent.
  hosts      text[]      not null,
  -- Nonce and ciphertext of AES-256-GCM, in base64. They open for this tenant and name only.
  sealed     text        not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant, id),
  constraint secrets_name unique (tenant, name)
);
create index secrets_page on secrets (tenant, created_at desc, id desc);

alter table secrets enable row level security;
alter table secrets force  row level security;
create policy tenant_rows    on secrets using (tenant = nullif(current_setting('app.tenant', true), ''));
create policy directory_rows on secrets to otto_directory using (true);
grant select, insert, update, delete on secrets to otto_app;
grant select, delete                 on secrets to otto_directory;

-- These rows go when their tenant is purged: otto_purge_tenant marks the tenant, and this runs as the function does.
create function otto_purge_secrets()
returns trigger
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  delete from public.secrets where tenant = new.id;
  return null;
end
$$;
revoke all on function otto_purge_secrets() from public;

create trigger purge_secrets after update of purged_at on tenants
  for each row when (new.purged_at is not null) execute function otto_purge_secrets();
