/** A delivery to Slack: which messages it changes, posts and shares, and that a crash in between repeats none. */
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Delivery, DeliveryKind, SendResult } from "../../../../core/channels/outbox/delivery.ts";
import type { OutMessage } from "../../../../core/channels/outbox/message.ts";
import { MAX_ANSWER_MESSAGES, planDelivery } from "../../../../core/channels/slack/plan.ts";
import { parseSlackDestination } from "../../../../core/channels/outbox/slack-destination.ts";
import type { SlackPort } from "../../../../core/ports/slack.ts";
import { failed, maybeSent, notSent } from "../../../../core/base/errors.ts";
import type { OutputFile } from "../../../../core/task/view.ts";
import type { JsonState } from "../../../../core/tool/tool.ts";
import { sendParts } from "../../../../workers/channels/slack/send-parts.ts";
import { fakeFiles } from "../../../fakes/files.ts";
import { type FakeSlack, fakeSlack } from "../../../fakes/slack.ts";
import { outMessage } from "../../../setup/out-message.ts";

const MESSAGE = outMessage({ text: "The answer.", title: "An answer" });
const WORKSPACE = {
  team: "T1",
  channels: [
    { id: "C1", name: "general", isOpen: true },
    { id: "C2", name: "old", isOpen: false },
  ],
  users: [{ id: "U1", team: "T1", name: "Ana", email: null, timeZone: null, isBot: false }],
};

function delivery(message: Partial<OutMessage> = {}, more: Partial<Delivery> = {}): Delivery {
  return {
    id: "dlv_1",
    tenant: "ten_1",
    channel: "slack",
    to: "T1/C1",
    kind: "result",
    task: "task_1",
    about: null,
    content: { ...MESSAGE, ...message },
    lane: "T1/C1",
    slot: null,
    keepAs: null,
    refs: [],
    notBefore: 0,
    otherwise: [],
    createdAt: 0,
    ...more,
  };
}

async function filesWith(...paths: string[]) {
  const files = fakeFiles(() => 0);
  for (const path of paths) await files.write(path, new TextEncoder().encode(`bytes of ${path}`), { key: path });
  return files;
}

async function send(
  slack: SlackPort,
  sent: Delivery,
  {
    refs = {},
    mayBeThere = false,
    until = Infinity,
    files = fakeFiles(() => 0),
  }: {
    refs?: Record<string, JsonState>;
    mayBeThere?: boolean;
    until?: number;
    files?: ReturnType<typeof fakeFiles>;
  } = {},
): Promise<SendResult> {
  const place = parseSlackDestination(sent.to);
  if (place === null) throw new Error(`${sent.to} is no place`);
  const parts = planDelivery(sent, { refs });
  const parcel = { id: sent.id, place, parts, since: sent.createdAt, mayBeThere, until };
  return await sendParts({ slack, files }, parcel);
}

/** The texts in the workspace, with the titles of shared files. */
function seen({ messages }: FakeSlack): string[] {
  return messages.map(({ text, files }) => files[0]?.title ?? text);
}

/** A port that answers call number n by `fate`; `lost`: it takes effect, and the process ends. */
function breaking(slack: SlackPort, at: number, fate: "lost" | "before"): SlackPort {
  let calls = 0;
  return new Proxy(slack, {
    get(target, name: keyof SlackPort) {
      const method = target[name] as (...given: unknown[]) => Promise<unknown>;
      return async (...given: unknown[]) => {
        calls += 1;
        if (calls !== at) return await method.apply(target, given);
        if (fate === "lost") await method.apply(target, given);
        throw new Error("the process ends");
      };
    },
  });
}

const OUT = (path: string) => ({ path, size: 1, content_type: "text/plain" });

