/** A call that names files: a person approves their content, and the call sends that content only. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { DEFAULT_AGENT } from "../../../core/agents/agent.ts";
import { hashArguments } from "../../../core/gateway/arguments-hash.ts";
import type { FilesPort } from "../../../core/ports/files.ts";
import type { ToolPorts } from "../../../core/ports/tool-ports.ts";
import { confirmedOutcome, unknownOutcome } from "../../../core/task/ledger.ts";
import { readState } from "../../../core/task/state-versions.ts";
import type { ActLine } from "../../../core/steps/rpc.ts";
import type { RunnableCall } from "../../../core/task/decision.ts";
import type { TaskState } from "../../../core/task/state.ts";
import { decide, findNextWake } from "../../../core/task/task.ts";
import type { BoundFile } from "../../../core/sandbox/bind-copy.ts";
import type { Tool } from "../../../core/tool/tool.ts";
import { defineTool, failWith } from "../../../tools/define-tool.ts";
import { fakeFiles } from "../../fakes/files.ts";
import { agent, boundIn, depsFor, performLast, prepare } from "../steps/play-gateway.ts";
import { requestCalls, drawsFrom, preparedCall, toView, startThinking, wake } from "./play-task.ts";
import { factsOf } from "./world.ts";

/** A tool that sends files, and what it sent. `beforeRead` happens in the middle of a call. */
function mailer(sent: string[], beforeRead: () => Promise<void> = async () => undefined): Tool {
  return defineTool({
    name: "mail_files",
    summary: "Mail files.",
    toolbox: "test",
    category: "communication",
    permissions: ["network"],
    security: "dangerous",
    effect: "once",
    needs: ["files"],
    refersTo: { names: "file" },
    input: z.object({ names: z.array(z.string()) }),
    output: z.object({ sent: z.int() }),
    async run({ names }, { files }) {
      await beforeRead();
      const texts: string[] = [];
      for (const name of names) {
        const read = await files.read(name, 1000);
        if (!read.ok) return failWith(read.error);
        texts.push(new TextDecoder().decode(read.value.bytes));
      }
      sent.push(...texts);
      return { sent: texts.length };
    },
    show: ({ sent: count }) => `Sent ${count}.`,
    examples: [{ note: "one file", given: { names: ["a.md"] } }],
  });
}

const FACTS = factsOf(agent({ permissions: ["network", "read"] }));
let writes = 0;
async function put(files: FilesPort, path: string, text: string): Promise<void> {
  writes += 1;
  await files.write(path, new TextEncoder().encode(text), { key: `w${writes}` });
}

/** Makes the call, or only binds its files, and gives the last line. */
async function make(tool: Tool, files: FilesPort, names: string[], more: Partial<RunnableCall> = {}): Promise<ActLine> {
  const given = { names };
  const argumentsHash = await hashArguments(tool.name, given);
  const row = { tool: tool.name, arguments: given, argumentsHash, effect: "once", key: "call_x_1_0" } as const;
  const call: RunnableCall = { callId: "call_x_1_0", mode: "run", attempt: 1, ...row, ...more };
  const deps = { ...depsFor([tool]), ports: { files } as ToolPorts };
  return await performLast(call, FACTS, deps);
}

