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

-- As in 0039, with this table.
create or replace function otto_forget_sealing_key(unused text)
returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  -- Until this ends nothing is sealed: a value that is written now records its key after the removal.
  lock table public.sealing_keys in share row exclusive mode;
  if exists (
    select from (
      select sealed from public.secrets
      union all select sealed from public.mcp_servers
      union all select auth from public.mcp_servers
      union all select sealed from public.endpoints
      union all select unnest(old_sealed) from public.endpoints
      union all select sealed from public.hooks
      union all select unnest(old_sealed) from public.hooks
      union all select sealed from public.slack_installs
      union all select sealed from public.entity_connections
      union all select flow from public.entity_connections
      union all select flow_account from public.entity_connections
      union all select unnest(revoking) from public.entity_connections
      union all select sealed from public.app_clients
      union all select sealed from public.trigger_subscriptions
      union all select unnest(old_sealed) from public.trigger_subscriptions
      union all select sealed from public.provider_keys
    ) as stored (value)
    where value is not null and case when value like 'b3Rr%' then left(value, 16) else '' end = unused
  ) then
    return false;
  end if;
  delete from public.sealing_keys where header = unused;
  return true;
end
$$;

revoke create on schema public from otto_directory;
revoke otto_directory from current_user;
