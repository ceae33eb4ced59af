/** An approval covers the content of the files that a call names, in the real runtime and with a real mail server. */
import { storeAsEarlierRelease } from "./stored-rows.ts";
import { abortAllDurableObjects, runInDurableObject } from "cloudflare:test";
import { describe, expect, test, vi } from "vitest";
import type { PendingView, TaskView } from "../../../core/task/view.ts";
import { sha256Hex } from "../../../core/base/sha256.ts";
import { addressee } from "../../contracts/channels/mail/suite.ts";
import { type Caller, makeCaller } from "../http/entry.ts";
import { arrivedMail, readSmtpMail } from "../channels/mail/server.ts";
import { stubOf, taskOf } from "../tasks/client.ts";
import { config } from "../tenant/client.ts";

type Approval = Extract<PendingView, { kind: "approval" }>;

const call = (name: string, given: Record<string, unknown>) => ({ name, arguments: given });
const write = (content: string) => call("write_file", { filename: "r.md", content });
const mailTo = (to: string) =>
  call("send_email", { to, subject: "The report", body: "<p>Hello</p>", attachment_filenames: ["r.md"] });
const hashOf = (text: string) => sha256Hex(new TextEncoder().encode(text));

const approvalOf = ({ pending }: TaskView): Approval | undefined =>
  pending.find((entry): entry is Approval => entry.kind === "approval");

/** The approval that the task waits for, once it is another than `before`. */
async function findApproval(caller: Caller, id: string, before: string | null = null): Promise<Approval> {
  const view = await caller.until(id, (one) => ![undefined, before].includes(approvalOf(one)?.id));
  const approval = approvalOf(view);
  if (approval === undefined) throw new Error("no approval is open");
  return approval;
}

const decide = async (caller: Caller, id: string, approval: string, more: Record<string, unknown> = {}) =>
  await caller.send("POST", `/v1/tasks/${id}/approvals/${approval}`, { decision: "approve", ...more });
const put = async (caller: Caller, id: string, text: string) =>
  await caller.send("PUT", `/v1/tasks/${id}/files/r.md`, text, { "content-type": "text/markdown" });

/** The hashes of the files that arrived with the mails to this address. */
async function sentHashes(to: string): Promise<string[]> {
  const arrived = await arrivedMail(to);
  const mails = await Promise.all(arrived.map(async ({ raw }) => await readSmtpMail(raw)));
  return mails.flatMap(({ attachments }) => attachments.map(({ hash }) => hash));
}

