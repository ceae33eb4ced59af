-- Accounts of outside apps: the connections of people and of tenants, and the apps that can be connected.

-- As in 0001: taken back at the end.
grant otto_directory to current_user;
grant create on schema public to otto_directory;

create table entity_connections (
  tenant              text        not null references tenants (id),
  -- con_…
  id                  text        not null,
  app_name            text        not null,
  provider            text        not null check (provider in ('composio', 'oauth', 'key', 'mcp')),
  -- Null: shared, the tenant's. Without a foreign key, because the row stays until its tokens are revoked.
  owner_person        text,
  -- Opaque: what a provider that stores tokens itself knows the owner by.
  entity_id           text        not null generated always as (tenant || '.' || coalesce(owner_person, 'shared')) stored,
  -- The person who gave the last consent.
  connected_by        text,
  alias               text,
  is_default          boolean     not null default false,
  status              text        not null check (status in ('new', 'active', 'expired', 'revoked', 'failed')),
  -- Shown as pending until then.
  pending_until       timestamptz,
  -- The last link that began a consent: when it was made, padded, and its nonce. Only grows.
  link_used           text,
  -- Sealed: the consent that has begun.
  flow                text,
  -- The provider's own id, where it stores the tokens.
  connection_id       text,
  account_label       text,
  scopes              text[],
  unattended          boolean     not null default false,
  delegate_approvals  boolean     not null default false,
  -- Grows with every consent.
  consent             integer     not null default 0,
  -- The app's settings that the last consent was given to.
  settings_hash       text,
  -- Sealed: tokens or a key. They open for this tenant and id only. Null where the provider stores them, and once revoked.
  sealed              text,
  -- Grows with every stored token set; what was refreshed replaces its own version only.
  sealed_version      integer     not null default 0,
  expires_at          timestamptz,
  -- Until when one caller alone refreshes.
  refresh_lease_until timestamptz,
  -- Sealed like `sealed`: tokens that the provider has not confirmed as revoked.
  revoking            text[]      not null default '{}',
  -- When the next attempt to revoke is due, and how many were made. Null: nothing was revoked, or all of it is confirmed.
  revoke_at           timestamptz,
  revoke_tries        integer     not null default 0,
  -- Grows each time it stops working.
  outage              integer     not null default 0,
  notified_at         timestamptz,
  why                 text,
  last_checked_at     timestamptz,
  last_used_at        timestamptz,
  created_at          timestamptz not null,
  updated_at          timestamptz not null,
  primary key (tenant, id)
);
create unique index entity_connections_alias
  on entity_connections (tenant, app_name, coalesce(owner_person, ''), coalesce(alias, ''));
create unique index entity_connections_default
  on entity_connections (tenant, app_name, coalesce(owner_person, '')) where is_default;
create index entity_connections_of_owner on entity_connections (tenant, owner_person, id desc);
create index entity_connections_checked on entity_connections (last_checked_at nulls first)
  where status = 'active' and (unattended or owner_person is null);
create index entity_connections_revoking on entity_connections (revoke_at) where revoking <> '{}';

-- An app that people of a tenant connect to.
create table app_clients (
  tenant        text        not null references tenants (id),
  -- The name of an import or of an MCP server.
  app_name      text        not null,
  provider      text        not null,
  -- JSON of what may be shown.
  settings      text        not null,
  settings_hash text        not null,
  -- Sealed for the tenant and the app: a client secret, or a client that was registered.
  sealed        text,
  updated_at    timestamptz not null,
  primary key (tenant, app_name)
);

-- The person for whom tasks of a schedule act.
alter table schedules add column if not exists acts_for text;

alter table entity_connections enable row level security;
alter table entity_connections force  row level security;
alter table app_clients        enable row level security;
alter table app_clients        force  row level security;

create policy tenant_rows    on entity_connections using (tenant = nullif(current_setting('app.tenant', true), ''));
create policy tenant_rows    on app_clients        using (tenant = nullif(current_setting('app.tenant', true), ''));
create policy directory_rows on entity_connections to otto_directory using (true);
create policy directory_rows on app_clients        to otto_directory using (true);

grant select, insert, update, delete on entity_connections to otto_app;
grant select, insert, update, delete on app_clients        to otto_app;
-- Update: the purge of people ends their connections, and none is left by then.
grant select, update, delete         on entity_connections to otto_directory;
grant select, delete                 on app_clients        to otto_directory;

