-- Searches of the task list by an index, and the use of tasks as sums. Triggers on `tasks` maintain both, so that they follow
-- whichever release writes a task's row, in the same transaction.

-- As in 0001: taken back at the end.
grant otto_directory to current_user;
grant create on schema public to otto_directory;

-- The text that lists are searched in. Not a part of `tasks`, whose rows change at each report: every change of a row
-- writes its index entries again, and a text has hundreds.
create table task_texts (
  tenant text not null,
  id     text not null,
  -- `search_text` of the task.
  text   text not null,
  primary key (tenant, id)
);

-- What the tasks of `tasks` used, by the day they were created. No key, no project: ''. Erased tasks are in `erased_usage`.
create table usage_days (
  tenant      text   not null references tenants (id),
  day         date   not null,
  agent       text   not null,
  key         text   not null,
  project     text   not null,
  -- How many rows of `tasks` the sums are of, hidden ones included. A row without any is deleted.
  summed      bigint not null,
  tasks       bigint not null,
  steps       bigint not null,
  tool_calls  bigint not null,
  tokens      bigint not null,
  cost_micros bigint not null,
  primary key (tenant, day, agent, key, project)
);

alter table task_texts enable row level security;
alter table task_texts force  row level security;
alter table usage_days enable row level security;
alter table usage_days force  row level security;
create policy tenant_rows on task_texts using (tenant = nullif(current_setting('app.tenant', true), ''));
create policy tenant_rows on usage_days using (tenant = nullif(current_setting('app.tenant', true), ''));
create policy directory_rows on task_texts to otto_directory using (true);
create policy directory_rows on usage_days to otto_directory using (true);
grant select on task_texts to otto_app;
grant select on usage_days to otto_app;
grant select, insert, update, delete on task_texts to otto_directory;
grant select, insert, update, delete on usage_days to otto_directory;

-- What the index below holds of a text: a hash of every three characters in a row, with `scope` in it. The hash keeps tenants
-- apart in the index itself, and works for every script. Two that collide make a row a candidate that is then not found.
create function otto_text_keys(scope text, value text)
returns integer[]
language sql immutable parallel safe
as $$
  select coalesce(array_agg(distinct pg_catalog.hashtext(scope || first || second || third)), '{}')
  from (
    select one as first, lead(one) over places as second, lead(one, 2) over places as third
    from unnest(string_to_array(value, null)) with ordinality as characters (one, place)
    window places as (order by place)
  ) as triples
  where third is not null
$$;
revoke all on function otto_text_keys(text, text) from public;
grant execute on function otto_text_keys(text, text) to otto_directory;

-- Ids of this transaction's tenant whose text contains `wanted`, and those whose id does, in no order. At least three characters.
-- Row-level security lets no index serve a condition that may leak (`@>` may, as may `like`), so this runs as a role that its
-- policies do not narrow, and takes the tenant from where they take it.
create function otto_find_texts(wanted text, with_ids boolean, how_many integer)
returns table (id text)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select found.id from (
    (
      select t.id from public.task_texts t
      where public.otto_text_keys(t.tenant || ' text', t.text) || public.otto_text_keys(t.tenant || ' id', t.id)
          @> public.otto_text_keys(nullif(current_setting('app.tenant', true), '') || ' text', wanted)
        -- Written so that the primary key, which finds every text of the tenant, is no choice.
        and t.tenant || '' = nullif(current_setting('app.tenant', true), '')
        and strpos(t.text, wanted) > 0
      limit how_many
    )
    union
    (
      select t.id from public.task_texts t
      where with_ids
        and public.otto_text_keys(t.tenant || ' text', t.text) || public.otto_text_keys(t.tenant || ' id', t.id)
          @> public.otto_text_keys(nullif(current_setting('app.tenant', true), '') || ' id', wanted)
        and t.tenant || '' = nullif(current_setting('app.tenant', true), '')
        and strpos(t.id, wanted) > 0
      limit how_many
    )
  ) as found
  limit how_many
$$;

create function otto_tasks_added()
returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  insert into public.task_texts (tenant, id, text)
  select tenant, id, coalesce(search_text, '') from added
  on conflict (tenant, id) do update set text = excluded.text;
  insert into public.usage_days as known
    (tenant, day, agent, key, project, summed, tasks, steps, tool_calls, tokens, cost_micros)
  select tenant, (created_at at time zone 'UTC')::date, agent, coalesce(key, ''), coalesce(project, ''), count(*),
    count(*) filter (where not hidden), sum(steps), sum(tool_calls), sum(tokens), sum(cost_micros)
  from added group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
  on conflict (tenant, day, agent, key, project) do update set summed = known.summed + excluded.summed,
    tasks = known.tasks + excluded.tasks, steps = known.steps + excluded.steps,
    tool_calls = known.tool_calls + excluded.tool_calls, tokens = known.tokens + excluded.tokens,
    cost_micros = known.cost_micros + excluded.cost_micros;
  return null;
end
$$;

