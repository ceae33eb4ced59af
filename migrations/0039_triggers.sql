-- Triggers: events of connected apps that begin tasks, and where their provider sends them.

-- As in 0001: taken back at the end.
grant otto_directory to current_user;
grant create on schema public to otto_directory;

create table app_triggers (
  tenant       text        not null references tenants (id),
  -- trg_…
  id           text        not null,
  version      integer     not null,
  app_name     text        not null,
  -- The provider's name of the event, in upper case.
  trigger_name text        not null,
  -- con_…, and its owner; null: shared. Without foreign keys, because connections and people are deleted.
  connection   text        not null,
  owner_person text,
  -- Null: the built-in agent.
  agent        text,
  -- JSON of what the API shows.
  config       text        not null,
  -- SHA-256 in hex of the settings of the event: the provider has one trigger for an account and its settings.
  config_hash  text        not null,
  -- The person for whom its tasks act; null: nobody.
  acts_for     text,
  state        text        not null check (state in ('pending', 'active', 'paused', 'stopped')),
  why          text,
  -- What the provider calls it; null: it is not there.
  provider_id  text,
  created_at   timestamptz not null,
  updated_at   timestamptz not null,
  primary key (tenant, id)
);
create unique index app_triggers_provider on app_triggers (provider_id) where provider_id is not null;
create unique index app_triggers_same on app_triggers (tenant, connection, trigger_name, config_hash);
create index app_triggers_by_time on app_triggers (tenant, created_at desc, id desc);
create index app_triggers_pending on app_triggers (updated_at) where state = 'pending';

-- The address to which the provider sends events, one for each of its keys. `operator`: the key of the deployment.
create table trigger_subscriptions (
  tenant        text        primary key,
  -- Null until the provider has replied.
  provider_id   text,
  url           text,
  -- Sealed: what events are signed with, and the secrets that it replaced, the latest first.
  sealed        text,
  old_sealed    text[]      not null default '{}',
  -- Until when each of these is valid, in milliseconds since the epoch.
  old_until     bigint[]    not null default '{}',
  -- Until when one caller alone changes it. Once that is past, the change was interrupted, and is made again.
  claimed_until timestamptz,
  updated_at    timestamptz not null
);

-- Triggers to delete at the provider: the outbox of every way in which one ends. It names no tenant.
create table trigger_endings (
  provider_id text        primary key,
  due_at      timestamptz not null,
  tries       integer     not null default 0
);
create index trigger_endings_due on trigger_endings (due_at);

alter table app_triggers          enable row level security;
alter table app_triggers          force  row level security;
alter table trigger_subscriptions enable row level security;
alter table trigger_subscriptions force  row level security;
alter table trigger_endings       enable row level security;
alter table trigger_endings       force  row level security;

create policy tenant_rows      on app_triggers          using (tenant = nullif(current_setting('app.tenant', true), ''));
create policy tenant_rows      on trigger_subscriptions using (tenant = nullif(current_setting('app.tenant', true), ''));
create policy rows_of_operator on trigger_endings       using (current_setting('app.tenant', true) = 'operator');
create policy directory_rows   on app_triggers    to otto_directory using (true);
create policy directory_rows   on trigger_endings to otto_directory using (true) with check (true);

grant select, insert, update, delete on app_triggers          to otto_app;
grant select, insert, update         on trigger_subscriptions to otto_app;
grant select, update, delete         on trigger_endings       to otto_app;
grant select, update, delete         on app_triggers          to otto_directory;
grant select, insert, delete         on trigger_endings       to otto_directory;

-- However a trigger of the provider leaves its row, it enters the outbox in the same transaction.
create function otto_end_trigger()
returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  if old.provider_id is not null and (tg_op = 'DELETE' or new.provider_id is distinct from old.provider_id) then
    insert into public.trigger_endings (provider_id, due_at) values (old.provider_id, now())
    on conflict (provider_id) do nothing;
  end if;
  -- The provider has one trigger for an account and its settings, so one that is created again may be the ended one.
  if tg_op = 'UPDATE' then
    delete from public.trigger_endings where provider_id = new.provider_id;
  end if;
  return null;
end
$$;
alter function otto_end_trigger() owner to otto_directory;
revoke all on function otto_end_trigger() from public;
create trigger end_trigger after update of provider_id or delete on app_triggers
  for each row execute function otto_end_trigger();

