-- A secret can be bound to agents and to HTTP methods, beside its hosts.

alter table secrets
  -- Ids of the agents that may use it. Null: every agent that a person made, and the built-in one but in tasks from hooks and mail.
  add column agents  text[],
  -- Methods of the requests that may carry it. Null: all of them.
  add column methods text[];
