/** Starts with another key ring: a rotated one works, and one without a key that sealed a row is refused in one sentence. */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type StartedSystem, startSystem } from "../drill/started-system.ts";
import { closeServer, listenOnLoopback } from "../mock-servers/listen.ts";
import { sendJson } from "../setup/fetch-api.ts";
import { getRefusal, runWhileUp, type Variables } from "../setup/ended-system.ts";
import "../setup/provided-context.ts";

const KEY_A = randomBytes(32).toString("base64");
const KEY_B = randomBytes(32).toString("base64");

let system: StartedSystem;
let receiver: string;
const seen: string[] = [];
const server = createServer((request, response) => {
  seen.push(request.headers.authorization ?? "");
  response.end("{}");
});

beforeAll(async () => {
  receiver = `localhost:${await listenOnLoopback(server, 0)}`;
  system = await startSystem({ OTTO_EGRESS_ALLOW: receiver }, inject("endedState"));
  await system.end();
});

afterAll(async () => {
  await system.stop();
  await closeServer(server);
});

const at = (...path: string[]) => join(system.stateFolder, ...path);

const whileUp = async <T>(work: (key: string) => Promise<T>, more: Variables = {}): Promise<T> =>
  await runWhileUp(system, work, more);
const refusalOf = async (more: Variables = {}): Promise<string> => await getRefusal(system, more);

async function send(key: string, method: string, path: string, body?: object) {
  return await sendJson(`${system.url}${path}`, key, method, body);
}

async function useSecret(key: string): Promise<void> {
  seen.length = 0;
  const request = { url: `http://${receiver}/`, headers: { authorization: "{{secret.TOKEN}}" } };
  const called = await send(key, "POST", "/v1/tools/http.get/call", { arguments: request });
  expect(called.json, system.output()).toMatchObject({ ok: true });
  expect(seen).toEqual(["canary-value"]);
}

describe("the key ring", () => {
  it("starts when it is rotated, is refused without a key that sealed a row, and lets an unused key go", async () => {
    await whileUp(
      async (key) => {
        const secret = { name: "TOKEN", value: "canary-value", hosts: [receiver] };
        expect(await send(key, "POST", "/v1/secrets", secret)).toMatchObject({ status: 201 });
        await useSecret(key);
      },
      { OTTO_SECRET_KEY: KEY_A },
    );
    const stored = readFileSync(at("secrets.json"), "utf8");
    for (const other of [{}, { OTTO_SECRET_KEY: KEY_B }, { OTTO_SECRET_KEY: KEY_B, OTTO_SECRET_KEYS_OLD: KEY_B }]) {
      expect(await refusalOf(other)).toMatch(
        /The key with the fingerprint [0-9a-f]{18} sealed .* list it in OTTO_SECRET_KEYS_OLD\.$/,
      );
      expect(readFileSync(at("secrets.json"), "utf8")).toBe(stored);
    }
    // Rotated, and used: from then on the new key alone is enough.
    await whileUp(useSecret, { OTTO_SECRET_KEY: KEY_B, OTTO_SECRET_KEYS_OLD: KEY_A });
    await whileUp(useSecret, { OTTO_SECRET_KEY: KEY_B });
    expect(await refusalOf({ OTTO_SECRET_KEY: KEY_A })).toContain("OTTO_SECRET_KEYS_OLD");
    await whileUp((key) => send(key, "DELETE", "/v1/secrets/TOKEN"), { OTTO_SECRET_KEY: KEY_B });
  });
});

describe("secrets.json", () => {
  it("is not replaced while a row needs the key that it had", async () => {
    await whileUp((key) =>
      send(key, "POST", "/v1/secrets", { name: "TOKEN", value: "canary-value", hosts: [receiver] }),
    );
    const stored = readFileSync(at("secrets.json"), "utf8");
    rmSync(at("secrets.json"));
    expect(await refusalOf()).toContain("restore secrets.json of the state folder");
    expect(existsSync(at("secrets.json"))).toBe(false);
    writeFileSync(at("secrets.json"), stored.slice(0, 40));
    expect(await refusalOf()).toContain("secrets.json is damaged: restore it from a backup");
    writeFileSync(at("secrets.json"), stored);
    await whileUp(useSecret);
    await whileUp((key) => send(key, "DELETE", "/v1/secrets/TOKEN"));
    rmSync(at("secrets.json"));
    await whileUp(async (key) => expect((await send(key, "GET", "/v1/tasks")).status).toBe(200));
    expect(JSON.parse(readFileSync(at("secrets.json"), "utf8"))).toHaveProperty("secretKey");
  });
});
