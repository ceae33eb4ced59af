/** The effect and the risk that were computed for an action, and why. */
import type { AppAction } from "../../api/types.generated.ts";
import { Name } from "../../ui/name.tsx";
import { getEffectWording, getLevelWording } from "../tools/tool-words.ts";

interface ComputedClassProps {
  readonly computed: Pick<AppAction, "effect" | "security" | "because">;
}

export function ComputedClass({ computed: { effect, security, because } }: ComputedClassProps) {
  return (
    <>
      Computed: “{getLevelWording(security).word}”, “{getEffectWording(effect).word}”. <Name>{because}</Name>
    </>
  );
}
