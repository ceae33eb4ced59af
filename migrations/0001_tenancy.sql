-- Tenants, keys, agents, the index of tasks, and the audit log.
--
-- Every table has row-level security, forced, so that it binds the owner too. The Worker's role (otto_app, made by the
-- migrator) sees the rows of the tenant that its transaction names in app.tenant, and none when it names none.
--
-- What has to look across tenants is four small functions at the end. They run as otto_directory, a role that nobody logs
-- in as and that otto_app is no member of.

do $$
begin
  if not exists (select from pg_catalog.pg_roles where rolname = 'otto_app') then
    create role otto_app nologin;
  end if;
  if not exists (select from pg_catalog.pg_roles where rolname = 'otto_directory') then
    create role otto_directory nologin;
  end if;
end
$$;

-- Handing a function to a role takes membership of it, and the role's right to have things in the schema. Both are taken
-- back at the end: the owner is bound by the policies of the tables like everyone else.
grant otto_directory to current_user;

create table tenants (
  id         text        primary key,
  name       text        not null,
  created_at timestamptz not null,
  erased_at  timestamptz,
  -- Set when the rows of an erased tenant are gone. The id stays, so that it is never given again.
  purged_at  timestamptz
);
create index tenants_page on tenants (created_at desc, id desc) where erased_at is null;
create index tenants_to_purge on tenants (erased_at) where erased_at is not null and purged_at is null;

create table keys (
  tenant     text        not null references tenants (id),
  id         text        not null,
  name       text        not null,
  -- SHA-256 of the key, in hex. The key itself is kept nowhere.
  hash       text        not null unique,
  scopes     text[]      not null,
  created_at timestamptz not null,
  -- The key that made this one, or 'operator'.
  created_by text        not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  primary key (tenant, id)
);
create index keys_page on keys (tenant, created_at desc, id desc);

create table agents (
  tenant     text        not null references tenants (id),
  id         text        not null,
  name       text        not null,
  -- The latest version.
  version    integer     not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant, id),
  constraint agents_name unique (tenant, name)
);
create index agents_page on agents (tenant, created_at desc, id desc);

create table agent_versions (
  tenant     text        not null,
  agent      text        not null,
  version    integer     not null,
  -- JSON as it was agreed. Text, because jsonb holds no NUL and changes what it is given.
  config     text        not null,
  created_at timestamptz not null,
  primary key (tenant, agent, version),
  foreign key (tenant, agent) references agents (tenant, id)
);

-- The index of tasks. The task's object is the truth; its rows follow here.
create table tasks (
  tenant     text        not null references tenants (id),
  id         text        not null,
  -- Only grows. A row never gives way to an older one.
  version    bigint      not null,
  status     text        not null,
  hidden     boolean     not null,
  project    text,
  agent      text        not null,
  parent     text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- When the task's alarm is due; null while it waits for something from outside.
  wake_at    timestamptz,
  -- The task as the API shows it: JSON, as text for the reason given above.
  view       text        not null,
  primary key (tenant, id)
);
create index tasks_page on tasks (tenant, created_at desc, id desc) where not hidden;
create index tasks_page_by_status on tasks (tenant, status, created_at desc, id desc) where not hidden;
create index tasks_page_by_project on tasks (tenant, project, created_at desc, id desc) where not hidden and project is not null;
create index tasks_page_by_parent on tasks (tenant, parent, created_at desc, id desc) where parent is not null;
create index tasks_overdue on tasks (wake_at, id) where wake_at is not null;

create table audit (
  -- A tenant's id, or 'operator' for acts on tenants themselves; so it refers to no table.
  tenant     text        not null,
  id         text        not null,
  at         timestamptz not null,
  actor      text        not null,
  action     text        not null,
  target     text        not null,
  request_id text        not null,
  primary key (tenant, id)
);
create index audit_page on audit (tenant, at desc, id desc);

-- Row-level security.

alter table tenants        enable row level security;
alter table tenants        force  row level security;
alter table keys           enable row level security;
alter table keys           force  row level security;
alter table agents         enable row level security;
alter table agents         force  row level security;
alter table agent_versions enable row level security;
alter table agent_versions force  row level security;
alter table tasks          enable row level security;
alter table tasks          force  row level security;
alter table audit          enable row level security;
alter table audit          force  row level security;

