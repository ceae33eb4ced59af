/** What a list of a person's connections takes: while nothing changed, and right after a change. */
import { ApiClient } from "../../test/drill/api-client.ts";
import { quantile } from "../../test/drill/random.ts";
import { type DrillTenant, openStage } from "../../test/drill/stage.ts";
import type { Section } from "./section.ts";

const OURS = "Otto";
const CONNECTIONS = 50;
const WARM_UP = 20;
const RUNS = 200;
const CHANGES = 30;
/** What the list may take: `accounts.md`. */
const MUST_MS = 15;

export const CONNECTIONS_LIST: Section = {
  name: "connections",
  once: true,
  rows: [
    {
      key: "connections-list",
      label: `list of ${CONNECTIONS} connections, ms (p50)`,
      digits: 2,
      target: `≤ ${MUST_MS}`,
      must: MUST_MS,
    },
    { key: "connections-list-p99", label: "– p99", digits: 2, target: "" },
    { key: "connections-changed", label: "– right after a change, ms (p50)", digits: 2, target: "" },
  ],
  async measure(stage, note) {
    if (!stage.contenders.some(({ name }) => name === OURS)) return;
    const drill = await openStage({ env: { OTTO_REQUESTS_PER_MINUTE: "1000000" } });
    try {
      const ana = await connectMany(drill.system.url, await drill.makeTenant("connections"));
      const read = async () => await ana.must<{ data: readonly { id: string }[] }>("GET", "/v1/connections?limit=100");
      const { data } = await read();
      if (data.length !== CONNECTIONS) throw new Error(`${data.length} of ${CONNECTIONS} connections are listed`);
      for (let run = 0; run < WARM_UP; run += 1) await read();
      const unchanged = await timeEach(RUNS, async () => await Promise.resolve(), read);
      note("connections-list", OURS, quantile(unchanged, 0.5));
      note("connections-list-p99", OURS, quantile(unchanged, 0.99));
      const [first] = data;
      const rename = async (run: number) =>
        await ana.must("PATCH", `/v1/connections/${first?.id ?? ""}`, { alias: `name ${run}` });
      note("connections-changed", OURS, quantile(await timeEach(CHANGES, rename, read), 0.5));
    } finally {
      await drill.close();
    }
  },
};

/** The times of `work` in milliseconds, each after `before`, which is not counted. */
async function timeEach(
  runs: number,
  before: (run: number) => Promise<unknown>,
  work: () => Promise<unknown>,
): Promise<number[]> {
  const times: number[] = [];
  for (let run = 0; run < runs; run += 1) {
    await before(run);
    const startedAt = performance.now();
    await work();
    times.push(performance.now() - startedAt);
  }
  return times;
}

/** A person with connections to one app, by keys that are entered on the page of each link. */
async function connectMany(url: string, { api }: DrillTenant): Promise<ApiClient> {
  const { id: person } = await api.must<{ id: string }>("POST", "/v1/people", { name: "Ana" });
  const scopes = ["tasks:read", "tasks:write"];
  const { key } = await api.must<{ key: string }>("POST", "/v1/keys", { name: "ana", scopes, person });
  await api.must("POST", "/v1/tools/import", { name: "crm", read_security: "safe", openapi: DOCUMENT, connect: KEYS });
  const ana = new ApiClient(url, key);
  for (let index = 0; index < CONNECTIONS; index += 1) {
    const body = { app: "crm", alias: `account ${index}` };
    const made = await ana.must<{ connect_url: string }>("POST", "/v1/connections", body);
    const form = new URLSearchParams({ "field.key": `k-${index}` });
    const path = `${new URL(made.connect_url).pathname}/go`;
    const sent = await fetch(url + path, { method: "POST", body: form, headers: { origin: url } });
    if (!sent.ok) throw new Error(`${path} answered ${sent.status}`);
  }
  return ana;
}

const KEYS = { kind: "api_key", per: "person" };
const DOCUMENT = {
  openapi: "3.1.0",
  info: { title: "Crm", version: "1" },
  servers: [{ url: "https://crm.example" }],
  paths: { "/notes": { get: { operationId: "notes" } } },
  security: [{ login: [] }],
  components: { securitySchemes: { login: { type: "apiKey", in: "header", name: "x-key" } } },
};
