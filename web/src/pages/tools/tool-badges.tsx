import type { Tool } from "../../api/types.generated.ts";
import { Badge } from "../../ui/badge.tsx";
import { effectSaid, levelSaid, permissionSaid } from "./tool-words.ts";

/** Risk, permissions and effect of a tool in words. */
export function ToolBadges({ tool }: { readonly tool: Pick<Tool, "security" | "permissions" | "effect"> }) {
  const level = levelSaid(tool.security);
  const effect = effectSaid(tool.effect);
  const said = [level, effect, ...tool.permissions.map(permissionSaid)];
  return (
    <span className="flex flex-wrap gap-1.5">
      {said.map(({ word, tone }) => (
        <Badge key={word} tone={tone}>
          {word}
        </Badge>
      ))}
    </span>
  );
}