describe("a result", () => {
  it("closes the progress message, then answers below it, then shares the files", async () => {
    const fake = fakeSlack(WORKSPACE);
    const startedAt = await fake.slack.post({ channel: "C1", thread: null, text: "Working…", blocks: [], key: "p" });
    const ts = startedAt.ok ? startedAt.value.ts : "";
    const result = delivery({ files: [OUT("out/a.csv")] }, { to: `T1/C1/${ts}`, refs: ["progress"] });
    const files = await filesWith("out/a.csv");
    const sent = await send(fake.slack, result, { refs: { progress: { channel: "C1", ts } }, files });
    expect(sent).toMatchObject({ kind: "sent", ref: { channel: "C1" } });
    expect(seen(fake)).toEqual(["Finished: see below, with a file.", "The answer.", "out/a.csv"]);
    expect(fake.messages.slice(1).every(({ thread }) => thread === ts)).toBe(true);
  });

  it.each(["T1/C1", "T1/#general", "T1/U1"])("to %s starts a thread with the rest of it", async (to) => {
    const fake = fakeSlack(WORKSPACE);
    const text = Array.from({ length: 40 }, (_, index) => `Paragraph ${index}. ${"word ".repeat(100)}`).join("\n\n");
    expect(await send(fake.slack, delivery({ text }, { to }))).toMatchObject({ kind: "sent" });
    const [first, ...rest] = fake.messages;
    expect(rest.length).toBeGreaterThan(0);
    expect(first?.thread).toBeNull();
    expect(rest.every(({ thread }) => thread === first?.ts)).toBe(true);
  });

  it("that is very long is also attached as a file", async () => {
    const fake = fakeSlack(WORKSPACE);
    await send(fake.slack, delivery({ text: "A long line of words.\n\n".repeat(6_000) }));
    expect(fake.messages).toHaveLength(MAX_ANSWER_MESSAGES + 2);
    expect(fake.messages.at(-1)?.files).toEqual([{ title: "The whole answer", size: 6_000 * 23 }]);
  });

  it("uploads the attached content, not the present one, and no deleted file", async () => {
    const fake = fakeSlack(WORKSPACE);
    const files = await filesWith("a.txt", "b.txt", "c.txt");
    const attached = await Promise.all(
      ["a.txt", "b.txt", "c.txt"].map(async (path): Promise<OutputFile> => {
        const found = await files.stat(path);
        if (!found.ok) throw new Error(path);
        const { size, hash, contentType } = found.value;
        // A file that an earlier release attached has no hash.
        return { path, size, content_type: contentType, ...(path === "c.txt" ? {} : { sha256: hash }) };
      }),
    );
    for (const path of ["a.txt", "c.txt"])
      await files.write(path, new TextEncoder().encode("other"), { key: `2${path}` });
    await files.remove("b.txt", { key: "remove" });
    const uploaded: string[] = [];
    const slack: SlackPort = {
      ...fake.slack,
      upload: async (file) => {
        uploaded.push(new TextDecoder().decode(file.bytes));
        return await fake.slack.upload(file);
      },
    };
    expect(await send(slack, delivery({ files: attached }), { files })).toMatchObject({ kind: "sent" });
    expect(uploaded).toEqual(["bytes of a.txt", "other"]);
    expect(seen(fake).at(-1)).toContain("b.txt");
  });

  it("lists the files that could not be shared, and counts as sent", async () => {
    const fake = fakeSlack(WORKSPACE);
    const files = await filesWith("b.txt");
    const sent = await send(fake.slack, delivery({ files: [OUT("gone.txt"), OUT("b.txt")] }), { files });
    expect(sent).toMatchObject({ kind: "sent" });
    expect(seen(fake)).toEqual(["The answer.", "b.txt", expect.stringContaining("gone.txt")]);
  });

  it.each(["T1/C1", "T1/#general", "T1/C1/1.000001", "T1/U1"])(
    "to %s is posted once, in full, wherever a crash interrupts it",
    async (to) => {
      const text = "A paragraph of this answer.\n\n".repeat(600);
      const result = delivery({ text, files: [OUT("a.txt"), OUT("d/a.txt"), OUT("gone.txt")] }, { to });
      const files = await filesWith("a.txt", "d/a.txt");
      const whole = fakeSlack(WORKSPACE);
      await send(whole.slack, result, { files });
      for (const fate of ["lost", "before"] as const) {
        for (let at = 1; at <= 9; at += 1) {
          const fake = fakeSlack(WORKSPACE);
          const first = await send(breaking(fake.slack, at, fate), result, { files }).catch(() => null);
          const sent = first ?? (await send(fake.slack, result, { files, mayBeThere: true }));
          expect(sent).toMatchObject({ kind: "sent" });
          expect(seen(fake).toSorted()).toEqual(seen(whole).toSorted());
        }
      }
    },
  );

  it("waits as long as Slack requests, with the whole workspace, and continues where it was", async () => {
    const fake = fakeSlack(WORKSPACE);
    const text = "A paragraph of this answer.\n\n".repeat(600);
    let posts = 0;
    const slack: SlackPort = {
      ...fake.slack,
      async post(message) {
        posts += 1;
        if (posts === 2) return notSent("rate_limited", "Too much.", { retryAfterMs: 9_000 });
        return await fake.slack.post(message);
      },
    };
    expect(await send(slack, delivery({ text }))).toEqual({
      kind: "later",
      why: "Too much.",
      afterMs: 9_000,
      pausesAllMs: 9_000,
      mayBeInPart: true,
    });
    expect(await send(slack, delivery({ text }), { mayBeThere: true })).toMatchObject({ kind: "sent" });
    expect(new Set(fake.messages.map(({ key }) => key)).size).toBe(fake.messages.length);
    expect(fake.messages.length).toBeGreaterThan(1);
  });
});

