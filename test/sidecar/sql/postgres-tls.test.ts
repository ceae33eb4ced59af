/** TLS to a real Postgres: whose certificate is accepted, and for which host. The job trusts what its process trusts. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { afterAll, beforeAll, expect, it } from "vitest";
import { AUTHORITY, LOCALHOST_CERTIFICATE, NAMED_CERTIFICATE } from "../../mock-servers/authority.ts";
import { LOOPBACK_CERTIFICATE } from "../../mock-servers/certificates.ts";
import { openSqlWorld, PASSWORD, type SqlWorld } from "./sql-world.ts";

const trusted = getCACertificates("default");
let world: SqlWorld;
beforeAll(async () => {
  world = await openSqlWorld();
});
afterAll(async () => {
  setDefaultCACertificates(trusted);
  await world.close();
});

/** Gives the server another certificate, for connections from now on. */
async function present({ cert, key }: { readonly cert: string; readonly key: string }): Promise<void> {
  const { admin, folder } = world.server;
  writeFileSync(join(folder, "data", "server.crt"), cert);
  writeFileSync(join(folder, "data", "server.key"), key);
  await admin.query("select pg_reload_conf()");
  await new Promise((resolve) => setTimeout(resolve, 300));
}

/** Asks over TLS whether the connection is encrypted. Every name leads to the server. */
async function queryAs(host: string) {
  const { port } = world.server;
  const deps = {
    allow: host === "127.0.0.1" ? world.deps.allow : new Set<string>(),
    resolve: async () => ["93.184.215.14"],
    connectTo: () => world.deps.connectTo(["127.0.0.1"]),
  };
  const dsn = `postgres://reader:${PASSWORD}@${host}:${port}/postgres`;
  return await world.query("select id from orders where id = 1", { deps, dsn, tls: "require" });
}

const REFUSED = (why: RegExp) => ({
  ok: false,
  error: { code: "upstream_failed", message: expect.stringMatching(why), happened: "no" },
});
const OTHER_NAME =
  /^The database's certificate is not accepted \(ERR_TLS_CERT_ALTNAME_INVALID\)\. No password was sent\. The certificate has to name the host/;

it("accepts the certificate of a trusted authority for this host, and refuses every other", async () => {
  await present(NAMED_CERTIFICATE);
  expect(await queryAs("db.example.com")).toMatchObject(
    REFUSED(/UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER/),
  );
  setDefaultCACertificates([...trusted, AUTHORITY]);
  expect(await queryAs("db.example.com")).toMatchObject({ ok: true, value: { rows: [[1]] } });
  expect(await queryAs("other.example.com")).toMatchObject(REFUSED(OTHER_NAME));
  expect(await queryAs("127.0.0.1")).toMatchObject({ ok: true });

  await present(LOCALHOST_CERTIFICATE);
  expect(await queryAs("127.0.0.1")).toMatchObject(REFUSED(OTHER_NAME));
  expect(await queryAs("db.example.com")).toMatchObject(REFUSED(OTHER_NAME));

  await present(LOOPBACK_CERTIFICATE);
  expect(await queryAs("127.0.0.1")).toMatchObject(REFUSED(/SELF_SIGNED/));
});
