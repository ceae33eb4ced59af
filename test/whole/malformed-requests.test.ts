/** Requests that are no valid HTTP, or name no address of ours: the client is at fault, so the answer is 400 and never 500. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Caller, startWholeSystem, type WholeSystem } from "../setup/start-system.ts";
import { sendText } from "../stand-ins/raw-client.ts";

let whole: WholeSystem;
let caller: Caller;
let task: string;

beforeAll(async () => {
  whole = await startWholeSystem();
  caller = await whole.makeTenant("malformed requests");
  task = (await caller.send("POST", "/v1/tasks", { input: "x", hold: true })).json.id;
});
afterAll(async () => await whole?.stop());

/** One request: its first line, and the lines of its head and body. */
const send = async (first: string, ...lines: readonly string[]) =>
  await sendText(whole.system.url, [`${first} HTTP/1.1`, ...lines].join("\r\n"));

const expectRefused = ({ statuses, body }: Awaited<ReturnType<typeof send>>, field: string) => {
  expect(statuses).toEqual([400]);
  const problem = JSON.parse(body);
  expect(problem).toMatchObject({ status: 400, code: "invalid_input", errors: [{ field }] });
  expect(problem.request_id).toMatch(/^req_/);
};

describe("a malformed chunk", () => {
  const own = () => [`authorization: Bearer ${caller.key}`];

  test.each<readonly [where: string, first: () => string, head: () => string[]]>([
    ["of JSON", () => "POST /v1/tasks", () => [...own(), "content-type: application/json"]],
    ["under an Idempotency-Key", () => "POST /v1/tasks", () => [...own(), "idempotency-key: chunked"]],
    ["of a file", () => `PUT /v1/tasks/${task}/files/a.txt`, own],
    ["of a skill", () => "POST /v1/skills", () => [...own(), "content-type: text/markdown"]],
    ["from Slack", () => "POST /slack/events", () => []],
    ["of a command from Slack", () => "POST /slack/commands", () => []],
    ["of a mail", () => "POST /cdn-cgi/local/email?from=ana@example.com&to=otto@example.com", own],
  ])("%s is 400", async (_where, first, head) => {
    for (const chunks of [
      ["zz", "abc"],
      ["3", "abc", "zz"],
    ]) {
      const fields = ["host: localhost", "connection: close", "transfer-encoding: chunked", ...head()];
      expectRefused(await send(first(), ...fields, "", ...chunks, "0", "", ""), "body");
    }
  });
});
