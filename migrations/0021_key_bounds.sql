-- A key can be bound to projects and to agents.

alter table keys
  -- Names of the projects whose tasks, files and memory it sees. Null: all of them.
  add column projects text[],
  -- Ids of the agents that it may start tasks of. Null: all of them.
  add column agents   text[];

-- The hash of a bound key is stored behind 'bound:'. A Worker of an earlier release, which knows no bounds, does not find it.
