-- The apps that a tenant added from the catalogue, and what its agents may use of them.

-- As in 0001: taken back at the end.
grant otto_directory to current_user;
grant create on schema public to otto_directory;

create table workspace_tool_config (
  tenant        text        not null references tenants (id),
  -- The app's name in the catalogue, in lower case.
  tool_id       text        not null,
  enabled       boolean     not null default true,
  -- JSON: enabled_actions, overrides, approved. A change names the text that it replaces.
  configuration text        not null,
  version       integer     not null,
  -- The version of the catalogue that its published tools follow; null: none yet.
  followed      text,
  created_at    timestamptz not null,
  updated_at    timestamptz not null,
  primary key (tenant, tool_id)
);
create index workspace_tool_config_followed on workspace_tool_config (followed);

-- An agent without a row may use every app that the tenant added.
create table agent_app_assignments (
  tenant     text        not null references tenants (id),
  -- Without a foreign key, because the built-in agent has no row.
  agent      text        not null,
  app_name   text        not null,
  app_type   text        not null default 'composio' check (app_type in ('composio', 'mcp')),
  is_active  boolean     not null,
  level      text        not null check (level in ('full', 'read_only', 'list')),
  -- Those of the level list.
  actions    text[]      not null default '{}',
  owner      text        not null default 'either' check (owner in ('person', 'shared', 'either')),
  updated_at timestamptz not null,
  primary key (tenant, agent, app_name)
);

-- An action without a row is on.
create table agent_tool_permissions (
  tenant     text        not null references tenants (id),
  agent      text        not null,
  -- The provider's name of the action, in upper case.
  tool       text        not null,
  is_active  boolean     not null,
  updated_at timestamptz not null,
  primary key (tenant, agent, tool)
);

alter table workspace_tool_config  enable row level security;
alter table workspace_tool_config  force  row level security;
alter table agent_app_assignments  enable row level security;
alter table agent_app_assignments  force  row level security;
alter table agent_tool_permissions enable row level security;
alter table agent_tool_permissions force  row level security;

create policy tenant_rows on workspace_tool_config  using (tenant = nullif(current_setting('app.tenant', true), ''));
create policy tenant_rows on agent_app_assignments  using (tenant = nullif(current_setting('app.tenant', true), ''));
create policy tenant_rows on agent_tool_permissions using (tenant = nullif(current_setting('app.tenant', true), ''));
create policy directory_rows on workspace_tool_config  to otto_directory using (true);
create policy directory_rows on agent_app_assignments  to otto_directory using (true);
create policy directory_rows on agent_tool_permissions to otto_directory using (true);

grant select, insert, update, delete on workspace_tool_config  to otto_app;
grant select, insert, delete         on agent_app_assignments  to otto_app;
grant select, insert, delete         on agent_tool_permissions to otto_app;
grant select, delete                 on workspace_tool_config  to otto_directory;
grant select, delete                 on agent_app_assignments  to otto_directory;
grant select, delete                 on agent_tool_permissions to otto_directory;

-- These rows go when their tenant is purged, as those of 0033. Those of a deleted agent stay: its tasks still run, and an
-- agent without assignments may use every app.
create function otto_purge_workspace_apps()
returns trigger
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  delete from public.workspace_tool_config  where tenant = new.id;
  delete from public.agent_app_assignments  where tenant = new.id;
  delete from public.agent_tool_permissions where tenant = new.id;
  return null;
end
$$;
revoke all on function otto_purge_workspace_apps() from public;

create trigger purge_workspace_apps after update of purged_at on tenants
  for each row when (new.purged_at is not null) execute function otto_purge_workspace_apps();

-- The sweep: apps whose tools do not follow this version of the catalogue yet.
create function otto_apps_to_follow(current_version text, how_many integer)
returns table (tenant text, app text)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select c.tenant, c.tool_id
  from public.workspace_tool_config c join public.tenants t on t.id = c.tenant
  where c.followed is distinct from current_version and t.erased_at is null
  order by c.updated_at, c.tenant, c.tool_id
  limit how_many
$$;
alter function otto_apps_to_follow(text, integer) owner to otto_directory;
revoke all on function otto_apps_to_follow(text, integer) from public;
grant execute on function otto_apps_to_follow(text, integer) to otto_app;

revoke create on schema public from otto_directory;
revoke otto_directory from current_user;
