/** A started system whose local tenant's key or id is lost, damaged or revoked: the start gives the same tenant another key. */
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { findKeyOwner, createKey } from "../../core/tenant/keys.ts";
import { type StartedSystem, startSystem, until } from "../drill/started-system.ts";
import { sendJson } from "../setup/fetch-api.ts";
import "../setup/provided-context.ts";

const READY_MS = 60_000;
/** With the local tenant, which is the oldest, a page and a half of the list. */
const OTHER_TENANTS = 120;

let system: StartedSystem;
let tenant: string;
beforeAll(async () => {
  system = await startSystem({}, inject("endedState"));
  await ready();
  tenant = findKeyOwner(read("dev-key")) ?? "";
});

afterAll(() => system.stop());

const at = (name: string) => join(system.stateFolder, name);
const read = (name: string) => readFileSync(at(name), "utf8").trim();
const ready = () => until(() => system.output().includes("Otto is ready on"), READY_MS, system.output);

async function send(key: string, method: string, path: string, body?: object) {
  return await sendJson(`${system.url}${path}`, key, method, body);
}

/** The tenants with the name of the local one. */
async function localTenants(): Promise<string[]> {
  const { json } = await send(read("operator-key"), "GET", "/v1/tenants?limit=100");
  const data: { id: string; name: string }[] = [...json.data];
  if (json.next_cursor !== null)
    data.push(
      ...(await send(read("operator-key"), "GET", `/v1/tenants?limit=100&cursor=${json.next_cursor}`)).json.data,
    );
  return data.filter(({ name }) => name === "local").map(({ id }) => id);
}

async function revokeOwnKey(): Promise<void> {
  const key = read("dev-key");
  const { json } = await send(key, "GET", "/v1/keys?limit=100");
  for (const { id } of json.data) await send(key, "DELETE", `/v1/keys/${id}`);
  expect((await send(key, "GET", "/v1/tasks")).status).toBe(401);
}

/** Tenants that were created after the local one push it off the first page of the list. */
async function createOthers(): Promise<void> {
  for (let index = 0; index < OTHER_TENANTS; index += 1)
    expect((await send(read("operator-key"), "POST", "/v1/tenants", { name: `other ${index}` })).status).toBe(201);
}

it("creates the first person with the name of the account, whom the key belongs to", async () => {
  const { json: keys } = await send(read("dev-key"), "GET", "/v1/keys");
  const { json: people } = await send(read("dev-key"), "GET", "/v1/people");
  expect(people.data).toMatchObject([{ name: userInfo().username, may_answer: true, may_approve: true }]);
  const [{ id, name }] = people.data;
  expect(keys.data.map(({ person }: { person: object }) => person)).toEqual([{ id, name }]);
});

it.each<[string, () => void | Promise<void>]>([
  ["the key is lost", () => rmSync(at("dev-key"))],
  ["the key is no text", () => writeFileSync(at("dev-key"), Buffer.from([0xff, 0x00, 0xe2, 0x28, 0xa1]))],
  ["the key is cut", () => writeFileSync(at("dev-key"), read("dev-key").slice(0, -9))],
  ["the key is revoked", revokeOwnKey],
  [
    "the key is of another system and the id lost",
    () => (rmSync(at("dev-tenant")), writeFileSync(at("dev-key"), createKey(`ten_${"0".repeat(26)}`, random()))),
  ],
  ["the id is lost", () => rmSync(at("dev-tenant"))],
  ["the id is damaged and the key lost", () => (rmSync(at("dev-key")), writeFileSync(at("dev-tenant"), "\0\0\0"))],
  [
    "both are lost, among many tenants",
    async () => (await createOthers(), rmSync(at("dev-key")), rmSync(at("dev-tenant"))),
  ],
])("%s", async (_, damage) => {
  const { json: task } = await send(read("dev-key"), "POST", "/v1/tasks?wait=30", { input: "Say hello" });
  await damage();
  await system.end();
  await system.startAgain();
  await ready();
  expect(findKeyOwner(read("dev-key"))).toBe(tenant);
  expect(read("dev-tenant")).toBe(tenant);
  expect(await localTenants()).toEqual([tenant]);
  expect((await send(read("dev-key"), "GET", `/v1/tasks/${task.id}`)).status).toBe(200);
});

it("reports a database that is lost together with the key, and restores the same tenant", async () => {
  await system.end();
  rmSync(at("dev-key"));
  renameSync(at("database"), at("moved"));
  await system.startAgain();
  await ready();
  expect(system.output()).toContain("the database was missing and an empty one was created");
  expect(findKeyOwner(read("dev-key"))).toBe(tenant);
  expect(await localTenants()).toEqual([tenant]);
});

function random(): Uint8Array {
  return Uint8Array.from({ length: 96 }, (_, index) => index);
}
