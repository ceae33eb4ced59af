-- The secret that a hook's new one replaced counts for a while, so that its sender can be changed without losing a call.

alter table hooks
  -- The secrets that were replaced, the latest first, and until when each counts too, in milliseconds since the epoch.
  add column old_sealed text[]   not null default '{}',
  add column old_until  bigint[] not null default '{}';
