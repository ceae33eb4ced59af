import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CAPABILITY_GATES } from "../../../core/agents/agent.ts";
import { addGate, formatBlocked, type GatedAction, ruleGate } from "../../../core/apps/intent/gate.ts";
import { readIntent } from "../../../core/apps/intent/intent.ts";
import { judgeAction } from "../../../core/apps/effects/judge.ts";
import type { PolicyRuling } from "../../../core/gateway/policy.ts";

const gated = (action: string, tags: readonly string[] = []): GatedAction => ({
  action,
  ...judgeAction({ action, app: action.split("_")[0]?.toLowerCase() ?? "", title: "", description: "", tags }),
});

const SEND = readIntent(["send a message to #general"]);

describe("the capability gate", () => {
  test.each([
    ["enforce", gated("SLACK_SEND_MESSAGE"), "allow"],
    ["enforce", gated("SLACK_CREATE_CHANNEL"), "deny"],
    ["enforce", gated("SLACK_LIST_FILES", ["readOnlyHint"]), "deny"],
    ["enforce", gated("SPOTIFY_PLAY"), "deny"],
    ["ask", gated("SLACK_SEND_MESSAGE"), "allow"],
    ["ask", gated("SLACK_CREATE_CHANNEL"), "ask"],
    ["ask", gated("SLACK_LIST_FILES", ["readOnlyHint"]), "allow"],
    ["ask", gated("SLACK_DELETE_MESSAGE"), "deny"],
    ["ask", gated("SLACK_ARCHIVE_CHANNEL"), "deny"],
    ["ask", gated("SPOTIFY_PLAY"), "ask"],
    ["off", gated("SLACK_CREATE_CHANNEL"), "allow"],
    ["off", gated("SLACK_DELETE_MESSAGE"), "ask"],
  ] as const)("%s, “send a message”, %o: %s", (gate, action, decision) => {
    expect(ruleGate(gate, action, SEND).decision).toBe(decision);
  });

  test.each(CAPABILITY_GATES)("%s: a requested destructive action asks", (gate) => {
    const intent = readIntent(["Find the old messages and delete them"]);
    expect(ruleGate(gate, gated("SLACK_DELETE_MESSAGE"), intent).decision).toBe("ask");
    expect(ruleGate(gate, gated("SLACK_DELETE_MESSAGE"), readIntent(["run SLACK_DELETE_MESSAGE"])).decision).toBe(
      "ask",
    );
  });

  test("denies what it cannot judge", () => {
    const damaged = { action: "SLACK_SEND_MESSAGE", effect: "none", isDestructive: false } as unknown as GatedAction;
    const throwing = new Proxy(damaged, {
      get: () => {
        throw new Error("damaged");
      },
    });
    for (const gate of CAPABILITY_GATES) {
      expect(ruleGate(gate, damaged, SEND).decision).toBe("deny");
      expect(ruleGate(gate, throwing, SEND).decision).toBe("deny");
    }
    expect(ruleGate("unset" as never, gated("SLACK_SEND_MESSAGE"), SEND).decision).toBe("deny");
  });

  const DECISIONS = ["allow", "ask", "deny"] as const;

  test("all combinations: only adds to the policy, and a looser gate is never stricter", () => {
    const capabilities = fc.subarray(["message.send", "message.delete", "channel.create", "admin.read", "file.list"]);
    const effect = fc.constantFrom("none", "keyed", "probe", "once");
    const policy = fc.record({ decision: fc.constantFrom(...DECISIONS), because: fc.constant("the policy") });
    fc.assert(
      fc.property(
        fc.record({ action: fc.constantFrom("A_B", "C_D"), capabilities, effect, isDestructive: fc.boolean() }),
        fc.record({
          capabilities: capabilities.map((list) => new Set(list)),
          actions: fc.subarray(["A_B"]).map((list) => new Set(list)),
        }),
        policy,
        (action, intent, ruled) => {
          const strictness = (ruling: PolicyRuling) => DECISIONS.indexOf(ruling.decision);
          const [enforce, ask, off] = CAPABILITY_GATES.map((gate) => ruleGate(gate, action as GatedAction, intent));
          for (const ruling of [enforce, ask, off] as PolicyRuling[]) {
            const joined = addGate(ruled, ruling);
            expect(strictness(joined)).toBe(Math.max(strictness(ruled), strictness(ruling)));
            if (action.isDestructive) expect(ruling.decision).not.toBe("allow");
          }
          expect(strictness(enforce as PolicyRuling)).toBeGreaterThanOrEqual(strictness(ask as PolicyRuling));
          expect(strictness(ask as PolicyRuling)).toBeGreaterThanOrEqual(strictness(off as PolicyRuling));
        },
      ),
    );
  });

  test("says in one sentence what was blocked", () => {
    const action = gated("SLACK_CREATE_CHANNEL");
    expect(formatBlocked(action, ruleGate("enforce", action, SEND))).toBe(
      "Action not allowed for this intent: SLACK_CREATE_CHANNEL was not run, because the request does not ask for it. Ask a person if it is needed.",
    );
  });
});

describe("the intent of a request", () => {
  test.each([
    ["send a message to #general", "message.send", "channel.create"],
    ["Don't delete the channel, just read its messages", "message.read", "channel.delete"],
    ['Send "please delete the channel" to Bob', "message.send", "channel.delete"],
    ["List the merge requests", "pr.list", "pr.merge"],
    ["email Ana the file", "email.send", "file.create"],
    ["remove Ana from the channel", "user.remove", "channel.delete"],
    ["add a comment to issue #12", "issue.comment", "issue.create"],
    ["update the spreadsheet with new rows", "sheet.create", "sheet.delete"],
    ["cancel the meeting", "event.delete", "event.create"],
    ["what's on my calendar", "event.list", "event.create"],
    ["revoke the API key", "auth.revoke", "auth.token"],
  ])("%s: %s, not %s", (text, has, lacks) => {
    const { capabilities } = readIntent([text]);
    expect([capabilities.has(has), capabilities.has(lacks)]).toEqual([true, false]);
  });

  test.each(["reset my profile budget", "profile", "budget", "reset", ""])("“%s” is generic", (text) => {
    const { capabilities, isGeneric, confidence } = readIntent([text]);
    expect([isGeneric, confidence]).toEqual([true, 0]);
    expect([...capabilities]).toEqual(["data.query", "search.general", "message.read", "file.list"]);
  });

  test("reads every text, names and parts that are not understood", () => {
    const intent = readIntent(["Use GMAIL_SEND_EMAIL. Then play jazz.", "archive #random"]);
    expect([...intent.actions]).toEqual(["GMAIL_SEND_EMAIL"]);
    expect(intent.capabilities.has("channel.archive")).toBe(true);
    expect(intent.confidence).toBeLessThan(1);
  });

  test("any text is read", () => {
    const texts = fc.array(fc.string({ unit: "grapheme", maxLength: 200 }), { maxLength: 5 });
    fc.assert(
      fc.property(texts, (given) => {
        const { capabilities, confidence } = readIntent(given);
        expect(capabilities.size).toBeGreaterThan(0);
        expect(confidence).toBeLessThanOrEqual(1);
      }),
    );
    for (const piece of ['"', "`", "a@", "A_", "#a", "not "]) readIntent([piece.repeat(50_000)]);
  });
});
