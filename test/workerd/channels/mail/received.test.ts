/** Mail that nobody could work: it is kept, shown, and worked when an administrator asks for it. */
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";
import { makeCaller } from "../../http/entry.ts";
import { bring, receivedOf, SOON, tasksOf, withPerson } from "./client.ts";

test("mail that was given up is stored, and processed once when an administrator replays it", async () => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  const { caller, ana, address } = await withPerson();
  const get = vi.spyOn(env.FILES, "get").mockImplementation(() => {
    throw new TypeError("broken");
  });
  const inbox = env.INBOXES.get(env.INBOXES.idFromName(`email/${caller.tenant}`));
  await bring({ from: ana, to: address, subject: "New Task: Later", text: "Hi" });
  await vi.waitFor(async () => {
    await runInDurableObject(inbox, (_, { storage }) => {
      storage.sql.exec("UPDATE items SET taken_at = 0");
      storage.sql.exec("UPDATE lanes SET due_at = 1");
    });
    await runDurableObjectAlarm(inbox);
    expect(await receivedOf(caller)).toMatchObject([{ state: "dead" }]);
  }, SOON);
  get.mockRestore();
  const [dead] = await receivedOf(caller);
  const again = `/v1/mail/received/${dead?.message_id}/replay`;
  expect((await (await makeCaller(["tasks:read"])).send("POST", again)).status).toBe(403);
  expect((await (await makeCaller()).send("POST", again)).status).toBe(404);
  expect((await caller.send("POST", again)).json).toEqual({ message_id: dead?.message_id, state: "waiting" });
  await vi.waitFor(async () => expect(await tasksOf(caller)).toHaveLength(1), SOON);
  await vi.waitFor(async () => expect((await caller.send("POST", again)).status).toBe(409), SOON);
});
