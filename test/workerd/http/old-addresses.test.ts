/** Addresses of earlier releases still work. The document does not have them, so this asks the Worker directly. */
import { exports } from "cloudflare:workers";
import { expect, test } from "vitest";
import { makeCaller } from "./entry.ts";

test("incoming webhooks answer at their earlier address, and a repeat there is one", async () => {
  const caller = await makeCaller();
  const send = async (method: string, path: string, body?: object) =>
    await exports.default.fetch(`http://otto.test${path}`, {
      method,
      headers: {
        authorization: `Bearer ${caller.key}`,
        "content-type": "application/json",
        ...(method === "POST" ? { "idempotency-key": "old" } : {}),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const rule = { name: "old", type: "github" };
  const made = await send("POST", "/v1/webhooks/incoming", rule);
  expect(made.status).toBe(201);
  const { id } = await made.json<{ id: string }>();
  const repeat = await send("POST", "/v1/webhooks/incoming", rule);
  expect([repeat.headers.get("idempotency-replayed"), (await repeat.json<{ id: string }>()).id]).toEqual(["true", id]);
  // Stored keys hold the address as it was sent.
  expect((await send("POST", "/v1/incoming-webhooks", rule)).status).toBe(409);
  for (const path of ["/v1/webhooks/incoming", "/v1/incoming-webhooks"]) {
    expect((await send("GET", `${path}/${id}`)).status).toBe(200);
    const { data } = await (await send("GET", path)).json<{ data: { id: string }[] }>();
    expect(data.map((one) => one.id)).toEqual([id]);
    const { allow } = Object.fromEntries((await send("OPTIONS", `${path}/${id}`)).headers);
    expect(allow).toBe("DELETE, GET, HEAD, OPTIONS, PUT");
  }
  expect((await send("GET", `/v1/webhooks/incoming/${id}/received`)).status).toBe(200);
  expect((await send("DELETE", `/v1/webhooks/incoming/${id}`)).status).toBe(200);
});
