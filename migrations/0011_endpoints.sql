-- Endpoints of tenants: where signed webhooks go.

create table endpoints (
  tenant       text        not null references tenants (id),
  id           text        not null,
  -- Grows with every change.
  version      integer     not null,
  url          text        not null,
  -- Types of events, or patterns of them.
  events       text[]      not null,
  description  text        not null,
  enabled      boolean     not null,
  -- Why Otto disabled it.
  disabled_why text,
  -- Nonce and ciphertext of AES-256-GCM, in base64: the secret that signs. It opens for this tenant and id only.
  sealed       text        not null,
  -- The secrets that were replaced, the latest first, and until when each signs too, in milliseconds since the epoch.
  old_sealed   text[]      not null default '{}',
  old_until    bigint[]    not null default '{}',
  created_at   timestamptz not null,
  updated_at   timestamptz not null,
  primary key (tenant, id)
);

alter table endpoints enable row level security;
alter table endpoints force  row level security;

create policy tenant_rows    on endpoints using (tenant = nullif(current_setting('app.tenant', true), ''));
create policy directory_rows on endpoints to otto_directory using (true);

grant select, insert, update, delete on endpoints to otto_app;
grant select, delete                 on endpoints to otto_directory;

-- These rows go when their tenant is purged: otto_purge_tenant marks the tenant, and this runs as the function does.
create function otto_purge_endpoints()
returns trigger
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  delete from public.endpoints where tenant = new.id;
  return null;
end
$$;
revoke all on function otto_purge_endpoints() from public;

create trigger purge_endpoints after update of purged_at on tenants
  for each row when (new.purged_at is not null) execute function otto_purge_endpoints();