describe("a call that names files", () => {
  test("is bound by path, size and hash, and does not run", async () => {
    const [sent, files] = [[] as string[], fakeFiles()];
    await put(files, "notes/a.md", "hello");
    const bound = boundIn(await make(mailer(sent), files, ["notes/a.md"], { mode: "bind", approvedFiles: [] }));
    expect(bound).toEqual([{ path: "notes/a.md", size: 5, hash: expect.stringMatching(/^[0-9a-f]{64}$/) }]);
    expect(sent).toEqual([]);
  });

  test("requires an approval only where the policy asks, and is then marked as naming files", async () => {
    const [asks] = await prepare([mailer([])], [{ name: "mail_files", arguments: '{"names":["a.md"]}' }], FACTS);
    expect(asks).toMatchObject({ approval: { reason: expect.any(String) }, namesFiles: true });
    const [none] = await prepare([mailer([])], [{ name: "mail_files", arguments: '{"names":[]}' }], FACTS);
    expect(none?.namesFiles).toBeUndefined();
  });

  test("is bound to one file by both forms of its name", async () => {
    const files = fakeFiles();
    await put(files, "caf\u00e9.md", "hello");
    const bind = { mode: "bind", approvedFiles: [] } as const;
    const bound = await Promise.all(
      ["caf\u00e9.md", "cafe\u0301.md"].map(async (name) => boundIn(await make(mailer([]), files, [name], bind))),
    );
    expect(bound[1]).toEqual(bound[0]);
    expect(bound[0]?.[0]?.path).toBe("caf\u00e9.md");
    const sent: string[] = [];
    const line = await make(mailer(sent), files, ["cafe\u0301.md"], { approvedFiles: bound[0] ?? [] });
    expect([line.type, sent]).toEqual(["settled", ["hello"]]);
  });

  test("fails without an approval when a file is missing or may not be read", async () => {
    const files = fakeFiles();
    for (const name of ["nowhere.md", "../a.md", ".env"]) {
      const line = await make(mailer([]), files, [name], { mode: "bind", approvedFiles: [] });
      expect(line).toMatchObject({ type: "settled", outcome: { state: "failed", result: { ok: false } } });
    }
  });

  test("sends the approved bytes, and equal bytes that were written again", async () => {
    const [sent, files] = [[] as string[], fakeFiles()];
    await put(files, "a.md", "hello");
    const approvedFiles = boundIn(await make(mailer(sent), files, ["a.md"], { mode: "bind", approvedFiles: [] }));
    await put(files, "a.md", "other");
    await put(files, "a.md", "hello");
    const line = await make(mailer(sent), files, ["a.md"], { approvedFiles });
    expect([line.type, sent]).toEqual(["settled", ["hello"]]);
  });

  test.each(["before it runs", "while it runs"] as const)("sends nothing when a file changed %s", async (when) => {
    const [sent, files] = [[] as string[], fakeFiles()];
    await put(files, "a.md", "hello");
    let starts = 0;
    const change = async () => await put(files, "a.md", "other");
    const tool = mailer(sent, async () => {
      starts += 1;
      if (when === "while it runs") await change();
    });
    const approvedFiles = boundIn(await make(tool, files, ["a.md"], { mode: "bind", approvedFiles: [] }));
    if (when === "before it runs") await change();
    const [{ hash } = { hash: "" }] = boundIn(await make(tool, files, ["a.md"], { approvedFiles }));
    expect([hash === approvedFiles[0]?.hash, sent]).toEqual([false, []]);
    expect(starts).toBe(when === "while it runs" ? 1 : 0);
  });

  test("that a person retries reports other content, and sends what is approved then", async () => {
    const [sent, files] = [[] as string[], fakeFiles()];
    await put(files, "a.md", "hello");
    const retry = { attempt: 2, isRetry: true } as const;
    const first = boundIn(await make(mailer(sent), files, ["a.md"], { mode: "bind", approvedFiles: [] }));
    await put(files, "a.md", "other");
    const second = boundIn(await make(mailer(sent), files, ["a.md"], { ...retry, approvedFiles: first }));
    expect([second[0]?.hash === first[0]?.hash, sent]).toEqual([false, []]);
    const line = await make(mailer(sent), files, ["a.md"], { ...retry, approvedFiles: second });
    expect([line.type, sent]).toEqual(["settled", ["other"]]);
    const gone = await make(mailer(sent), fakeFiles(), ["a.md"], { ...retry, approvedFiles: second });
    expect(gone).toMatchObject({ type: "settled", outcome: { state: "unknown" } });
  });

  test("is unknown, and sends no other bytes, when it may have been sent before and a file changed since", async () => {
    const [sent, files] = [[] as string[], fakeFiles()];
    await put(files, "a.md", "hello");
    const approvedFiles = boundIn(await make(mailer(sent), files, ["a.md"], { mode: "bind", approvedFiles: [] }));
    await put(files, "a.md", "other");
    const line = await make(mailer(sent), files, ["a.md"], { approvedFiles, attempt: 2 });
    expect([line, sent]).toMatchObject([{ type: "settled", outcome: { state: "unknown" } }, []]);
  });

  test("never sends bytes without an approval, at any moment of a write", async () => {
    let mails = 0;
    await fc.assert(
      fc.asyncProperty(fc.integer(), async (seed) => {
        const draw = drawsFrom(seed);
        const [sent, files] = [[] as string[], fakeFiles()];
        const disturb = async () => {
          if (draw() < 0.5) await put(files, draw() < 0.5 ? "a.md" : "b.md", `text ${Math.floor(draw() * 3)}`);
        };
        await put(files, "a.md", "text 0");
        await put(files, "b.md", "text 1");
        const tool = mailer(sent, disturb);
        let approved: readonly BoundFile[] | null = null;
        for (let rounds = 0; rounds < 20 && sent.length === 0; rounds += 1) {
          await disturb();
          const more: Partial<RunnableCall> =
            approved === null ? { mode: "bind", approvedFiles: [] } : { approvedFiles: approved };
          const line = await make(tool, files, ["a.md", "b.md"], more);
          if (line.type === "bound") approved = line.files;
        }
        const digests = await Promise.all(
          sent.map(async (text) => {
            const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
            return Buffer.from(bytes).toString("hex");
          }),
        );
        mails += sent.length;
        if (sent.length > 0) expect(digests).toEqual(approved?.map(({ hash }) => hash));
      }),
      { numRuns: 100 },
    );
    expect(mails).toBeGreaterThan(0);
  });
});