describe("a mail with a file, which a person has to approve", () => {
  test("requests its approval after the earlier write of its step, and sends the approved content although a later call writes the file", async () => {
    const caller = await makeCaller();
    const to = addressee();
    const { id } = await caller.makeTask([
      { calls: [write("the report"), mailTo(to), write("something else")] },
      { text: "Done." },
    ]);
    const approval = await findApproval(caller, id);
    expect(approval.files).toEqual([{ path: "r.md", size: 10, sha256: await hashOf("the report") }]);
    expect((await decide(caller, id, approval.id)).status).toBe(200);
    await caller.until(id, ({ status }) => status === "completed");
    expect(await sentHashes(to)).toEqual([await hashOf("the report")]);
    expect((await caller.send("GET", `/v1/tasks/${id}/files/r.md`)).text).toBe("something else");
    const page = await taskOf({ tenant: caller.tenant, id }).events(0, 500);
    const events = page.ok ? page.value.events : [];
    const requested = events.filter(({ type }) => type === "approval.requested");
    expect(requested.map(({ data }) => data["files"])).toEqual([approval.files]);
  });

  test("requests its approval after the subtask of its step that writes the file, and shows what that wrote", async () => {
    const caller = await makeCaller();
    const to = addressee();
    const task_description = JSON.stringify({ replies: [{ calls: [write("by a subtask")] }, { text: "Written." }] });
    const { id } = await caller.makeTask([
      { calls: [call("dispatch_subagent", { task_description }), mailTo(to)] },
      { text: "Done." },
    ]);
    const approval = await findApproval(caller, id);
    expect(approval.files).toMatchObject([{ path: "r.md", sha256: await hashOf("by a subtask") }]);
    expect((await decide(caller, id, approval.id)).status).toBe(200);
    await caller.until(id, ({ status }) => status === "completed");
    expect(await sentHashes(to)).toEqual([await hashOf("by a subtask")]);
  });

  test("requests another approval when the file changed after the first, and none when the same bytes were written", async () => {
    const caller = await makeCaller();
    const to = addressee();
    const { id } = await caller.makeTask([{ calls: [write("first")] }, { calls: [mailTo(to)] }, { text: "Done." }]);
    const first = await findApproval(caller, id);
    await put(caller, id, "second");
    expect((await decide(caller, id, first.id)).status).toBe(200);
    const second = await findApproval(caller, id, first.id);
    expect(second).toMatchObject({ files: [{ sha256: await hashOf("second") }] });
    expect(second.reason).toContain("r.md changed after it was approved");
    expect((await decide(caller, id, first.id)).status).toBe(409);
    expect(await sentHashes(to)).toEqual([]);
    await put(caller, id, "second");
    expect((await decide(caller, id, second.id)).status).toBe(200);
    await caller.until(id, ({ status }) => status === "completed");
    expect(await sentHashes(to)).toEqual([await hashOf("second")]);
    const ledger = await caller.send("GET", `/v1/tasks/${id}/ledger`);
    expect(ledger.json.data).toMatchObject([{}, { tool: "send_email", state: "confirmed", attempts: 1 }]);
  });

  test("requests no approval when the file is missing", async () => {
    const caller = await makeCaller();
    const to = addressee();
    const { id } = await caller.makeTask([{ calls: [mailTo(to)] }, { text: "No file." }]);
    const view = await caller.until(id, ({ status }) => status !== "running" && status !== "queued");
    expect([view.status, view.pending]).toEqual(["completed", []]);
    const ledger = await caller.send("GET", `/v1/tasks/${id}/ledger`);
    expect(ledger.json.data).toMatchObject([{ state: "failed", attempts: 0 }]);
  });

  test("is sent with the other file that a person named, with its content at that time", async () => {
    const caller = await makeCaller();
    const to = addressee();
    const other = call("write_file", { filename: "other.md", content: "the other" });
    const { id } = await caller.makeTask([
      { calls: [write("first"), other] },
      { calls: [mailTo(to)] },
      { text: "Done." },
    ]);
    const { id: approval, arguments: given } = await findApproval(caller, id);
    const missing = { ...(given as object), attachment_filenames: ["nowhere.md"] };
    expect((await decide(caller, id, approval, { arguments: missing })).status).toBe(422);
    const edited = { ...(given as object), attachment_filenames: ["other.md"] };
    expect((await decide(caller, id, approval, { arguments: edited })).status).toBe(200);
    await caller.until(id, ({ status }) => status === "completed");
    expect(await sentHashes(to)).toEqual([await hashOf("the other")]);
  });

  test("requests another approval when it waited before the upgrade, and the earlier one says so", async () => {
    const caller = await makeCaller();
    const to = addressee();
    const { id } = await caller.makeTask([{ calls: [write("first")] }, { calls: [mailTo(to)] }, { text: "Done." }]);
    const before = await findApproval(caller, id);
    await runInDurableObject(stubOf({ tenant: caller.tenant, id }), (_, { storage }) => {
      storeAsEarlierRelease(storage, ({ state }) => {
        state["v"] = 5;
        for (const one of state["batch"] as Record<string, unknown>[]) {
          delete one["consent"];
          const wait = one["wait"] as Record<string, unknown> | null;
          if (wait !== null) delete wait["files"];
        }
      });
    });
    await abortAllDurableObjects();
    const late = await decide(caller, id, before.id);
    expect([late.status, late.json.code]).toEqual([410, "gone"]);
    expect(late.json.detail).toContain("requested again");
    const after = await findApproval(caller, id, before.id);
    expect(after.files).toEqual(before.files);
    expect((await decide(caller, id, after.id)).status).toBe(200);
    await caller.until(id, ({ status }) => status === "completed");
    await vi.waitFor(async () => expect(await sentHashes(to)).toEqual([await hashOf("first")]), { timeout: 10_000 });
  });
});

