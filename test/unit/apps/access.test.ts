import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type AccessQuestion,
  APP_LEVELS,
  type AppAssignment,
  decideAccess,
} from "../../../core/apps/workspace/access.ts";
import { CONNECT_REASONS } from "../../../core/connections/account.ts";

const ACTION = "GMAIL_SEND_EMAIL";
const ASSIGNED: AppAssignment = { app: "gmail", isActive: true, level: "full", actions: [] };
const ALLOWED: AccessQuestion = {
  app: "gmail",
  action: ACTION,
  known: { status: "active", effect: "probe" },
  refusal: null,
  permissions: new Map(),
  assignments: [ASSIGNED],
  added: new Map([["gmail", new Set([ACTION])]]),
  gate: { decision: "ask", because: "the request does not ask for it" },
  account: null,
};

/** One refusal of each rule, in their order. */
const REFUSALS: readonly (readonly [reason: string, change: Partial<AccessQuestion>])[] = [
  ["unknown", { known: null }],
  ["inactive", { known: { status: "removed", effect: "probe" } }],
  ["permission", { refusal: "This agent may not use the tool. Use another one." }],
  ["permission", { permissions: new Map([[ACTION, false]]) }],
  ["not_assigned", { assignments: [{ ...ASSIGNED, isActive: false }] }],
  ["not_connected", { account: "missing" }],
  ["read_only", { assignments: [{ ...ASSIGNED, level: "read_only" }] }],
  ["not_assigned", { assignments: [{ ...ASSIGNED, level: "list", actions: ["GMAIL_FETCH_EMAILS"] }] }],
  ["not_enabled", { added: new Map([["gmail", new Set<string>()]]) }],
  ["outside_request", { gate: { decision: "deny", because: "the request does not ask for it" } }],
  ["not_connected", { account: "expired" }],
];

describe("access", () => {
  test("yes, if nothing refuses", () => {
    expect(decideAccess(ALLOWED)).toEqual({ may: true });
    const list = { ...ASSIGNED, level: "list" as const, actions: [ACTION] };
    expect(decideAccess({ ...ALLOWED, assignments: [list] })).toEqual({ may: true });
    const reading = { known: { status: "active" as const, effect: "none" as const } };
    const readOnly = { ...ASSIGNED, level: "read_only" as const };
    expect(decideAccess({ ...ALLOWED, ...reading, assignments: [readOnly] })).toEqual({ may: true });
  });

  test.each(REFUSALS)("%s, with one sentence, and one on what to do", (reason, change) => {
    const access = decideAccess({ ...ALLOWED, ...change });
    expect(access).toMatchObject({ may: false, reason });
    expect("why" in access ? access.why : "").toMatch(/^[^.]{20,}\. (?:Ask|Use) [^.]+\.$/);
  });

  test("the earlier rule answers", () => {
    for (const [earlier, [reason, first]] of REFUSALS.entries())
      for (const [, second] of REFUSALS.slice(earlier + 1))
        expect(decideAccess({ ...ALLOWED, ...second, ...first })).toMatchObject({ reason });
  });

  test("without assignments every added app, with all of them off none", () => {
    expect(decideAccess({ ...ALLOWED, assignments: [] })).toEqual({ may: true });
    expect(decideAccess({ ...ALLOWED, assignments: [], added: new Map() })).toMatchObject({ reason: "not_assigned" });
    const others = [{ ...ASSIGNED, app: "slack" }];
    expect(decideAccess({ ...ALLOWED, assignments: others })).toMatchObject({ reason: "not_assigned" });
  });

  test("every reason of an account has a sentence", () => {
    const sentences = CONNECT_REASONS.map((account) => decideAccess({ ...ALLOWED, account }));
    for (const access of sentences) expect("why" in access ? access.why : "").toContain(". Ask ");
    expect(new Set(sentences.map((access) => ("why" in access ? access.why : ""))).size).toBe(CONNECT_REASONS.length);
  });

  test("all combinations: yes only if every layer agrees", () => {
    const bool = fc.boolean();
    const layers = fc.record({
      isKnown: bool,
      isRemoved: bool,
      isReading: bool,
      isRefused: bool,
      isOff: bool,
      isEnabled: bool,
      isDenied: bool,
      level: fc.constantFrom(...APP_LEVELS),
      isListed: bool,
      isActive: bool,
      hasAssignments: bool,
      account: fc.constantFrom(null, ...CONNECT_REASONS),
    });
    fc.assert(
      fc.property(layers, (layer) => {
        const assignment = {
          app: "gmail",
          isActive: layer.isActive,
          level: layer.level,
          actions: layer.isListed ? [ACTION] : [],
        };
        const access = decideAccess({
          app: "gmail",
          action: ACTION,
          known: layer.isKnown
            ? { status: layer.isRemoved ? "removed" : "active", effect: layer.isReading ? "none" : "probe" }
            : null,
          refusal: layer.isRefused ? "Refused." : null,
          permissions: new Map(layer.isOff ? [[ACTION, false]] : []),
          assignments: layer.hasAssignments ? [assignment] : [],
          added: new Map([["gmail", new Set(layer.isEnabled ? [ACTION] : [])]]),
          gate: { decision: layer.isDenied ? "deny" : "allow", because: "it is outside" },
          account: layer.account,
        });
        const isAssigned =
          !layer.hasAssignments ||
          (layer.isActive && (layer.level === "full" || (layer.level === "list" ? layer.isListed : layer.isReading)));
        const may =
          layer.isKnown && !layer.isRemoved && !layer.isRefused && !layer.isOff && isAssigned && layer.isEnabled;
        expect(access.may).toBe(may && !layer.isDenied && layer.account === null);
      }),
      { numRuns: 500 },
    );
  });
});