describe("a delivery that takes longer than an attempt may", () => {
  afterEach(() => void vi.useRealTimers());

  it("leaves the rest to the next attempt, and shares each file once", async () => {
    const paths = Array.from({ length: 100 }, (_, index) => `out/${index}.txt`);
    const files = await filesWith(...paths);
    vi.useFakeTimers();
    const fake = fakeSlack(WORKSPACE);
    const slack: SlackPort = {
      ...fake.slack,
      async upload(file) {
        await new Promise((resolve) => setTimeout(resolve, 1_000));
        return await fake.slack.upload(file);
      },
    };
    const result = delivery({ files: paths.map(OUT) }, { createdAt: Date.now() });
    const attempt = async (mayBeThere: boolean) => {
      const startedAt = Date.now();
      const sent = send(slack, result, { files, mayBeThere, until: startedAt + 45_000 });
      const took = sent.then(() => Date.now() - startedAt);
      await vi.advanceTimersByTimeAsync(59_000);
      expect(await took).toBeLessThan(59_000);
      const there = fake.messages.length;
      await vi.advanceTimersByTimeAsync(120_000);
      expect(fake.messages, "nothing is shared once the attempt has ended").toHaveLength(there);
      return await sent;
    };
    const later = { kind: "later", mayBeInPart: true };
    expect(await attempt(false)).toMatchObject(later);
    expect(await attempt(true)).toMatchObject(later);
    expect(await attempt(true)).toMatchObject({ kind: "sent" });
    expect(seen(fake)).toEqual(["The answer.", ...paths]);
  });

  it("posts nothing after its time limit", async () => {
    const fake = fakeSlack(WORKSPACE);
    const sent = await send(fake.slack, delivery(), { until: Date.now() });
    expect([sent.kind, "mayBeInPart" in sent, seen(fake)]).toEqual(["later", false, []]);
  });
});

describe("a delivery", () => {
  it.each([
    ["takes no more", notSent("rate_limited", "Busy.", { retryAfterMs: 1_000 }), false],
    ["does not answer", maybeSent("upstream_failed", "Lost."), true],
  ])("says whether a part of it may be there when Slack %s", async (_what, answer, mayBeInPart) => {
    const slack: SlackPort = { ...fakeSlack(WORKSPACE).slack, post: async () => await Promise.resolve(answer) };
    const sent = await send(slack, delivery());
    expect([sent.kind, "mayBeInPart" in sent]).toEqual(["later", mayBeInPart]);
  });

  it("that dies after its first message says that a part of it is there", async () => {
    const fake = fakeSlack(WORKSPACE);
    const slack: SlackPort = {
      ...fake.slack,
      post: async (message) =>
        message.thread === null ? await fake.slack.post(message) : notSent("conflict", "Locked."),
    };
    const text = "A paragraph of this answer.\n\n".repeat(600);
    expect(await send(slack, delivery({ text }))).toEqual({ kind: "dead", why: "Locked.", mayBeInPart: true });
  });

  it.each([
    ["T1/C2", "archived"],
    ["T1/C9", "no such"],
  ])("to %s is dead, and says why", async (to, why) => {
    expect(await send(fakeSlack(WORKSPACE).slack, delivery({}, { to }))).toMatchObject({
      kind: "dead",
      why: expect.stringContaining(why),
    });
  });

  it("that may have been sent and cannot be looked up is not posted again", async () => {
    const fake = fakeSlack(WORKSPACE);
    const blind: SlackPort = {
      ...fake.slack,
      listOwnMessages: async () => await Promise.resolve(failed("forbidden", "No.")),
    };
    expect(await send(blind, delivery(), { mayBeThere: true })).toMatchObject({ kind: "unknown" });
    expect(fake.messages).toEqual([]);
  });

  it("is retried while a look-up is impossible", async () => {
    const away = async () => await Promise.resolve(maybeSent("upstream_failed", "Away."));
    const slack: SlackPort = { ...fakeSlack(WORKSPACE).slack, listOwnMessages: away };
    expect(await send(slack, delivery(), { mayBeThere: true })).toMatchObject({ kind: "later", why: "Away." });
  });
});

