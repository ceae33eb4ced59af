-- An agent that is deleted is archived: its tasks and its versions refer to it. Its name is free again.
alter table agents add column archived_at timestamptz;
alter table agents drop constraint agents_name;
create unique index agents_name on agents (tenant, name) where archived_at is null;
