/** An action of an app, as a tool has it. */
import type { EffectClass, SecurityLevel } from "./tool.ts";

/** What the capability gate and the rights of apps judge. */
export interface AppAction {
  readonly app: string;
  readonly action: string;
  readonly effect: EffectClass;
  readonly capabilities: readonly string[];
  readonly isDestructive: boolean;
  /** The class without an override (`core/apps/effects/action-class.ts`). Absent: no override loosened it. */
  readonly judged?: { readonly effect: EffectClass; readonly security: SecurityLevel };
}
