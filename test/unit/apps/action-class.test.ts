/** The class that counts at a call: never looser than what the task pinned, nor than what holds now. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ActionClass, findClassNow, isStricterClass } from "../../../core/apps/effects/action-class.ts";
import { toAppTools, toOutsideTool } from "../../../core/apps/workspace/outside-tools.ts";
import type { CatalogueAction } from "../../../core/ports/app-catalogue.ts";
import { EFFECT_CLASSES, SECURITY_LEVELS } from "../../../core/tool/tool.ts";
import { valueOf } from "../../contracts/value-of.ts";
import { makeSnapshot } from "../../fakes/catalogue-snapshot.ts";

const effect = fc.constantFrom(...EFFECT_CLASSES);
const security = fc.constantFrom(...SECURITY_LEVELS);
const given = fc.record({ effect, security });
const override = fc.record({ effect, security }, { requiredKeys: [] });

const actionOf = async (change: Partial<CatalogueAction>): Promise<CatalogueAction> => {
  const snapshot = makeSnapshot([{ app: "mail", actions: [{ action: "MAIL_GET", ...change }] }]);
  const [action] = valueOf(await snapshot.actionsOf("mail"));
  if (action === undefined) throw new Error("no action");
  return action;
};

describe("the class at a call", () => {
  test("is never looser than the pinned one, nor than the present one", async () => {
    await fc.assert(
      fc.asyncProperty(given, override, override, fc.boolean(), async (judged, before, now, isDestructive) => {
        const tool = await toOutsideTool(await actionOf({ ...judged, isDestructive }), { isOpen: true }, before);
        if (tool.origin.kind !== "app") throw new Error("no action");
        const pinned: ActionClass = { effect: tool.effect, security: tool.security };
        const found = findClassNow(pinned, tool.origin, now);
        expect(isStricterClass(pinned, found)).toBe(false);
        const { effect: nowEffect = judged.effect, security: nowSecurity = judged.security } = now;
        const kept = isDestructive && nowEffect === "none" ? found.effect : nowEffect;
        const present = { effect: kept, security: nowSecurity };
        // A tightening override that is removed again loosens nothing: a wider class is for new tasks.
        expect(isStricterClass(present, found)).toBe(false);
        if (JSON.stringify(before) === JSON.stringify(now) && !isDestructive) expect(found).toEqual(pinned);
      }),
      { numRuns: 500 },
    );
  });

  test("of what destroys is never none by an override", () => {
    const judged = { effect: "probe", security: "critical" } as const;
    const pinned = { effect: "none", security: "critical" } as const;
    expect(findClassNow(pinned, { judged, isDestructive: true }, { effect: "none" })).toEqual(judged);
  });
});

describe("a published action that waits for an approval", () => {
  const override = { effect: "none", security: "cautious" } as const;
  const before = { effect: "probe", security: "dangerous", schemaHash: "h1" } as const;
  const enabled = { enabledActions: ["MAIL_GET"], approved: { MAIL_GET: "h1" } };
  const app = { isOpen: true };

  test("is no confirmed read any more once its form changed", async () => {
    const bound = { ...enabled, overrides: { MAIL_GET: { ...override, schemaHash: "h1" } } };
    const published = await toAppTools({ app, actions: [await actionOf(before)] }, bound, []);
    expect(published).toMatchObject([{ effect: "none", security: "cautious" }]);
    const changed = { app, actions: [await actionOf({ ...before, schemaHash: "h2" })] };
    const [later] = await toAppTools(changed, bound, published);
    expect(later).toMatchObject({ effect: "probe", security: "dangerous" });
    // Of an override that is bound to no form, what was published stays.
    const free = { ...bound, overrides: { MAIL_GET: override } };
    expect(await toAppTools(changed, free, published)).toMatchObject([{ effect: "none", security: "cautious" }]);
    expect(await toAppTools(changed, { ...enabled, overrides: {} }, published)).toMatchObject([{ effect: "probe" }]);
  });
});
