/** How a server is, in a word and in a sentence. */
import { CircleAlert, CircleCheck, GitCompareArrows, KeyRound } from "lucide-react";
import type { McpServer } from "../../api/types.generated.ts";
import { Badge, type Tone } from "../../ui/badge.tsx";

const STATES: Readonly<
  Record<McpServer["status"], { readonly word: string; readonly tone: Tone; readonly Icon: typeof CircleCheck }>
> = {
  connected: { word: "Connected", tone: "good", Icon: CircleCheck },
  changed: { word: "Tools changed", tone: "warn", Icon: GitCompareArrows },
  authorization_needed: { word: "Needs consent", tone: "warn", Icon: KeyRound },
  failed: { word: "Not reached", tone: "danger", Icon: CircleAlert },
};

export function ServerBadge({ status }: { readonly status: McpServer["status"] }) {
  const { word, tone, Icon } = STATES[status];
  return (
    <Badge tone={tone} icon={<Icon aria-hidden className="size-3.5" />}>
      {word}
    </Badge>
  );
}

/** Where the server is: its address, or the command that starts it. */
export function serverPlace({ url, process: program }: McpServer): string {
  return program === null ? (url ?? "") : [program.command, ...program.args].join(" ");
}

export function toolsWord(count: number): string {
  return count === 1 ? "1 tool" : `${count} tools`;
}