describe("progress", () => {
  it("is one message, which changes and loses its button at the end", async () => {
    const fake = fakeSlack(WORKSPACE);
    const kind: DeliveryKind = "progress";
    const first = await send(fake.slack, delivery({ text: "Working on it…", isOver: false }, { kind, refs: ["p"] }));
    const p = first.kind === "sent" ? first.ref : null;
    expect(JSON.stringify(fake.messages[0]?.blocks)).toContain('"otto:stop"');
    if (p === null) throw new Error("it was not sent");
    await send(fake.slack, delivery({ text: "Step 2", isOver: true }, { kind, refs: ["p"] }), { refs: { p } });
    expect(seen(fake)).toEqual(["Step 2"]);
    expect(JSON.stringify(fake.messages[0]?.blocks)).not.toContain("otto:stop");
  });
});

describe("a card", () => {
  it("loses its buttons when it is settled, and shows the decision and who made it", async () => {
    const fake = fakeSlack(WORKSPACE);
    const ask = {
      kind: "question",
      id: "qst_1",
      task: "task_1",
      person: null,
      choices: ["North", "South"],
      call: null,
      reason: null,
      expiresAt: null,
    } as const;
    const asked = await send(fake.slack, delivery({ text: "Which first?", ask }, { kind: "question" }));
    const card = asked.kind === "sent" ? asked.ref : null;
    if (card === null) throw new Error("it was not sent");
    expect(JSON.stringify(fake.messages[0]?.blocks)).toContain('"otto:choose:1"');
    const outcome = { text: "South", by: "Ana <!channel>" };
    const settled = delivery({ text: "Which first?", outcome }, { kind: "settled", refs: ["card"] });
    expect(await send(fake.slack, settled, { refs: { card } })).toMatchObject({ kind: "sent" });
    expect(seen(fake)).toEqual(["Which first?\n*South* — Ana &lt;!channel&gt;"]);
    expect(JSON.stringify(fake.messages[0]?.blocks)).not.toContain("otto:");
  });

  it("is settled with every reminder of it", async () => {
    const fake = fakeSlack(WORKSPACE);
    const refs: Record<string, JsonState> = {};
    for (const name of ["card", "reminder"]) {
      const posted = await send(fake.slack, delivery({ text: name }, { id: `dlv_${name}` }));
      if (posted.kind === "sent" && posted.ref !== null) refs[name] = posted.ref;
    }
    const outcome = { text: "Over", by: null };
    const settled = delivery(
      { text: "Which first?", outcome },
      { kind: "settled", refs: ["card", "none", "reminder"] },
    );
    expect(await send(fake.slack, settled, { refs })).toMatchObject({ kind: "sent" });
    expect(seen(fake)).toEqual(["Which first?\n*Over*", "Which first?\n*Over*"]);
  });

  it("that was never posted, or was deleted, is not settled", async () => {
    const fake = fakeSlack(WORKSPACE);
    const settled = delivery({ outcome: { text: "Over", by: null } }, { kind: "settled", refs: ["card"] });
    expect(await send(fake.slack, settled)).toMatchObject({ kind: "sent" });
    const gone = { card: { channel: "C1", ts: "1.000001" } };
    expect(await send(fake.slack, settled, { refs: gone })).toMatchObject({ kind: "sent" });
    expect(fake.messages).toEqual([]);
  });
});

describe("a destination", () => {
  it.each([
    "T1",
    "T1/",
    "C1",
    "T1/C1/x",
    "T1/U1/1.000001",
    "T1/#General Chat",
    "T1/C1/1.1/2",
    "../C1",
    "T1/#a/1.000001",
  ])("%s is invalid", (to) => {
    expect(parseSlackDestination(to)).toBeNull();
  });
});
