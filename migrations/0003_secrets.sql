-- Secrets of tenants. A value is sealed before it comes here, under a key that the database does not have.

-- As in 0001: handing the purge to otto_directory takes both, and both are taken back at the end.
grant otto_directory to current_user;
grant create on schema public to otto_directory;

create table secrets (
  tenant     text        not null references tenants (id),
  id         text        not null,
  name       text        not null,
  -- Where the value may be sent.
  hosts      text[]      not null,
  -- Nonce and ciphertext of AES-256-GCM, in base64. They open for this tenant and name only.
  sealed     text        not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant, id),
  constraint secrets_name unique (tenant, name)
);
create index secrets_page on secrets (tenant, created_at desc, id desc);

alter table secrets enable row level security;
alter table secrets force  row level security;
create policy tenant_rows    on secrets using (tenant = nullif(current_setting('app.tenant', true), ''));
create policy directory_rows on secrets to otto_directory using (true);
grant select, insert, update, delete on secrets to otto_app;
grant select, delete                 on secrets to otto_directory;

-- Deletes the rows of a tenant that was erased, and of no other.
create or replace function otto_purge_tenant(erased text)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  update public.tenants set name = '', purged_at = now() where id = erased and erased_at is not null;
  if not found then
    return;
  end if;
  delete from public.secrets        where tenant = erased;
  delete from public.tasks          where tenant = erased;
  delete from public.agent_versions where tenant = erased;
  delete from public.agents         where tenant = erased;
  delete from public.keys           where tenant = erased;
  delete from public.audit          where tenant = erased;
end
$$;

revoke create on schema public from otto_directory;
revoke otto_directory from current_user;
