/** What a server lists now beside what was agreed to. Agents have what was agreed to until a person agrees to this. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Check } from "lucide-react";
import { answered, api } from "../../api/client.ts";
import { toApiError } from "../../api/problem.ts";
import type { McpServerDetail } from "../../api/types.generated.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { JsonBlock } from "../../ui/code.tsx";
import { ExactText } from "../../ui/exact-text.tsx";
import { Notice, ProblemNotice } from "../../ui/notice.tsx";
import { Card, Section } from "../../ui/page.tsx";
import { TextDifference } from "../../ui/text-difference.tsx";
import { useToast } from "../../ui/toast.tsx";
import { useLook } from "./look.ts";
import { keepServer } from "./server-queries.ts";
import { toolsWord } from "./server-state.tsx";
import { Name } from "../../ui/name.tsx";

type Diff = NonNullable<McpServerDetail["diff"]>;
type Change = Diff["changed"][number]["changes"][number];

export function ToolChanges({ server }: { readonly server: McpServerDetail }) {
  const { name, diff, pending_hash } = server;
  if (diff === null || pending_hash === null) return null;
  return (
    <Section title="What it lists now">
      <Notice tone="warn" title={`Its tools differ from those you accepted: ${sayDiff(diff)}`}>
        Agents keep the earlier tools. Review the changes: models read the descriptions, which may try to steer them.
      </Notice>
      {diff.added_tools.map((tool) => (
        <Card key={tool.tool} className="flex flex-col gap-2">
          <ToolTitle name={tool.tool} word="new" tone="good" />
          <ExactText text={tool.description} />
          <details>
            <summary className="text-sm">Input</summary>
            <JsonBlock value={tool.input} label={`Arguments of ${tool.tool}`} />
          </details>
        </Card>
      ))}
      {diff.changed.map(({ name: tool, changes }) => (
        <Card key={tool} className="flex flex-col gap-3">
          <ToolTitle name={tool} word="changed" tone="warn" />
          {changes.map((change) => (
            <OneChange key={change.what} tool={tool} change={change} />
          ))}
        </Card>
      ))}
      {diff.removed.map((tool) => (
        <Card key={tool}>
          <ToolTitle name={tool} word="gone" tone="danger" />
        </Card>
      ))}
      <Agree name={name} hash={pending_hash} />
    </Section>
  );
}

function sayDiff({ added, removed, changed }: Diff): string {
  const parts = [
    [added.length, "new"],
    [changed.length, "changed"],
    [removed.length, "gone"],
  ] as const;
  return parts
    .filter(([count]) => count > 0)
    .map(([count, word]) => `${toolsWord(count)} ${word}`)
    .join(", ");
}

function ToolTitle({
  name,
  word,
  tone,
}: {
  readonly name: string;
  readonly word: string;
  readonly tone: "good" | "warn" | "danger";
}) {
  return (
    <h3 className="flex flex-wrap items-center gap-2 font-mono font-medium">
      <Name>{name}</Name>
      <Badge tone={tone}>{word}</Badge>
    </h3>
  );
}

const PARTS = {
  description: "Description for models",
  input: "Input",
  output: "Output",
  annotations: "Annotations",
} as const;

function OneChange({ tool, change: { what, before, after } }: { readonly tool: string; readonly change: Change }) {
  return (
    <div className="flex flex-col gap-1">
      <h4 className="text-sm font-medium">{PARTS[what]}</h4>
      <TextDifference before={asText(before)} after={asText(after)} label={`${PARTS[what]}: how ${tool} differs`} />
    </div>
  );
}

function asText(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

function Agree({ name, hash }: { readonly name: string; readonly hash: string }) {
  const queries = useQueryClient();
  const say = useToast();
  const look = useLook(name);
  const agreeing = useMutation({
    mutationFn: async () =>
      await answered(api.POST("/v1/mcp-servers/{name}/approve", { params: { path: { name } }, body: { hash } })),
    onSuccess: async (server) => {
      await keepServer(queries, server);
      say(`Agents have the tools of ${name} as it lists them now.`);
      document.getElementById("page-title")?.focus();
    },
  });
  const isOther = agreeing.isError && toApiError(agreeing.error).status === 409;
  return (
    <div className="flex flex-col gap-3">
      {isOther ? (
        <Notice
          tone="warn"
          title="The tools changed again"
          action={
            <Button size="small" isBusy={look.isPending} onClick={() => look.mutate()}>
              See what it lists now
            </Button>
          }
        >
          Nothing was agreed to.
        </Notice>
      ) : null}
      {agreeing.isError && !isOther ? <ProblemNotice error={agreeing.error} doing="Couldn't accept" /> : null}
      <Button
        look="primary"
        className="self-start"
        isBusy={agreeing.isPending}
        icon={<Check aria-hidden className="size-4" />}
        onClick={() => agreeing.mutate()}
      >
        Agree to these tools
      </Button>
    </div>
  );
}
