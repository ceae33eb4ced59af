-- Workspaces of Slack in which tenants have installed the app, and installations that have begun.

create table slack_installs (
  tenant       text        not null references tenants (id),
  id           text        not null,
  -- T…
  team         text        not null,
  team_name    text        not null,
  -- A…; null: Slack did not say.
  app          text,
  -- U…, whom people mention.
  bot_user     text        not null,
  scopes       text[]      not null,
  -- Nonce and ciphertext of AES-256-GCM, in base64: the bot's token. It opens for this tenant and workspace only. Null
  -- once Slack has taken it back.
  sealed       text,
  status       text        not null,
  -- The id of the key that installed it, or that an authorization was begun with.
  installed_by text        not null,
  created_at   timestamptz not null,
  updated_at   timestamptz not null,
  primary key (tenant, id),
  constraint slack_installs_of_tenant unique (tenant, team)
);
-- What comes from a workspace is of one tenant.
create unique index slack_installs_team on slack_installs (team) where status = 'active';
create index slack_installs_page on slack_installs (tenant, created_at desc, id desc);

-- A person was sent to Slack to agree. The row goes when they come back, so that nobody comes back twice.
create table slack_authorizations (
  tenant     text        not null references tenants (id),
  mark       text        not null,
  key        text        not null,
  redirect   text        not null,
  expires_at timestamptz not null,
  primary key (tenant, mark)
);

alter table slack_installs       enable row level security;
alter table slack_installs       force  row level security;
alter table slack_authorizations enable row level security;
alter table slack_authorizations force  row level security;

create policy tenant_rows    on slack_installs       using (tenant = nullif(current_setting('app.tenant', true), ''));
create policy tenant_rows    on slack_authorizations using (tenant = nullif(current_setting('app.tenant', true), ''));
create policy directory_rows on slack_installs       to otto_directory using (true);
create policy directory_rows on slack_authorizations to otto_directory using (true);

grant select, insert, update, delete on slack_installs       to otto_app;
grant select, insert, delete         on slack_authorizations to otto_app;
grant select, delete                 on slack_installs       to otto_directory;
grant select, delete                 on slack_authorizations to otto_directory;

-- Handing a function to a role takes both of these; they are taken back at the end.
grant otto_directory to current_user;
grant create on schema public to otto_directory;

-- Whose workspace this is.
create function otto_slack_tenant(asked text)
returns table (tenant text)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select i.tenant
  from public.slack_installs i join public.tenants t on t.id = i.tenant
  where i.team = asked and i.status = 'active' and t.erased_at is null
$$;
alter function otto_slack_tenant(text) owner to otto_directory;
revoke all on function otto_slack_tenant(text) from public;
grant execute on function otto_slack_tenant(text) to otto_app;

revoke create on schema public from otto_directory;
revoke otto_directory from current_user;

-- These rows go when their tenant is purged: otto_purge_tenant marks the tenant, and this runs as the function does.
create function otto_purge_slack()
returns trigger
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  delete from public.slack_installs       where tenant = new.id;
  delete from public.slack_authorizations where tenant = new.id;
  return null;
end
$$;
revoke all on function otto_purge_slack() from public;

create trigger purge_slack after update of purged_at on tenants
  for each row when (new.purged_at is not null) execute function otto_purge_slack();
