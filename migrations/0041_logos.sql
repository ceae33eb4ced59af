-- Logos of the apps of the catalogue; token sets of a connection that are given up one by one.

alter table composio_apps_cache
  -- SHA-256 in hex of the stored logo; null: none was fetched.
  add column logo    text,
  -- The address from which it was fetched. Another one in logo_url has to be fetched.
  add column logo_of text;

-- SHA-256 in hex of the file that names the logo of each app; null: no sync has fetched any.
alter table app_catalogue add column logos text;

-- True once a token set was given up since the last consent: what is confirmed after it does not make all of it confirmed.
alter table entity_connections add column revoke_given_up boolean not null default false;