-- nullif: a setting that was local to an earlier transaction of the session comes back as '', not as null.
create policy tenant_rows on tenants        using (id     = nullif(current_setting('app.tenant', true), ''));
create policy tenant_rows on keys           using (tenant = nullif(current_setting('app.tenant', true), ''));
create policy tenant_rows on agents         using (tenant = nullif(current_setting('app.tenant', true), ''));
create policy tenant_rows on agent_versions using (tenant = nullif(current_setting('app.tenant', true), ''));
create policy tenant_rows on tasks          using (tenant = nullif(current_setting('app.tenant', true), ''));
create policy tenant_rows on audit          using (tenant = nullif(current_setting('app.tenant', true), ''));

grant usage on schema public to otto_app;
grant select, insert, update         on tenants        to otto_app;
grant select, insert, update         on keys           to otto_app;
grant select, insert, update         on agents         to otto_app;
grant select, insert                 on agent_versions to otto_app;
grant select, insert, update, delete on tasks          to otto_app;
grant select, insert                 on audit          to otto_app;

-- What looks across tenants.

create policy directory_rows on tenants        to otto_directory using (true);
create policy directory_rows on keys           to otto_directory using (true);
create policy directory_rows on agents         to otto_directory using (true);
create policy directory_rows on agent_versions to otto_directory using (true);
create policy directory_rows on tasks          to otto_directory using (true);
create policy directory_rows on audit          to otto_directory using (true);

grant usage, create on schema public to otto_directory;
grant select, update on tenants        to otto_directory;
grant select, delete on keys           to otto_directory;
grant select, delete on agents         to otto_directory;
grant select, delete on agent_versions to otto_directory;
grant select, delete on tasks          to otto_directory;
grant select, delete on audit          to otto_directory;

-- The operator's list of tenants. after_at and after_id: the place where it goes on; null: its start.
create function otto_tenants(after_at timestamptz, after_id text, how_many integer)
returns table (id text, name text, created_at timestamptz)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select t.id, t.name, t.created_at
  from public.tenants t
  where t.erased_at is null and (after_at is null or (t.created_at, t.id) < (after_at, after_id))
  order by t.created_at desc, t.id desc
  limit how_many
$$;

-- The sweep: tasks whose alarm should have gone off, and erased tenants whose rows are still there.
create function otto_overdue_tasks(before timestamptz, after_at timestamptz, after_id text, how_many integer)
returns table (tenant text, id text, wake_at timestamptz)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select t.tenant, t.id, t.wake_at
  from public.tasks t
  where t.wake_at < before and (after_at is null or (t.wake_at, t.id) > (after_at, after_id))
  order by t.wake_at, t.id
  limit how_many
$$;

create function otto_erased_tenants(how_many integer)
returns table (id text)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select t.id from public.tenants t
  where t.erased_at is not null and t.purged_at is null
  order by t.erased_at limit how_many
$$;

-- Deletes the rows of a tenant that was erased, and of no other.
create function otto_purge_tenant(erased text)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  update public.tenants set name = '', purged_at = now() where id = erased and erased_at is not null;
  if not found then
    return;
  end if;
  delete from public.tasks          where tenant = erased;
  delete from public.agent_versions where tenant = erased;
  delete from public.agents         where tenant = erased;
  delete from public.keys           where tenant = erased;
  delete from public.audit          where tenant = erased;
end
$$;

alter function otto_tenants(timestamptz, text, integer)                    owner to otto_directory;
alter function otto_overdue_tasks(timestamptz, timestamptz, text, integer) owner to otto_directory;
alter function otto_erased_tenants(integer)                                owner to otto_directory;
alter function otto_purge_tenant(text)                                     owner to otto_directory;

revoke all on function otto_tenants(timestamptz, text, integer)                    from public;
revoke all on function otto_overdue_tasks(timestamptz, timestamptz, text, integer) from public;
revoke all on function otto_erased_tenants(integer)                                from public;
revoke all on function otto_purge_tenant(text)                                     from public;

grant execute on function otto_tenants(timestamptz, text, integer)                    to otto_app;
grant execute on function otto_overdue_tasks(timestamptz, timestamptz, text, integer) to otto_app;
grant execute on function otto_erased_tenants(integer)                                to otto_app;
grant execute on function otto_purge_tenant(text)                                     to otto_app;

revoke create on schema public from otto_directory;
revoke otto_directory from current_user;