describe("a file to deliver, which a person has to approve", () => {
  test("requests another approval when it changed after the first, and is delivered with the approved content", async () => {
    const caller = await makeCaller();
    const approval = { rules: [{ tool: "attach_file", decision: "ask" }] };
    const agent = await caller.send(
      "POST",
      "/v1/agents",
      config("careful", { permissions: ["read", "write"], approval }),
    );
    const { id } = await caller.makeTask(
      [{ calls: [write("first"), call("attach_file", { filename: "r.md" }), write("third")] }, { text: "Done." }],
      { agent: agent.json.id },
    );
    const first = await findApproval(caller, id);
    expect(first.files).toEqual([{ path: "r.md", size: 5, sha256: await hashOf("first") }]);
    await put(caller, id, "other");
    expect((await decide(caller, id, first.id)).status).toBe(200);
    const second = await findApproval(caller, id, first.id);
    expect(second.files).toEqual([{ path: "r.md", size: 5, sha256: await hashOf("other") }]);
    expect((await decide(caller, id, second.id)).status).toBe(200);
    const { output } = await caller.until(id, ({ status }) => status === "completed");
    expect(output?.files).toMatchObject([{ path: "r.md", sha256: await hashOf("other") }]);
    const [file] = output?.files ?? [];
    const { pathname, search } = new URL((file as unknown as { url: string }).url);
    expect((await caller.send("GET", pathname + search)).text).toBe("other");
    expect((await caller.send("GET", pathname)).text).toBe("third");
  });
});

describe("a command with a file, which a person has to approve", () => {
  test.each([
    ["that it names", ["r.md"], { path: "r.md", size: 4 }],
    ["like all others", undefined, { path: "./", size: 4, file_count: 1 }],
  ] as const)(
    "is asked about once the earlier write of its step has settled, by the content of the file %s, and again when that changed",
    async (_which, files, listed) => {
      const caller = await makeCaller();
      const agent = await caller.send(
        "POST",
        "/v1/agents",
        config("careful", {
          permissions: ["read", "write", "exec"],
          tools: ["*", "run_command"],
          tool_config: { shell: { allow_shell: true } },
        }),
      );
      const given = { command: "sh r.md", ...(files === undefined ? {} : { files }) };
      const { id } = await caller.makeTask(
        [{ calls: [write("evil"), call("run_command", given)] }, { text: "Done." }],
        { agent: agent.json.id },
      );
      const first = await findApproval(caller, id);
      expect(first.files).toMatchObject([listed]);
      if (files !== undefined) expect(first.files?.[0]?.sha256).toBe(await hashOf("evil"));
      await put(caller, id, "other");
      expect((await decide(caller, id, first.id)).status).toBe(200);
      const second = await findApproval(caller, id, first.id);
      expect(second.reason).toContain("changed after");
      expect(second.arguments_hash).toBe(first.arguments_hash);
      expect(second.approved_hash).not.toBe(first.approved_hash);
      expect((await decide(caller, id, second.id, { decision: "refuse" })).status).toBe(200);
      await caller.until(id, ({ status }) => status === "completed");
      const ledger = await caller.send("GET", `/v1/tasks/${id}/ledger`);
      expect(ledger.json.data).toMatchObject([{}, { tool: "run_command", state: "refused", attempts: 0 }]);
    },
  );
});
