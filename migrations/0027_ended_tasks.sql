-- Retention reads the trees that ended, the earliest first, from where it left off.
create index tasks_ended on tasks (tenant, ended_at, id) where parent is null and ended_at is not null;