-- The triggers of an account stop with it. One that is connected again is another account, maybe another mailbox: a person
-- resumes its triggers.
create function otto_stop_triggers_of_connection()
returns trigger
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  if tg_op = 'DELETE' then
    delete from public.app_triggers where tenant = old.tenant and connection = old.id;
    return null;
  end if;
  update public.app_triggers
  set state = 'stopped', provider_id = null, version = version + 1, updated_at = now(),
    why = case
      when new.status = 'active' then 'Its account was connected again, maybe as another one. Resume it to use this account.'
      when new.status = 'revoked' then 'Its account was disconnected. Connect it again, then resume it.'
      else 'Its account can no longer be used. Connect it again, then resume it.' end
  where tenant = new.tenant and connection = new.id and (state <> 'stopped' or provider_id is not null);
  return null;
end
$$;
revoke all on function otto_stop_triggers_of_connection() from public;
create trigger stop_triggers after update of status, consent on entity_connections
  for each row
  when (old.status = 'active' and (new.status in ('expired', 'revoked', 'failed') or new.consent <> old.consent))
  execute function otto_stop_triggers_of_connection();
create trigger delete_triggers after delete on entity_connections
  for each row execute function otto_stop_triggers_of_connection();

-- Those of a deleted agent, and of the accounts of a deleted person, are deleted with them.
create function otto_delete_triggers_of_agent()
returns trigger
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  delete from public.app_triggers where tenant = new.tenant and agent = new.id;
  return null;
end
$$;
revoke all on function otto_delete_triggers_of_agent() from public;
create trigger delete_triggers after update of archived_at on agents
  for each row when (new.archived_at is not null and old.archived_at is null) execute function otto_delete_triggers_of_agent();

create function otto_delete_triggers_of_person()
returns trigger
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  delete from public.app_triggers where tenant = old.tenant and owner_person = old.id;
  update public.app_triggers set acts_for = null where tenant = old.tenant and acts_for = old.id;
  return old;
end
$$;
revoke all on function otto_delete_triggers_of_person() from public;
create trigger delete_triggers before delete on people
  for each row execute function otto_delete_triggers_of_person();

-- These rows go when their tenant is purged: otto_purge_tenant marks the tenant, and this runs as the function does.
create function otto_purge_triggers()
returns trigger
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  delete from public.app_triggers where tenant = new.id;
  return null;
end
$$;
revoke all on function otto_purge_triggers() from public;
create trigger purge_triggers after update of purged_at on tenants
  for each row when (new.purged_at is not null) execute function otto_purge_triggers();

-- An event: whose trigger this is.
create function otto_trigger_owner(id_at_provider text)
returns table (tenant text, id text)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select g.tenant, g.id
  from public.app_triggers g join public.tenants t on t.id = g.tenant
  where g.provider_id = id_at_provider and t.erased_at is null
$$;

-- An event: the accounts of an app that the provider knows by this owner. Each is then read at the provider.
create function otto_connections_of_entity(entity text, app text, how_many integer)
returns table (tenant text, id text)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select c.tenant, c.id
  from public.entity_connections c join public.tenants t on t.id = c.tenant
  where c.entity_id = entity and c.app_name = app and c.provider = 'composio' and c.status = 'active' and t.erased_at is null
  order by c.id
  limit how_many
$$;
create index entity_connections_of_entity on entity_connections (entity_id, app_name);

-- The sweep: triggers whose creation at the provider was interrupted.
create function otto_triggers_pending(before timestamptz, how_many integer)
returns table (tenant text, id text)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select g.tenant, g.id
  from public.app_triggers g join public.tenants t on t.id = g.tenant
  where g.state = 'pending' and g.updated_at < before and t.erased_at is null
  order by g.updated_at, g.id
  limit how_many
$$;

alter function otto_trigger_owner(text)                        owner to otto_directory;
alter function otto_connections_of_entity(text, text, integer) owner to otto_directory;
alter function otto_triggers_pending(timestamptz, integer)     owner to otto_directory;
revoke all on function otto_trigger_owner(text)                        from public;
revoke all on function otto_connections_of_entity(text, text, integer) from public;
revoke all on function otto_triggers_pending(timestamptz, integer)     from public;
grant execute on function otto_trigger_owner(text)                        to otto_app;
grant execute on function otto_connections_of_entity(text, text, integer) to otto_app;
grant execute on function otto_triggers_pending(timestamptz, integer)     to otto_app;

create trigger record_sealing_key after insert or update of sealed, old_sealed on trigger_subscriptions
  for each row execute function otto_record_sealing_key('sealed', 'old_sealed');

-- For otto_forget_sealing_key (0038).
create policy directory_rows on trigger_subscriptions to otto_directory using (true);
grant select on trigger_subscriptions to otto_directory;

revoke create on schema public from otto_directory;
revoke otto_directory from current_user;
