-- Accounts that sign-ins made at the provider of the catalogue and that nobody finished, and one name for one app.

-- As in 0001: taken back at the end.
grant otto_directory to current_user;
grant create on schema public to otto_directory;

-- Sealed like `sealed`: the account that the latest sign-in made. It leaves this column in one of two ways: it becomes `sealed`,
-- or it joins `revoking`.
alter table entity_connections add column flow_account text;
-- From then on nobody can complete that sign-in. Null without an account.
alter table entity_connections add column flow_account_until timestamptz;

create index entity_connections_flow_accounts on entity_connections (flow_account_until) where flow_account is not null;

-- However a sign-in ends, its account waits to be revoked, unless the row stored it. One that is sealed again with another key is
-- of the same sign-in: only another link begins another one. At most 8 wait (MAX_REVOKING), the latest ones.
create function otto_end_flow_account()
returns trigger
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  if old.flow_account is not null
    and (new.flow_account is null or new.link_used is distinct from old.link_used)
    and new.sealed is distinct from old.flow_account
  then
    new.revoking := (array_append(new.revoking, old.flow_account))[greatest(1, cardinality(new.revoking) - 6):];
    new.revoke_at := now();
    new.revoke_tries := 0;
  end if;
  if new.flow_account is null then
    new.flow_account_until := null;
  end if;
  return new;
end
$$;
revoke all on function otto_end_flow_account() from public;

create trigger end_flow_account before update on entity_connections
  for each row when (old.flow_account is not null or new.flow_account_until is not null)
  execute function otto_end_flow_account();

-- As in 0033, with the accounts of sign-ins that nobody can complete any more.
create or replace function otto_revocations_due(at_time timestamptz, how_many integer)
returns table (tenant text, id text)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select d.tenant, d.id
  from (
    (select c.tenant, c.id, c.revoke_at as due_at from public.entity_connections c
      where c.revoking <> '{}' and c.revoke_at <= at_time
      order by c.revoke_at, c.id limit how_many)
    union all
    (select c.tenant, c.id, c.flow_account_until from public.entity_connections c
      where c.flow_account is not null and c.flow_account_until <= at_time
      order by c.flow_account_until, c.id limit how_many)
  ) as d
  group by d.tenant, d.id
  order by min(d.due_at), d.id
  limit how_many
$$;

-- As in 0033: a row with such an account stays until it is revoked.
create or replace function otto_revoke_connections_of_person()
returns trigger
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  delete from public.entity_connections
  where tenant = old.tenant and owner_person = old.id and sealed is null and revoking = '{}' and flow_account is null;
  update public.entity_connections
  set status = 'revoked', revoking = case when sealed is null then revoking else revoking || array[sealed] end,
    revoke_at = now(), revoke_tries = 0, sealed = null, flow = null, flow_account = null, pending_until = null,
    refresh_lease_until = null, account_label = null, alias = id, connected_by = null, why = null, updated_at = now()
  where tenant = old.tenant and owner_person = old.id;
  update public.entity_connections set connected_by = null where tenant = old.tenant and connected_by = old.id;
  return old;
end
$$;

drop trigger record_sealing_key on entity_connections;
create trigger record_sealing_key after insert or update of sealed, flow, flow_account, revoking on entity_connections
  for each row execute function otto_record_sealing_key('sealed', 'flow', 'flow_account', 'revoking');

-- As in 0024, of every column that a trigger `record_sealing_key` names, so that a later table is judged too.
create or replace function otto_forget_sealing_key(unused text)
returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  place record;
  is_used boolean;
begin
  -- Until this ends nothing is sealed: a value that is written now records its key after the removal.
  lock table public.sealing_keys in share row exclusive mode;
  for place in
    select t.tgrelid::regclass as of_table,
      format(case y.typcategory when 'A' then 'unnest(r.%I)' else 'r.%I' end, a.attname) as cells
    from pg_trigger t
    -- The arguments of a trigger, each with a zero byte after it.
    join pg_attribute a on a.attrelid = t.tgrelid
      and a.attname = any (string_to_array(encode(t.tgargs, 'escape'), '\000'))
    join pg_type y on y.oid = a.atttypid
    where t.tgfoid = 'public.otto_record_sealing_key()'::regprocedure
  loop
    execute format(
      'select exists (select from %s r, lateral (select %s) as sealed (value)
       where value is not null and case when value like ''b3Rr%%'' then left(value, 16) else '''' end = $1)',
      place.of_table, place.cells
    ) into is_used using unused;
    if is_used then
      return false;
    end if;
  end loop;
  delete from public.sealing_keys where header = unused;
  return true;
end
$$;

-- One name, one app: connections are stored by it. An app of the catalogue is refused where an import or an MCP server has its
-- name, and the reverse, also at the same moment: the second of two waits for the lock, and then sees the first. Rows
-- that were stored before this migration stay.
create function otto_refuse_second_app()
returns trigger
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  app text;
  is_taken boolean;
begin
  case tg_table_name
    when 'workspace_tool_config' then app := new.tool_id;
    when 'mcp_servers' then app := new.name;
    else app := substr(new.name, 1 + length('openapi:'));
  end case;
  perform pg_advisory_xact_lock(hashtextextended('app_name ' || new.tenant || ' ' || app, 0));
  if tg_table_name = 'workspace_tool_config' then
    is_taken := exists (select from public.mcp_servers where tenant = new.tenant and name = app)
      or exists (select from public.tool_sources
        where tenant = new.tenant and name = 'openapi:' || app and hash is not null);
  else
    is_taken := exists (select from public.workspace_tool_config
      where tenant = new.tenant and tool_id = app and enabled);
  end if;
  if is_taken then
    raise exception 'another app of this workspace has the name %', app
      using errcode = 'unique_violation', constraint = 'one_name_one_app';
  end if;
  return null;
end
$$;
revoke all on function otto_refuse_second_app() from public;

create trigger refuse_second_app after insert on workspace_tool_config
  for each row execute function otto_refuse_second_app();
create trigger refuse_second_app after insert on mcp_servers
  for each row execute function otto_refuse_second_app();
create trigger refuse_second_app_of_new after insert on tool_sources
  for each row when (new.name like 'openapi:%' and new.hash is not null) execute function otto_refuse_second_app();
create trigger refuse_second_app after update of hash on tool_sources
  for each row when (new.name like 'openapi:%' and new.hash is not null and old.hash is null)
  execute function otto_refuse_second_app();

revoke create on schema public from otto_directory;
revoke otto_directory from current_user;
