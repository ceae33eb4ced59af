import type { Tool } from "../../api/types.generated.ts";
import { Badge } from "../../ui/badge.tsx";
import { getEffectWording, getLevelWording, getPermissionWording } from "./tool-words.ts";

/** Risk, permissions and effect of a tool in words. */
export function ToolBadges({ tool }: { readonly tool: Pick<Tool, "security" | "permissions" | "effect"> }) {
  const level = getLevelWording(tool.security);
  const effect = getEffectWording(tool.effect);
  const said = [level, effect, ...tool.permissions.map(getPermissionWording)];
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
