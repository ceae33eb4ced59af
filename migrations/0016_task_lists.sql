-- What lists and pictures of tasks show and look through, and what waits for a person.

alter table tasks
  -- The first line of the input, for lists.
  add column title       text not null default '',
  -- The beginning of the input in lower case, which lists are searched in; null: a row of before this migration that
  -- could not be read.
  add column search_text text,
  add column ended_at    timestamptz,
  -- JSON list of what the task itself waits for from people: {id, kind, person, person_id, since}. Null: nothing.
  add column waits       jsonb;

create index tasks_page_of_roots on tasks (tenant, created_at desc, id desc) where not hidden and parent is null;
create index tasks_page_by_parent on tasks (tenant, parent, created_at desc, id desc) where parent is not null;
create index tasks_waiting on tasks (tenant) where waits is not null;

-- What the index knows already, except of views with escapes that Postgres's text cannot hold. The policy binds the owner
-- too, so it is lifted for this.
alter table tasks no force row level security;
update tasks set
  title = left(split_part(view::json ->> 'input', E'\n', 1), 120),
  search_text = lower(left(view::json ->> 'input', 500)),
  ended_at = (view::json ->> 'ended_at')::timestamptz
where position('\u0000' in view) = 0 and position('\ud' in lower(view)) = 0;
update tasks set waits = (
  select jsonb_agg(jsonb_build_object(
    'id', coalesce(entry ->> 'id', entry ->> 'call_id'), 'kind', entry ->> 'kind',
    'person', entry ->> 'person', 'person_id', entry ->> 'person_id',
    'since', floor(extract(epoch from updated_at) * 1000)::bigint))
  from json_array_elements(view::json -> 'pending') as entry
  where entry ->> 'task_id' is null)
where status in ('waiting_input', 'waiting_approval')
  and position('\u0000' in view) = 0 and position('\ud' in lower(view)) = 0;
alter table tasks force row level security;
