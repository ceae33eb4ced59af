/** The rules of apps that a tenant added: default actions, enabling, overrides, and the tools that follow. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  findAction,
  getActionToolName,
  toAppTools,
  toOutsideTool,
} from "../../../core/apps/workspace/outside-tools.ts";
import {
  type ActionOverride,
  type AppConfiguration,
  chooseDefaultActions,
  enableActions,
  findOverride,
  formatConfiguration,
  MAX_DEFAULT_ACTIONS,
  overrideActions,
  parseConfiguration,
} from "../../../core/apps/workspace/workspace.ts";
import type { CatalogueAction } from "../../../core/ports/app-catalogue.ts";
import { SECURITY_LEVELS } from "../../../core/tool/tool.ts";
import { valueOf } from "../../contracts/value-of.ts";
import { makeSnapshot } from "../../fakes/catalogue-snapshot.ts";

const actionsOf = async (...given: (Partial<CatalogueAction> & { readonly action: string })[]) =>
  valueOf(await makeSnapshot([{ app: "mail", actions: given }]).actionsOf("mail"));
const APP = { isOpen: false };
const EMPTY: AppConfiguration = { enabledActions: [], overrides: {}, approved: {} };

const effects = fc.constantFrom("none" as const, "keyed" as const, "probe" as const, "once" as const);
const name = fc.string({ unit: fc.constantFrom("A", "B", "_", "7"), minLength: 1, maxLength: 90 });
const action = fc.record({
  action: name,
  effect: effects,
  security: fc.constantFrom(...SECURITY_LEVELS),
  isDestructive: fc.boolean(),
  schemaHash: fc.constantFrom("h1", "h2"),
  tags: fc.constantFrom<string[]>([], ["important"]),
});
const catalogue = fc.uniqueArray(action, { selector: (one) => one.action, maxLength: 150 });

describe("the default actions", () => {
  test("are all of a small app, else the important ones, else the first", () => {
    fc.assert(
      fc.property(catalogue, (all) => {
        const chosen = chooseDefaultActions(all);
        const important = all.filter(({ tags }) => tags.includes("important"));
        if (all.length <= MAX_DEFAULT_ACTIONS) expect(chosen).toEqual(all.map((one) => one.action));
        else if (important.length > 0) expect(chosen).toEqual(important.map((one) => one.action));
        else expect(chosen).toEqual(all.slice(0, MAX_DEFAULT_ACTIONS).map((one) => one.action));
      }),
    );
    const large = Array.from({ length: 120 }, (_, at) => ({ action: `A_${at}`, tags: [] }));
    expect(chooseDefaultActions(large)).toHaveLength(MAX_DEFAULT_ACTIONS);
  });
});

describe("enabling", () => {
  test("takes known actions alone, once, and never approves one again that was enabled before", () => {
    const known = [
      { action: "A", schemaHash: "new" },
      { action: "B", schemaHash: "b" },
    ];
    const before = {
      ...EMPTY,
      enabledActions: ["A"],
      approved: { A: "old" },
      overrides: { B: { effect: "once" as const } },
    };
    const after = valueOf(enableActions(known, ["B", "A", "B"], before));
    expect(after).toEqual({
      enabledActions: ["B", "A"],
      approved: { B: "b", A: "old" },
      overrides: { B: { effect: "once" } },
    });
    // Disabled and enabled again, it is approved as it is now.
    const without = valueOf(enableActions(known, ["B"], before));
    expect(valueOf(enableActions(known, ["A"], without)).approved).toEqual({ A: "new" });
    expect(enableActions(known, ["C"], before)).toMatchObject({ ok: false, error: { code: "invalid_input" } });
    expect(enableActions(known, ["constructor"], null)).toMatchObject({ ok: false });
  });

  test("is stored as equal texts for equal configurations", () => {
    const one = { ...EMPTY, approved: { A: "1", B: "2" }, enabledActions: ["A", "B"] };
    const other = { ...one, approved: { B: "2", A: "1" } };
    expect(formatConfiguration(one)).toBe(formatConfiguration(other));
    expect(parseConfiguration(formatConfiguration(one))).toEqual(one);
  });
});

describe("overrides", () => {
  test("say any effect and level, except that what destroys never only reads", () => {
    fc.assert(
      fc.property(catalogue, effects, fc.constantFrom(...SECURITY_LEVELS), (all, effect, security) => {
        for (const one of all) {
          const made = overrideActions(all, { [one.action]: { effect, security } }, EMPTY);
          expect(made.ok).toBe(!(one.isDestructive && effect === "none"));
        }
      }),
    );
    expect(overrideActions([], { A: { effect: "once" } }, EMPTY).ok).toBe(false);
    expect(overrideActions([{ action: "A", isDestructive: false }], { A: {} }, EMPTY).ok).toBe(false);
  });

  test("with a hash count for that version alone", () => {
    const overrides = { A: { effect: "none" as const, schemaHash: "h1" }, B: { security: "safe" as const } };
    const find = (named: string, schemaHash: string) =>
      findOverride({ overrides }, { action: named, schemaHash, isDestructive: false });
    expect(find("A", "h1")?.effect).toBe("none");
    expect(find("A", "h2")).toBeUndefined();
    expect(find("B", "anything")?.security).toBe("safe");
    expect(find("constructor", "h1")).toBeUndefined();
  });

  test("never make what destroys an action that only reads, also if it destroys since a later sync", async () => {
    const [now] = await actionsOf({ action: "A", effect: "once", isDestructive: true });
    if (now === undefined) throw new Error("no action");
    const overrides = { A: { effect: "none", security: "safe" } } as const;
    expect(findOverride({ overrides }, now)).toEqual({ security: "safe" });
    const configuration = { enabledActions: ["A"], overrides, approved: { A: now.schemaHash } };
    const [tool] = await toAppTools({ app: APP, actions: [now] }, configuration, []);
    expect(tool).toMatchObject({ effect: "once", security: "safe" });
  });

  test("of an action that waits for an approval count as far as they are stricter", async () => {
    const [now] = await actionsOf({ action: "A", effect: "keyed", security: "dangerous" });
    if (now === undefined) throw new Error("no action");
    const published = [await toOutsideTool(now, APP)];
    const toolOf = async (override: ActionOverride) => {
      const configuration = { enabledActions: ["A"], overrides: { A: override }, approved: { A: "earlier" } };
      const [tool] = await toAppTools({ app: APP, actions: [now] }, configuration, published);
      return [tool?.effect, tool?.security];
    };
    expect(await toolOf({ effect: "once", security: "critical" })).toEqual(["once", "critical"]);
    expect(await toolOf({ effect: "none", security: "safe" })).toEqual(["keyed", "dangerous"]);
  });
});

describe("the tools of an app", () => {
  test("have names that a model may write, unique, and found again in any form", async () => {
    await fc.assert(
      fc.asyncProperty(catalogue, async (all) => {
        const index = new Map(all.map((one) => [one.action, one.action]));
        const names = await Promise.all(all.map(async (one) => await getActionToolName(one.action)));
        expect(new Set(names).size).toBe(all.length);
        for (const [at, one] of all.entries()) {
          const tool = names[at] ?? "";
          expect(tool).toMatch(/^composio_[A-Z0-9_a-f]{1,55}$/);
          expect(await findAction(index, tool)).toBe(one.action);
          expect(await findAction(index, one.action.toLowerCase())).toBe(one.action);
        }
      }),
    );
    expect(await findAction(new Map([["A", "A"]]), `composio_${"A".repeat(55)}`)).toBeNull();
  });

  test("are those enabled and approved; a changed one stays as it was published, a lost one goes", async () => {
    await fc.assert(
      fc.asyncProperty(catalogue, fc.infiniteStream(fc.boolean()), async (all, coin) => {
        const flip = () => coin.next().value === true;
        const known = await actionsOf(...all);
        const configuration = {
          ...EMPTY,
          enabledActions: [...known.filter(flip).map((one) => one.action), "LOST"],
          approved: Object.fromEntries(known.map((one) => [one.action, flip() ? one.schemaHash : "earlier"])),
        };
        const earlier = known.filter(flip).map((one) => ({ ...one, description: "As it was." }));
        const published = await Promise.all(earlier.map(async (one) => await toOutsideTool(one, APP)));
        const tools = await toAppTools({ app: APP, actions: known }, configuration, published);
        const byName = new Map(tools.map((tool) => [tool.origin.kind === "app" ? tool.origin.action : "", tool]));
        expect(byName.size).toBe(tools.length);
        for (const one of known) {
          const isEnabled = configuration.enabledActions.includes(one.action);
          const isApproved = configuration.approved[one.action] === one.schemaHash;
          const before = published.find((tool) => tool.origin.kind === "app" && tool.origin.action === one.action);
          const expected = isApproved ? await toOutsideTool(one, APP) : before;
          expect(byName.get(one.action)).toEqual(isEnabled ? expected : undefined);
        }
      }),
      { numRuns: 50 },
    );
  });

  test("act through an account, unless the app or the action is open", async () => {
    const [closed, open] = await actionsOf({ action: "A" }, { action: "B", isOpen: true });
    if (closed === undefined || open === undefined) throw new Error("no actions");
    expect((await toOutsideTool(closed, APP)).app).toEqual({
      app: "mail",
      provider: "composio",
      owner: "either",
      scopes: [],
    });
    expect((await toOutsideTool(closed, { isOpen: true })).app).toBeUndefined();
    expect((await toOutsideTool(open, APP)).app).toBeUndefined();
    expect(await toOutsideTool(closed, APP, { effect: "once", security: "critical" })).toMatchObject({
      effect: "once",
      security: "critical",
      permissions: ["network"],
    });
  });
});
