/** The tools of a server that agents have. */
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { McpServerDetail } from "../../api/types.generated.ts";
import { Badge } from "../../ui/badge.tsx";
import { ExactText } from "../../ui/exact-text.tsx";
import { More } from "../../ui/more.tsx";
import { Empty } from "../../ui/notice.tsx";
import { Section } from "../../ui/page.tsx";
import { toolsWord } from "./server-state.tsx";
import { Name } from "../../ui/name.tsx";

type ServerTool = McpServerDetail["tools"][number];

const SHOWN = 50;

export function ServerTools({ server: { name, tools, refused } }: { readonly server: McpServerDetail }) {
  const [shown, setShown] = useState(SHOWN);
  return (
    <Section title={tools.length === 0 ? "Tools" : `${toolsWord(tools.length)} that agents have`}>
      {tools.length === 0 ? (
        <Empty title="Agents have no tools of it yet">They are there once {name} was reached and listed some.</Empty>
      ) : (
        <ul className="flex flex-col divide-y divide-line rounded-lg border border-line bg-surface">
          {tools.slice(0, shown).map((tool) => (
            <ToolRow key={tool.name} tool={tool} />
          ))}
        </ul>
      )}
      <More
        hasMore={shown < tools.length}
        isBusy={false}
        onMore={() => setShown(shown + SHOWN)}
        shown={Math.min(shown, tools.length)}
      />
      {refused.length === 0 ? null : (
        <details className="rounded-lg border border-line px-4 py-2">
          <summary className="font-medium">{toolsWord(refused.length)} left out</summary>
          <ul className="mt-1 list-disc pl-6 text-sm">
            {refused.map(({ name: tool, reason }) => (
              <li key={`${tool} ${reason}`}>
                <Name className="font-mono">{tool}</Name>: <Name>{reason}</Name>
              </li>
            ))}
          </ul>
        </details>
      )}
    </Section>
  );
}

function ToolRow({ tool: { name, tool, description, security, effect } }: { readonly tool: ServerTool }) {
  return (
    <li className="flex flex-col gap-1 p-4">
      <div className="flex flex-wrap items-center gap-2">
        <Link to="/tools/$name" params={{ name }} className="font-mono font-medium text-accent hover:underline">
          {name}
        </Link>
        {effect === "none" ? <Badge>only reads</Badge> : null}
        {security === "dangerous" ? <Badge tone="warn">dangerous</Badge> : <Badge>{security}</Badge>}
        {effect === "once" ? <Badge>not retried</Badge> : null}
        {name.endsWith(`_${tool}`) ? null : <span className="text-sm text-quiet">there: {tool}</span>}
      </div>
      <div className="max-w-prose text-quiet">
        <ExactText text={description} />
      </div>
    </li>
  );
}