describe("a task whose call names files", () => {
  const approval = { reason: "the policy asks.", expiresInMs: 60_000 };
  const sends = { approval, namesFiles: true, effect: "once", touches: [{ resource: "files", mode: "read" }] } as const;
  const writesFiles = { effect: "keyed", touches: [{ resource: "files", mode: "write" }] } as const;
  const file = (text: string): BoundFile => ({ path: "a.md", size: text.length, hash: text.padEnd(64, "0") });
  const hop = { step: 1, incarnation: "a" } as const;
  const done = confirmedOutcome({}, "done", 1);
  const decision = { type: "approval_decided", reason: null, by: "ana", request: null, revised: null } as const;

  /** A step that writes files and then sends one, before its approval. */
  function acting() {
    const state = startThinking();
    const calls = [preparedCall(state, 0, writesFiles), preparedCall(state, 1, sends)];
    const started = requestCalls(state, calls, 10);
    const [first, second] = calls.map(({ id }) => id);
    return { started, first: first ?? "", second: second ?? "" };
  }

  /** The approval of this content was requested. */
  function findBinding(text: string) {
    const { started, first, second } = acting();
    const settled = decide(started.state, { type: "call_settled", ...hop, callId: first, outcome: done }, 11).state;
    const bound = { type: "call_bound", ...hop, callId: second, arguments: {}, files: [file(text)] } as const;
    return { ...decide(settled, bound, 12), second };
  }

  test("is bound in the tool phase of the earlier call, in a list that an earlier release's runner does not read", () => {
    const { started, first, second } = acting();
    expect(started.work).toMatchObject({
      calls: [{ callId: first, mode: "run" }],
      later: [{ callId: second, mode: "bind" }],
    });
    expect(toView(started.state).pending).toEqual([]);
    expect(started.events.some(({ type }) => type === "approval.requested")).toBe(false);
    const settled = decide(started.state, { type: "call_settled", ...hop, callId: first, outcome: done }, 11).state;
    const ended = decide(settled, { type: "runner_call_ended", ...hop }, 12).state;
    expect(findNextWake(ended, 12)).toBeGreaterThan(12);
    expect(wake(ended, "b", 5000).work).toMatchObject({ calls: [], later: [{ callId: second, mode: "bind" }] });
  });

  test("lists the files to approve, waits for nothing else, and runs with that content", () => {
    const { state, second, events } = findBinding("one");
    const { path, size, hash: sha256 } = file("one");
    const [pending] = toView(state).pending;
    expect(pending).toMatchObject({ kind: "approval", files: [{ path, size, sha256 }] });
    expect(events.find(({ type }) => type === "approval.requested")?.data["files"]).toEqual([{ path, size, sha256 }]);
    const id = pending?.kind === "approval" ? pending.id : "";
    const approved = decide(state, { ...decision, approval: id, decision: "approve" }, 20).state;
    expect(wake(approved, "b", 21).work).toMatchObject({ calls: [{ callId: second, mode: "run", attempt: 1 }] });
    expect(approved.batch[1]?.consent?.approved).toEqual([file("one")]);
  });

  test("publishes one hash of arguments and content everywhere, and another for other content", () => {
    const hashes = ["one", "two"].map((text) => {
      const { state, events } = findBinding(text);
      const [pending] = toView(state).pending.flatMap((one) => (one.kind === "approval" ? [one] : []));
      const decided = decide(state, { ...decision, approval: pending?.id ?? "", decision: "approve" }, 20).events;
      const published = [...events, ...decided].flatMap(({ type, data }) =>
        type.startsWith("approval.") ? [data["approved_hash"]] : [],
      );
      expect(published).toEqual([pending?.approved_hash, pending?.approved_hash]);
      expect(pending?.arguments_hash).toBe(
        toView(findBinding("one").state).pending.flatMap((one) =>
          one.kind === "approval" ? [one.arguments_hash] : [],
        )[0],
      );
      return pending?.approved_hash;
    });
    expect(new Set(hashes).size).toBe(2);
  });

  test("requests another approval under another id when the content changed, and has no attempt", () => {
    const first = findBinding("one");
    const [{ id } = { id: "" }] = toView(first.state).pending.flatMap((one) => (one.kind === "approval" ? [one] : []));
    const approved = decide(first.state, { ...decision, approval: id, decision: "approve" }, 20).state;
    const made = wake(approved, "b", 21).state;
    const files = [file("two")];
    const bound = {
      type: "call_bound",
      step: 1,
      incarnation: "b",
      callId: first.second,
      arguments: {},
      files,
    } as const;
    const again = decide(made, bound, 22);
    const [{ id: next, reason } = { id: "", reason: "" }] = toView(again.state).pending.flatMap((one) =>
      one.kind === "approval" ? [one] : [],
    );
    expect([next === id, next.startsWith(id)]).toEqual([false, true]);
    expect(reason).toContain("a.md changed after it was approved");
    expect(again.ledger).toEqual([{ kind: "attempt", callId: first.second, attempts: 0 }]);
    expect(decide(again.state, { ...decision, approval: id, decision: "approve" }, 23).refused?.code).toBe("conflict");
    const ended = decide(again.state, { type: "cancel", by: "ana" }, 24).state;
    expect(ended.batch[1]?.state).toBe("failed");
  });

  /** The call was approved and made, nobody knows whether it happened, a person wants it made again, and its file changed. */
  function retried() {
    const facts = { agent: { ...DEFAULT_AGENT, config: { ...DEFAULT_AGENT.config, on_unknown: "ask" as const } } };
    const started = startThinking(facts);
    const bind = requestCalls(started, [preparedCall(started, 0, sends)], 10).state;
    const [{ id: callId } = { id: "" }] = bind.batch;
    const report = (text: string, incarnation: string) =>
      ({ type: "call_bound", step: 1, incarnation, callId, arguments: {}, files: [file(text)] }) as const;
    const waiting = decide(bind, report("one", "a"), 11).state;
    const approved = decide(waiting, { ...decision, approval: approvalOf(waiting).id, decision: "approve" }, 20).state;
    const made = wake(approved, "b", 21).state;
    const outcome = unknownOutcome("t");
    const unknown = decide(made, { type: "call_settled", step: 1, incarnation: "b", callId, outcome }, 22).state;
    const wanted = decide(
      unknown,
      { type: "unknown_decided", callId, decision: "retry", by: "ana", request: null },
      23,
    );
    const again = wake(wanted.state, "c", 24);
    return { again, callId, changed: decide(again.state, report("two", "c"), 25) };
  }
  const approvalOf = (state: TaskState) => {
    const [approval] = toView(state).pending.flatMap((one) => (one.kind === "approval" ? [one] : []));
    return { id: approval?.id ?? "", reason: approval?.reason, files: approval?.files };
  };

  test("that a person retries needs a new approval when its file changed, and then runs", () => {
    const { again, callId, changed } = retried();
    expect(again.work).toMatchObject({ calls: [{ callId, mode: "run", attempt: 2, isRetry: true }] });
    expect(approvalOf(changed.state)).toMatchObject({
      reason: expect.stringContaining("a.md changed after it was approved"),
      files: [{ sha256: file("two").hash }],
    });
    // The first attempt may have happened.
    expect(changed.ledger).toEqual([{ kind: "attempt", callId, attempts: 1 }]);
    const approve = { ...decision, approval: approvalOf(changed.state).id, decision: "approve" } as const;
    const approved = decide(changed.state, approve, 30).state;
    const made = wake(approved, "d", 31);
    expect(made.work).toMatchObject({ calls: [{ callId, mode: "run", attempt: 2, isRetry: true }] });
    const settle = { type: "call_settled", step: 1, incarnation: "d", callId, outcome: done } as const;
    expect(decide(made.state, settle, 32).state.batch[0]?.state).toBe("confirmed");
    // A retry that is cut off is unknown, as the first attempt was.
    expect(toView(wake(made.state, "e", 5000).state).pending).toMatchObject([{ kind: "unknown", call_id: callId }]);
  });

  test.each(["refused", "expired"])("that a person retries is unknown when the new content is %s", (how) => {
    const { changed, callId } = retried();
    const refuse = { ...decision, approval: approvalOf(changed.state).id, decision: "refuse" } as const;
    const ended = how === "refused" ? decide(changed.state, refuse, 30) : wake(changed.state, "d", 100_000);
    expect(ended.ledger).toContainEqual(expect.objectContaining({ callId, state: "unknown" }));
  });

  test("to which a person added a file needs a new approval, with the same reason and lifetime, when it changes before the call", () => {
    const started = startThinking();
    const { namesFiles: _, ...plain } = sends;
    const waiting = requestCalls(started, [preparedCall(started, 0, plain)], 10).state;
    const [{ id, reason } = { id: "", reason: "" }] = toView(waiting).pending.flatMap((one) =>
      one.kind === "approval" ? [one] : [],
    );
    const [{ id: callId, argumentsHash: revisedFrom } = { id: "", argumentsHash: "" }] = waiting.batch;
    const revised = {
      revisedFrom,
      note: "",
      arguments: { names: ["a.md"] },
      argumentsHash: "e".repeat(64),
      files: [file("one")],
    };
    const edited = { ...decision, approval: id, decision: "approve", revised: { ...revised, effect: "once" } } as const;
    const approved = decide(waiting, edited, 20).state;
    expect(approved.batch[0]?.consent?.approved).toEqual([file("one")]);
    const made = wake(approved, "b", 21).state;
    const changed = {
      type: "call_bound",
      step: 1,
      incarnation: "b",
      callId,
      arguments: {},
      files: [file("two")],
    } as const;
    const again = decide(made, changed, 22).state;
    const [next] = toView(again).pending.flatMap((one) => (one.kind === "approval" ? [one] : []));
    expect([next?.id === id, next?.reason]).toEqual([false, `${reason} a.md changed after it was approved.`]);
    expect(next?.expires_at).toBe(new Date(22 + approval.expiresInMs).toISOString());
    expect(toView(wake(again, "c", 23).state).pending).toHaveLength(1);
  });

  test.each(["send_email", "attach_file", "run_command", "execute_command", "run_skill_script", "test.run"])(
    "of %s of version 5 requests another approval at once, and the earlier one is gone",
    (tool) => {
      const { state } = findBinding("one");
      const { facts, ...rest } = JSON.parse(JSON.stringify(state)) as TaskState;
      const [{ id } = { id: "" }] = toView(state).pending.flatMap((one) => (one.kind === "approval" ? [one] : []));
      const batch = rest.batch.map(({ consent: _, ...one }) => ({ ...one, tool }));
      const read = readState(facts, { ...rest, v: 5, batch });
      expect([read.phase.name, findNextWake(read, 30)]).toEqual(["prepared", 30]);
      const refused = decide(read, { ...decision, approval: id, decision: "approve" }, 30).refused;
      expect(refused).toMatchObject({ code: "gone", message: expect.stringContaining("requested again") });
      expect(wake(read, "b", 31).work).toMatchObject({ calls: [], later: [{ mode: "bind" }] });
      const other = readState(facts, { ...rest, v: 5, batch: batch.map((one) => ({ ...one, tool: "http_request" })) });
      expect([other.phase.name, toView(other).pending.length]).toEqual(["parked", 1]);
    },
  );
});