-- The sweep: connections that tasks use while their owner is away. Those not checked for a day; for an hour, where a schedule
-- is due within one.
create function otto_connections_to_check(at_time timestamptz, how_many integer)
returns table (tenant text, id text)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select c.tenant, c.id
  from public.entity_connections c join public.tenants t on t.id = c.tenant
  where c.status = 'active' and (c.unattended or c.owner_person is null) and t.erased_at is null
    and (
      c.last_checked_at is null or c.last_checked_at < at_time - interval '24 hours'
      or c.last_checked_at < at_time - interval '1 hour' and exists (
        select from public.schedules s
        where s.tenant = c.tenant and s.wake_at >= at_time and s.wake_at < at_time + interval '1 hour'
          and (c.owner_person is null or s.acts_for = c.owner_person))
    )
  order by c.last_checked_at nulls first, c.id
  limit how_many
$$;

-- Tokens to revoke at their provider; also of an erased tenant, until it is purged.
create function otto_revocations_due(at_time timestamptz, how_many integer)
returns table (tenant text, id text)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select c.tenant, c.id from public.entity_connections c
  where c.revoking <> '{}' and c.revoke_at <= at_time
  order by c.revoke_at, c.id
  limit how_many
$$;

-- Connections that changed since a task began to wait for them, and are active. Five minutes for what happened at the same time.
create function otto_connection_waits(how_many integer)
returns table (tenant text, app text, person text)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select distinct c.tenant, c.app_name, c.owner_person
  from public.tasks t
    cross join lateral jsonb_array_elements(t.waits) as waits (wait)
    join public.entity_connections c on c.tenant = t.tenant and c.app_name = wait ->> 'app'
      and c.owner_person is not distinct from wait ->> 'person_id'
    join public.tenants o on o.id = t.tenant
  where t.waits @> '[{"kind": "connection"}]' and wait ->> 'kind' = 'connection' and c.status = 'active' and o.erased_at is null
    and c.updated_at > to_timestamp((wait ->> 'since')::double precision / 1000) - interval '5 minutes'
  order by 1, 2, 3
  limit how_many
$$;

alter function otto_connections_to_check(timestamptz, integer) owner to otto_directory;
alter function otto_revocations_due(timestamptz, integer)      owner to otto_directory;
alter function otto_connection_waits(integer)                  owner to otto_directory;
revoke all on function otto_connections_to_check(timestamptz, integer) from public;
revoke all on function otto_revocations_due(timestamptz, integer)      from public;
revoke all on function otto_connection_waits(integer)                  from public;
grant execute on function otto_connections_to_check(timestamptz, integer) to otto_app;
grant execute on function otto_revocations_due(timestamptz, integer)      to otto_app;
grant execute on function otto_connection_waits(integer)                  to otto_app;

create index tasks_wait_for_connections on tasks (tenant) where waits @> '[{"kind": "connection"}]';

-- The connections of a person who is deleted end in the same transaction: tokens wait to be revoked, and what was never
-- connected is deleted. A label may be an address, and an alias what the person wrote.
create function otto_revoke_connections_of_person()
returns trigger
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  delete from public.entity_connections
  where tenant = old.tenant and owner_person = old.id and sealed is null and revoking = '{}';
  update public.entity_connections
  set status = 'revoked', revoking = case when sealed is null then revoking else revoking || array[sealed] end,
    revoke_at = now(), revoke_tries = 0, sealed = null, flow = null, pending_until = null, refresh_lease_until = null,
    account_label = null, alias = id, connected_by = null, why = null, updated_at = now()
  where tenant = old.tenant and owner_person = old.id;
  update public.entity_connections set connected_by = null where tenant = old.tenant and connected_by = old.id;
  return old;
end
$$;
revoke all on function otto_revoke_connections_of_person() from public;

create trigger revoke_connections before delete on people
  for each row execute function otto_revoke_connections_of_person();

-- These rows go when their tenant is purged: otto_purge_tenant marks the tenant, and this runs as the function does. By its
-- name, before the tenant's people.
create function otto_purge_connections()
returns trigger
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  delete from public.entity_connections where tenant = new.id;
  delete from public.app_clients        where tenant = new.id;
  return null;
end
$$;
revoke all on function otto_purge_connections() from public;

create trigger purge_connections after update of purged_at on tenants
  for each row when (new.purged_at is not null) execute function otto_purge_connections();

create trigger record_sealing_key after insert or update of sealed, flow, revoking on entity_connections
  for each row execute function otto_record_sealing_key('sealed', 'flow', 'revoking');
create trigger record_sealing_key after insert or update of sealed on app_clients
  for each row execute function otto_record_sealing_key('sealed');

-- As in 0024, with the two tables.
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
      union all select unnest(revoking) from public.entity_connections
      union all select sealed from public.app_clients
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
