-- Keys of the catalogue's provider that tenants put for themselves.

-- As in 0001: taken back at the end.
grant otto_directory to current_user;
grant create on schema public to otto_directory;

create table provider_keys (
  tenant     text        not null references tenants (id),
  provider   text        not null check (provider in ('composio')),
  -- pvk_…; another one with each other key. An account names the key that made it.
  id         text        not null,
  -- Sealed for the tenant and the provider.
  sealed     text        not null,
  created_at timestamptz not null,
  -- When the provider refused it in a sync of the catalogue.
  refused_at timestamptz,
  primary key (tenant, provider)
);
create index provider_keys_by_age on provider_keys (provider, refused_at nulls first, created_at, tenant);

alter table provider_keys enable row level security;
alter table provider_keys force  row level security;

create policy tenant_rows    on provider_keys using (tenant = nullif(current_setting('app.tenant', true), ''));
create policy directory_rows on provider_keys to otto_directory using (true);

grant select, insert, update, delete on provider_keys to otto_app;
grant select, delete                 on provider_keys to otto_directory;

-- The tenant whose key fills the catalogue where the operator has none: the first one, and those that the provider refused
-- come last.
create function otto_first_provider_key(of_provider text)
returns table (tenant text)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select k.tenant
  from public.provider_keys k join public.tenants t on t.id = k.tenant
  where k.provider = of_provider and t.erased_at is null
  order by k.refused_at nulls first, k.created_at, k.tenant
  limit 1
$$;
alter function otto_first_provider_key(text) owner to otto_directory;
revoke all on function otto_first_provider_key(text) from public;
grant execute on function otto_first_provider_key(text) to otto_app;

-- These rows go when their tenant is purged, as those of 0033.
create function otto_purge_provider_keys()
returns trigger
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  delete from public.provider_keys where tenant = new.id;
  return null;
end
$$;
revoke all on function otto_purge_provider_keys() from public;

create trigger purge_provider_keys after update of purged_at on tenants
  for each row when (new.purged_at is not null) execute function otto_purge_provider_keys();

create trigger record_sealing_key after insert or update of sealed on provider_keys
  for each row execute function otto_record_sealing_key('sealed');

revoke create on schema public from otto_directory;
revoke otto_directory from current_user;
