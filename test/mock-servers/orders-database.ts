/** A Postgres with two orders, for tests of a tenant's databases. */
import { type PostgresServer, startPostgres } from "./postgres-server.ts";

/** No part of an answer or a page may contain it. */
const PASSWORD = "canary-of-postgres";

/** Starts it with a role that reads and one that writes. */
export async function startOrders(): Promise<PostgresServer> {
  const server = await startPostgres();
  await server.admin.query(`
    create role reader login password '${PASSWORD}';
    create role writer login password '${PASSWORD}';
    revoke create on schema public from public;
    create table orders (id int, customer text);
    insert into orders values (1, 'Ana'), (2, 'Ben');
    grant select on orders to reader;
    grant all on orders to writer`);
  return server;
}

/** The addresses of its roles, with their password. */
export function getOrdersUrls(server: PostgresServer): { readonly reader: string; readonly writer: string } {
  return { reader: server.urlOf("reader", PASSWORD), writer: server.urlOf("writer", PASSWORD) };
}
