/** Changed actions of an app: what is listed, what an approval makes of it, and that nothing changes without one. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { approveChanges, listChanges } from "../../../core/apps/changes.ts";
import { toAppTools } from "../../../core/apps/outside-tools.ts";
import { type AppConfiguration, enableActions } from "../../../core/apps/workspace.ts";
import type { CatalogueAction } from "../../../core/ports/app-catalogue.ts";
import { valueOf } from "../../contracts/value-of.ts";
import { makeSnapshot } from "../../fakes/catalogue-snapshot.ts";

const APP = { isOpen: false };
const action = fc.record({
  action: fc.constantFrom("A", "B", "C", "D", "E"),
  schemaHash: fc.constantFrom("1", "2"),
  effect: fc.constantFrom("none" as const, "probe" as const),
});
const catalogue = fc.uniqueArray(action, { selector: (one) => one.action });
const actionsOf = async (given: readonly (Partial<CatalogueAction> & { readonly action: string })[]) =>
  valueOf(await makeSnapshot([{ app: "mail", actions: given }]).actionsOf("mail"));

test("what tasks have changes by an approval alone, and after it nothing waits", async () => {
  await fc.assert(
    fc.asyncProperty(catalogue, catalogue, async (one, other) => {
      const [before, after] = [await actionsOf(one), await actionsOf(other)];
      const names = before.map((each) => each.action);
      const configuration: AppConfiguration = valueOf(enableActions(before, names, null));
      const first = await toAppTools({ app: APP, actions: before }, configuration, []);
      expect(await listChanges(configuration, before, first)).toEqual({ hash: null, changed: [], removed: [] });
      const followed = await toAppTools({ app: APP, actions: after }, configuration, first);
      for (const tool of followed) {
        const isSame = after.some((each) => {
          const earlier = before.find(({ action: name }) => name === each.action);
          return tool.name === `composio_${each.action}` && earlier?.schemaHash === each.schemaHash;
        });
        if (!isSame) expect(first).toContainEqual(tool);
      }
      const { hash, changed, removed } = await listChanges(configuration, after, followed);
      expect(hash === null).toBe(changed.length + removed.length === 0);
      const approved = approveChanges(configuration, after);
      expect((await listChanges(approved, after, followed)).hash).toBeNull();
      const current = await toAppTools({ app: APP, actions: after }, approved, followed);
      const kept = after.filter(({ action: name }) => names.includes(name));
      expect(current).toEqual(
        await toAppTools(
          { app: APP, actions: kept },
          valueOf(
            enableActions(
              kept,
              kept.map((k) => k.action),
              null,
            ),
          ),
          [],
        ),
      );
    }),
  );
});