-- Most reports change no sum and no text, and then this writes nothing.
create function otto_tasks_changed()
returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  update public.task_texts t set text = coalesce(n.search_text, '')
  from added n
  where t.tenant = n.tenant and t.id = n.id and t.text <> coalesce(n.search_text, '');
  insert into public.usage_days as known
    (tenant, day, agent, key, project, summed, tasks, steps, tool_calls, tokens, cost_micros)
  select tenant, (created_at at time zone 'UTC')::date, agent, coalesce(key, ''), coalesce(project, ''), sum(sign),
    sum(case when hidden then 0 else sign end), sum(sign * steps), sum(sign * tool_calls), sum(sign * tokens),
    sum(sign * cost_micros)
  from (select 1 as sign, * from added union all select -1, * from removed) as both_states
  group by 1, 2, 3, 4, 5
  having sum(sign) <> 0 or sum(case when hidden then 0 else sign end) <> 0 or sum(sign * steps) <> 0
    or sum(sign * tool_calls) <> 0 or sum(sign * tokens) <> 0 or sum(sign * cost_micros) <> 0
  order by 1, 2, 3, 4, 5
  on conflict (tenant, day, agent, key, project) do update set summed = known.summed + excluded.summed,
    tasks = known.tasks + excluded.tasks, steps = known.steps + excluded.steps,
    tool_calls = known.tool_calls + excluded.tool_calls, tokens = known.tokens + excluded.tokens,
    cost_micros = known.cost_micros + excluded.cost_micros;
  return null;
end
$$;

create function otto_tasks_removed()
returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  delete from public.task_texts t using removed o where t.tenant = o.tenant and t.id = o.id;
  update public.usage_days d set summed = d.summed - s.summed, tasks = d.tasks - s.tasks, steps = d.steps - s.steps,
    tool_calls = d.tool_calls - s.tool_calls, tokens = d.tokens - s.tokens, cost_micros = d.cost_micros - s.cost_micros
  from (
    select tenant, (created_at at time zone 'UTC')::date as day, agent, coalesce(key, '') as key,
      coalesce(project, '') as project, count(*) as summed, count(*) filter (where not hidden) as tasks,
      sum(steps) as steps, sum(tool_calls) as tool_calls, sum(tokens) as tokens, sum(cost_micros) as cost_micros
    from removed group by 1, 2, 3, 4, 5
  ) as s
  where (d.tenant, d.day, d.agent, d.key, d.project) = (s.tenant, s.day, s.agent, s.key, s.project);
  delete from public.usage_days d using removed o
  where d.tenant = o.tenant and d.day = (o.created_at at time zone 'UTC')::date and d.summed <= 0;
  return null;
end
$$;

-- These rows go when their tenant is purged: otto_purge_tenant marks the tenant, and this runs as the function does.
create function otto_purge_sums()
returns trigger
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  delete from public.task_texts where tenant = new.id;
  delete from public.usage_days where tenant = new.id;
  return null;
end
$$;

alter function otto_find_texts(text, boolean, integer) owner to otto_directory;
alter function otto_tasks_added()                      owner to otto_directory;
alter function otto_tasks_changed()                    owner to otto_directory;
alter function otto_tasks_removed()                    owner to otto_directory;
revoke all on function otto_find_texts(text, boolean, integer) from public;
revoke all on function otto_tasks_added()                      from public;
revoke all on function otto_tasks_changed()                    from public;
revoke all on function otto_tasks_removed()                    from public;
revoke all on function otto_purge_sums()                       from public;
grant execute on function otto_find_texts(text, boolean, integer) to otto_app;

create trigger add_to_sums after insert on tasks
  referencing new table as added for each statement execute function otto_tasks_added();
create trigger change_sums after update on tasks
  referencing old table as removed new table as added for each statement execute function otto_tasks_changed();
create trigger remove_from_sums after delete on tasks
  referencing old table as removed for each statement execute function otto_tasks_removed();
create trigger purge_sums after update of purged_at on tenants
  for each row when (new.purged_at is not null) execute function otto_purge_sums();

revoke create on schema public from otto_directory;
revoke otto_directory from current_user;

-- What the index of tasks holds already. Policies bind the owner too, so they are lifted for this.
alter table tenants    no force row level security;
alter table tasks      no force row level security;
alter table task_texts no force row level security;
alter table usage_days no force row level security;
insert into task_texts (tenant, id, text) select tenant, id, coalesce(search_text, '') from tasks;
insert into usage_days
select tenant, (created_at at time zone 'UTC')::date, agent, coalesce(key, ''), coalesce(project, ''), count(*),
  count(*) filter (where not hidden), sum(steps), sum(tool_calls), sum(tokens), sum(cost_micros)
from tasks group by 1, 2, 3, 4, 5;
alter table tenants    force row level security;
alter table tasks      force row level security;
alter table task_texts force row level security;
alter table usage_days force row level security;

-- Entries wait in a list that searches read too, so the list is short (in KiB).
create index task_texts_search on task_texts
  using gin ((otto_text_keys(tenant || ' text', text) || otto_text_keys(tenant || ' id', id)))
  with (gin_pending_list_limit = 512);
-- Statistics of it would be computed from the texts of a sample, and no plan needs them.
alter index task_texts_search alter column 1 set statistics 0;

-- It served only the use of a range of days, which reads sums now, and each report wrote it.
drop index tasks_by_age;
