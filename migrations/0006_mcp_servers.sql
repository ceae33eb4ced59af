-- MCP servers of tenants: how each is reached, and which of its tools were approved.

create table mcp_servers (
  tenant           text        not null references tenants (id),
  name             text        not null,
  -- Grows when it is reached in another way: with another URL, other headers, another authorization.
  version          integer     not null,
  -- JSON of what may be shown.
  settings         text        not null,
  -- Nonce and ciphertext of AES-256-GCM, in base64: header values and a client secret. They open for this tenant and name only.
  sealed           text        not null,
  -- The same of what OAuth gave: the client, tokens, an authorization that has begun.
  auth             text,
  status           text        not null,
  error            text,
  -- JSON of the tools that a person agreed to, by adding the server or by approving a change.
  approved         text,
  approved_hash    text,
  -- The same of the tools that the server listed last, and of those that were left out.
  seen             text,
  seen_hash        text,
  refused          text,
  protocol_version text,
  -- JSON of the client's own, which spares the next contact a question.
  prior            text,
  checked_at       timestamptz,
  -- When the server said that its tools are others now; null again after the next look.
  list_changed_at  timestamptz,
  created_at       timestamptz not null,
  updated_at       timestamptz not null,
  primary key (tenant, name)
);

alter table mcp_servers enable row level security;
alter table mcp_servers force  row level security;

create policy tenant_rows    on mcp_servers using (tenant = nullif(current_setting('app.tenant', true), ''));
create policy directory_rows on mcp_servers to otto_directory using (true);

grant select, insert, update, delete on mcp_servers to otto_app;
grant select, delete                 on mcp_servers to otto_directory;

-- These rows go when their tenant is purged: otto_purge_tenant marks the tenant, and this runs as the function does.
create function otto_purge_mcp_servers()
returns trigger
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  delete from public.mcp_servers where tenant = new.id;
  return null;
end
$$;
revoke all on function otto_purge_mcp_servers() from public;

create trigger purge_mcp_servers after update of purged_at on tenants
  for each row when (new.purged_at is not null) execute function otto_purge_mcp_servers();
