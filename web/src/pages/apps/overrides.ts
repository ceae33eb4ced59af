/** What administrators set of the actions of an app: read, changed, and sent as one list, which replaces the earlier one. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { answered, api } from "../../api/client.ts";
import type { AppOverrideList, AppOverridesInput, EffectClass, SecurityLevel } from "../../api/types.generated.ts";
import { marketplaceKey } from "./app-queries.ts";

export type Override = AppOverrideList["overrides"][number];
export type OverrideInput = AppOverridesInput["overrides"][string];

/** From what repeats freely to what never does. */
export const EFFECTS: readonly EffectClass[] = ["none", "keyed", "probe", "once"];
export const LEVELS: readonly SecurityLevel[] = ["safe", "cautious", "dangerous", "critical"];

/** Changes by action; null removes an override. */
export type OverrideChanges = Readonly<Record<string, OverrideInput | null>>;

/** Applies changes to a list. Overrides of an earlier form of their action are left out, because the API refuses them. */
function applyChanges(list: readonly Override[], changes: OverrideChanges): Record<string, OverrideInput> {
  const stored = list.filter(({ is_current: isCurrent }) => isCurrent).map((one) => [one.name, toInput(one)] as const);
  const all = new Map<string, OverrideInput | null>([...stored, ...Object.entries(changes)]);
  return Object.fromEntries([...all].flatMap(([name, one]) => (one === null ? [] : [[name, one]])));
}

function toInput({ effect, security, schema_hash: schemaHash }: Override): OverrideInput {
  return {
    ...(effect === null ? {} : { effect }),
    ...(security === null ? {} : { security }),
    ...(schemaHash === null ? {} : { schema_hash: schemaHash }),
  };
}

/** Changes overrides of an app. The list is read first, so that what others set meanwhile stays. */
export function useOverrides(app: string, onSuccess: () => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (changes: OverrideChanges) => {
      const params = { path: { app } };
      const { overrides } = await answered(api.GET("/api/tools/{app}/overrides", { params }));
      const body = { overrides: applyChanges(overrides, changes) };
      return await answered(api.PUT("/api/tools/{app}/overrides", { params, body }));
    },
    onSuccess,
    onSettled: async () => await queries.invalidateQueries({ queryKey: marketplaceKey }),
  });
}
