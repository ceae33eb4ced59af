-- Until when one caller alone renews the tokens in `auth` of an MCP server. Other tokens end it.
alter table mcp_servers add column if not exists refresh_lease_until timestamptz;
