/** The order of calls of one step that share a resource. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findUnblocked, type OrderedCall } from "../../../core/task/call-order.ts";
import { findTouches } from "../../../core/gateway/touches.ts";
import { scheduleCalls } from "../../../core/steps/schedule-calls.ts";
import { deriveCallId, parseCallId } from "../../../core/base/ids.ts";
import { confirmedOutcome } from "../../../core/task/ledger.ts";
import type { RunnableCall } from "../../../core/task/decision.ts";
import { getStatus } from "../../../core/task/status.ts";
import { decide } from "../../../core/task/task.ts";
import type { Touch } from "../../../core/tool/tool.ts";
import { catalogue } from "../../../tools/catalogue.generated.ts";
import { drawsFrom, createEnding, toView, shuffled } from "./play-task.ts";
import { crashing } from "./faults.ts";
import { ASK, answer, call, DISPATCH, factsOf, type ScriptedCall, TaskWorld } from "./world.ts";

const reads: readonly Touch[] = [{ resource: "files", mode: "read" }];
const writes: readonly Touch[] = [{ resource: "files", mode: "write" }];
const adds: readonly Touch[] = [{ resource: "files", mode: "add" }];
const elsewhere: readonly Touch[] = [{ resource: "memory", mode: "write" }];
const both: readonly Touch[] = [...writes, { resource: "server:crm.example", mode: "read" }];
const touching = (touches: readonly Touch[], one: ScriptedCall = call("keyed")): ScriptedCall => ({ ...one, touches });
const idOf = (index: number) => deriveCallId(factsOf().id, 1, index);

describe("calls that no earlier call blocks", () => {
  test.each<[string, (readonly Touch[])[], number[]]>([
    ["readers of one resource", [reads, reads, reads], [0, 1, 2]],
    ["a writer, without the calls after it", [writes, reads, writes], [0]],
    ["readers, without the writer and the reader after them", [reads, reads, writes, reads], [0, 1]],
    ["calls that add, without the reader and the writer after them", [adds, adds, reads, writes, elsewhere], [0, 1, 4]],
    ["a reader, without what is added after it", [reads, adds, reads], [0]],
    ["calls that touch other resources", [writes, elsewhere, writes, []], [0, 1, 3]],
    ["no call that a blocked call blocks", [writes, both, [{ resource: "server:crm.example", mode: "write" }]], [0]],
  ])("are %s", (_, touches, free) => {
    const calls = touches.map((one, index) => ({ index, touches: one }));
    expect(findUnblocked(calls).map(({ index }) => index)).toEqual(free);
  });

  test("are none that names files behind an open subtask, and every other subtask", () => {
    const subtask = { dispatches: true };
    const named = { namesFiles: true, touches: reads };
    const free = (calls: readonly OrderedCall[]) => findUnblocked(calls).map((each) => calls.indexOf(each));
    expect(free([named, subtask, { ...subtask }, { touches: reads }])).toEqual([0, 1, 2, 3]);
    expect(free([subtask, named, { ...subtask }, { touches: writes }, { touches: elsewhere }])).toEqual([0, 2, 4]);
  });

  test("exclude a call that names files after one that may change them, even if it touches nothing else", () => {
    for (const touches of [adds, writes])
      expect(findUnblocked<OrderedCall>([{ touches }, { namesFiles: true }, { touches: elsewhere }])).toHaveLength(2);
    expect(findUnblocked<OrderedCall>([{ touches: reads }, { namesFiles: true }])).toHaveLength(2);
  });
});

describe("the runner", () => {
  const anyTouches = fc.subarray([
    { resource: "files", mode: "read" },
    { resource: "files", mode: "write" },
    { resource: "files", mode: "add" },
    { resource: "memory", mode: "read" },
    { resource: "memory", mode: "write" },
    { resource: "server:a", mode: "write" },
  ] as const);

  test("keeps the model's order for calls that share a written resource, and runs others at once, at most five", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyTouches, { maxLength: 14 }), fc.integer(), async (touches, seed) => {
        const draw = drawsFrom(seed);
        const all = touches.map((one, index): RunnableCall => {
          const id = idOf(index);
          const row = { tool: "t", arguments: {}, argumentsHash: "h", effect: "once", key: id } as const;
          return { callId: id, mode: "run", attempt: 1, ...row, touches: one };
        });
        const stored = Math.floor(draw() * (all.length + 1));
        const log: [start: boolean, index: number][] = [];
        const running = new Map<number, () => void>();
        const lines = scheduleCalls({ calls: all.slice(0, stored), later: all.slice(stored) }, 5, {
          async make({ callId: id }) {
            const index = parseCallId(id)?.index ?? -1;
            log.push([true, index]);
            await new Promise<void>((resolve) => running.set(index, resolve));
            return { type: "settled", callId: id, outcome: confirmedOutcome({}, "done", 1) };
          },
          isSettledBy: () => true,
          giveTurn: async () => undefined,
        });
        for (let next = lines.next(true); ; next = lines.next(true)) {
          const isWaiting = await Promise.race([
            next.then(() => false),
            new Promise<boolean>((resolve) => setImmediate(() => resolve(true))),
          ]);
          expect(running.size).toBeLessThanOrEqual(5);
          const open = all.filter((_one, index) => !log.some(([start, at]) => !start && at === index));
          const started = new Set(log.map(([, index]) => index));
          const idle = findUnblocked(open).filter(({ callId: id }) => !started.has(parseCallId(id)?.index ?? -1));
          if (isWaiting) expect(running.size === 5 || idle.length === 0).toBe(true);
          const [ends] = shuffled([...running.keys()], draw);
          if (ends !== undefined) {
            log.push([false, ends]);
            running.get(ends)?.();
            running.delete(ends);
          }
          if ((await next).done === true) break;
        }
        expect(log.filter(([start]) => start)).toHaveLength(all.length);
        for (const [later, its] of touches.entries()) {
          for (const [earlier, others] of touches.slice(0, later).entries()) {
            const isShared = its.some((one) =>
              others.some(
                (other) =>
                  one.resource === other.resource &&
                  ([one.mode, other.mode].includes("write") || one.mode !== other.mode),
              ),
            );
            if (!isShared) continue;
            const began = log.findIndex(([start, index]) => start && index === later);
            const ended = log.findIndex(([start, index]) => !start && index === earlier);
            expect(began).toBeGreaterThan(ended);
          }
        }
      }),
      { numRuns: 100 },
    );
  });

  test("does not make the calls that follow a call which waits for a person", async () => {
    const made: string[] = [];
    const row = { tool: "t", arguments: {}, argumentsHash: "h", effect: "none", mode: "run", attempt: 1 } as const;
    const calls = [writes, reads, elsewhere].map((touches, index): RunnableCall => {
      return { callId: idOf(index), key: idOf(index), ...row, touches };
    });
    const lines = scheduleCalls({ calls }, 5, {
      async make({ callId: id }) {
        made.push(id);
        return { type: "settled", callId: id, outcome: confirmedOutcome({}, "asked", 1) };
      },
      isSettledBy: () => false,
      giveTurn: async () => undefined,
    });
    for (let next = await lines.next(true); next.done !== true; ) next = await lines.next(true);
    expect(made).toEqual([idOf(0), idOf(2)]);
  });
});

describe("a task", () => {
  const kinds = fc.constantFrom(
    touching(reads, call("none")),
    touching(writes),
    touching(writes, call("once")),
    touching(writes, call("probe")),
    touching(elsewhere),
    touching(both, call("once")),
    touching(adds, call("none")),
    { ...touching(adds), namesFiles: true },
    call("once"),
  );

  test("never starts a call while an earlier one of its step with the same resource is open, with or without crashes", () => {
    fc.assert(
      fc.property(fc.array(kinds, { minLength: 2, maxLength: 12 }), fc.integer(), (script, seed) => {
        const world = new TaskWorld([script], crashing(drawsFrom(seed), seed % 3 === 0 ? 0 : 0.08));
        world.run();
        expect(getStatus(world.state)).toBe("completed");
        for (const [id, open] of world.startedAfter) {
          const position = parseCallId(id)?.index ?? -1;
          for (const other of open) {
            if ((parseCallId(other)?.index ?? -1) < position) expect(world.mustFollow(id, other)).toBe(false);
          }
        }
        for (const row of world.ledger.values()) {
          expect(["confirmed", "unknown"]).toContain(row.state);
          if (row.state === "confirmed") expect([row.callId, row.attempts > 0]).toEqual([row.callId, true]);
        }
      }),
      { numRuns: 300 },
    );
  });

  const dispatch: ScriptedCall = { ...call("none", DISPATCH), tool: "dispatch_subagent" };
  const sends: ScriptedCall = { ...touching(reads, call("once")), namesFiles: true };

  test("runs a call that names files after the earlier subtasks ended, which run together", () => {
    for (const early of [false, true]) {
      const world = new TaskWorld([
        [{ ...dispatch, early }, dispatch, call("keyed"), sends, dispatch, touching(writes)],
      ]);
      world.run();
      expect(world.ran.map(({ callId: id }) => id)).toEqual([idOf(2)]);
      const made = [...world.subtasks.values()].map(({ made: its }) => its);
      expect(made.map(({ callId: id }) => id)).toEqual([0, 1, 4].map(idOf));
      const end = (index: number) =>
        world.apply({ type: "subtask_ended", ending: createEnding(made[index]?.facts.id ?? "", {}) });
      end(0);
      world.run();
      expect(world.ran).toHaveLength(1);
      end(1);
      world.run();
      // The last subtask is behind the call.
      expect(world.ran.map(({ callId: id }) => id)).toEqual([2, 3, 5].map(idOf));
      end(2);
      world.run();
      expect(getStatus(world.state)).toBe("completed");
    }
  });

  test("ends with subtasks and calls that name files in any order, with or without crashes", () => {
    const anyCall = fc.constantFrom(dispatch, sends, { ...dispatch, asks: true }, touching(writes), call("keyed"));
    fc.assert(
      fc.property(fc.array(anyCall, { minLength: 2, maxLength: 8 }), fc.integer(), (script, seed) => {
        const world = new TaskWorld([script], crashing(drawsFrom(seed), seed % 3 === 0 ? 0 : 0.05));
        world.afterMade = ({ facts }) => world.apply({ type: "subtask_ended", ending: createEnding(facts.id, {}) });
        for (let rounds = 0; rounds < 20 && getStatus(world.state) !== "completed"; rounds += 1) {
          world.run(world.now + 100_000);
          for (const wait of toView(world.state).pending) {
            const by = { reason: null, by: "ana", request: null, revised: null } as const;
            if (wait.kind === "approval")
              world.apply({ type: "approval_decided", approval: wait.id, decision: "approve", ...by });
          }
        }
        expect(getStatus(world.state)).toBe("completed");
        for (const [id, open] of world.startedAfter) {
          const position = parseCallId(id)?.index ?? -1;
          for (const other of open)
            if ((parseCallId(other)?.index ?? -1) < position) expect(world.mustFollow(id, other)).toBe(false);
        }
      }),
      { numRuns: 200 },
    );
  });

  test("holds the calls that follow a call which a person has to approve, and runs the others", () => {
    const asks = { ...touching(reads, call("once")), asks: true };
    const world = new TaskWorld([[asks, touching(writes), call("keyed"), touching(reads, call("none"))]]);
    world.run(1000);
    expect(world.state.phase.name).toBe("parked");
    expect(world.ran.map(({ callId: id }) => id).sort()).toEqual([idOf(2)]);
    const approval = toView(world.state).pending.find(({ kind }) => kind === "approval");
    const decision = { type: "approval_decided", revised: null, reason: null, by: "ana", request: null } as const;
    const id = approval?.kind === "approval" ? approval.id : "";
    world.apply({ ...decision, approval: id, decision: "approve" });
    world.run();
    expect(world.ran.map(({ callId: made }) => made)).toEqual([2, 0, 1, 3].map(idOf));
    expect(getStatus(world.state)).toBe("completed");
  });

  test.each(["refused", "expired"] as const)("releases them when the approval is %s", (how) => {
    const asks = { ...touching(writes, call("once")), asks: true };
    const world = new TaskWorld([[asks, touching(writes)]]);
    world.run(1000);
    expect(world.ran).toEqual([]);
    const [pending] = toView(world.state).pending;
    if (how === "refused" && pending?.kind === "approval") {
      const by = { reason: null, by: "ana", request: null, revised: null } as const;
      world.apply({ type: "approval_decided", approval: pending.id, decision: "refuse", ...by });
    }
    world.run();
    expect(world.ran.map(({ callId: made }) => made)).toEqual([idOf(1)]);
    expect(getStatus(world.state)).toBe("completed");
  });

  test("holds them while a call that asked a person waits for the answer", () => {
    const question = touching(writes, call("none", ASK));
    const world = new TaskWorld([[question, touching(reads, call("none"))]]);
    world.run(1000);
    expect([world.state.phase.name, world.ran]).toEqual(["parked", []]);
    const [pending] = toView(world.state).pending;
    world.apply(answer(pending?.kind === "question" ? pending.id : ""));
    world.run();
    expect(world.ran.map(({ callId: made }) => made)).toEqual([idOf(1)]);
    expect(world.ledger.get(idOf(1))?.attempts).toBe(1);
  });

  test("refuses the start of a call that an earlier one blocks", () => {
    const world = new TaskWorld([[touching(writes), touching(writes)]]);
    let acting = world.state;
    world.afterStored = (state) => {
      if (state.phase.name === "acting" && acting.phase.name !== "acting") acting = state;
    };
    world.run();
    const incarnation = acting.phase.name === "acting" ? acting.phase.incarnation : "";
    const command = { type: "calls_starting", step: 1, incarnation, callIds: [idOf(1)] } as const;
    expect(decide(acting, command, 5).state.batch.map(({ attempts }) => attempts)).toEqual([1, 0]);
  });
});

test("built-in tools touch the expected resources", () => {
  const touched = catalogue.map((tool) => {
    const [example] = tool.examples;
    const given = tool.input.parse(example?.given);
    const facts = { idempotentHosts: [], skills: [], mailKeyedForMs: 86_400_000 };
    const effect = typeof tool.effect === "function" ? tool.effect(given as never, facts) : tool.effect;
    const touches = findTouches(tool, given, effect).map(({ resource, mode }) => `${mode} ${resource}`);
    return [tool.name, touches.join(", ")] as const;
  });
  const byTouch = Object.groupBy(touched, ([, touches]) => touches);
  const namesOf = (touches: string) => (byTouch[touches] ?? []).map(([name]) => name).sort();
  expect(namesOf("write files")).toEqual([
    "convert_markdown_to_docx",
    "convert_markdown_to_pptx",
    "create_directory",
    "create_docx",
    "create_pdf",
    "create_pptx",
    "create_xlsx",
    "delete_file",
    "execute_command",
    "fs.write",
    "run_command",
    "run_skill_script",
    "test.run",
    "write_file",
  ]);
  expect(namesOf("read files")).toEqual([
    "add_to_knowledge",
    "attach_file",
    "find_files",
    "fs.read",
    "grep",
    "list_directory",
    "read_document",
    "read_file",
    "search_in_files",
    "send_email",
  ]);
  expect([namesOf("write memory"), namesOf("read memory")]).toEqual([["memory_save"], ["memory_search"]]);
  expect(namesOf("write connection:slack")).toEqual(["slack.notify"]);
  expect(namesOf("")).toContain("http_request");
});
