/** The tenant's own tools, by where they come from. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { FileDown, Plus } from "lucide-react";
import { useState } from "react";
import { answered, api } from "../../api/client.ts";
import type { ToolSource } from "../../api/types.generated.ts";
import { Button, buttonClasses } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { Empty, ProblemNotice, Skeleton } from "../../ui/notice.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { useToast } from "../../ui/toast.tsx";
import { toolSourcesQuery, toolsQuery } from "./tool-queries.ts";
import { formatSource } from "./tool-words.ts";
import { Name } from "../../ui/name.tsx";

export function ToolSourcesPage() {
  const actions = (
    <>
      <Link to="/tool-sources/new-tool" className={buttonClasses()}>
        <Plus aria-hidden className="size-4" />
        HTTP tool
      </Link>
      <Link to="/tool-sources/import" className={buttonClasses("primary")}>
        <FileDown aria-hidden className="size-4" />
        Import an API
      </Link>
    </>
  );
  return (
    <Page
      title="Your own tools"
      lead="Tools that only your agents have: HTTP requests that you wrote down, APIs imported by their OpenAPI document, MCP servers and skills."
      actions={actions}
    >
      <Sources />
    </Page>
  );
}

function Sources() {
  const { data, error, refetch } = useQuery(toolSourcesQuery);
  const [removing, setRemoving] = useState<ToolSource | null>(null);
  if (data === undefined)
    return error === null ? (
      <Skeleton rows={4} label="Loading the sources" />
    ) : (
      <ProblemNotice error={error} doing="Couldn't load the sources" onRetry={() => void refetch()} />
    );
  if (data.length === 0)
    return (
      <Empty
        title="No tools of your own yet"
        action={
          <Link to="/tool-sources/import" className={buttonClasses("primary")}>
            Import an API
          </Link>
        }
      >
        Give Otto the OpenAPI document of a service, and each of its operations becomes a tool. MCP servers and skills
        bring tools too, from pages of their own.
      </Empty>
    );
  return (
    <>
      <Table
        caption="Where your tools come from"
        columns={columnsWith(setRemoving)}
        rows={data}
        rowKey={({ name }) => name}
      />
      {data.some(({ name }) => name === "custom") ? <OwnTools /> : null}
      <RemoveSource source={removing} onClose={() => setRemoving(null)} />
    </>
  );
}

function columnsWith(remove: (source: ToolSource) => void): readonly Column<ToolSource>[] {
  return [
    {
      title: "Source",
      isMain: true,
      cell: ({ name }) => (
        <>
          <SourceName name={name} />
          <span className="block font-mono text-xs text-quiet">{name}</span>
        </>
      ),
    },
    { title: "Tools", isNumber: true, cell: ({ tools }) => tools },
    { title: "Version", isNumber: true, cell: ({ version }) => version },
    { title: "Changed", cell: ({ updated_at }) => <Time at={updated_at} /> },
    {
      title: "Actions",
      cell: (source) =>
        source.name.startsWith("openapi:") ? (
          <Button size="small" look="danger" aria-label={`Remove ${source.name}`} onClick={() => remove(source)}>
            Remove
          </Button>
        ) : source.name.startsWith("mcp:") ? (
          <Link to="/mcp-servers" className={buttonClasses("plain", "small")}>
            Its server
          </Link>
        ) : source.name.startsWith("skills") ? (
          <Link to="/skills" className={buttonClasses("plain", "small")}>
            The skills
          </Link>
        ) : null,
    },
  ];
}

/** The tools of an import have a toolbox of its name. */
function SourceName({ name }: { readonly name: string }) {
  const toolbox = name.startsWith("openapi:") ? name.slice("openapi:".length) : null;
  if (toolbox === null)
    return <Name className="font-medium">{name === "custom" ? "Your HTTP tools" : formatSource(name)}</Name>;
  return (
    <Link to="/tools" search={{ toolbox }} className="font-medium text-accent underline">
      <Name>{formatSource(name)}</Name>
    </Link>
  );
}

/** The HTTP tools that were written down one by one. */
function OwnTools() {
  const { data = [] } = useQuery(toolsQuery());
  const own = data.filter(({ source }) => source === "custom");
  return (
    <Section title="HTTP tools">
      <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
        {own.map(({ name, summary }) => (
          <li key={name} className="px-4 py-3">
            <Link to="/tools/$name" params={{ name }} className="font-medium text-accent underline">
              {name}
            </Link>
            <p dir="auto" className="text-quiet">
              {summary}
            </p>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function RemoveSource({ source, onClose }: { readonly source: ToolSource | null; readonly onClose: () => void }) {
  const say = useToast();
  const client = useQueryClient();
  const removing = useMutation({
    mutationFn: async (name: string) =>
      await answered(api.DELETE("/v1/tool-sources/{source}", { params: { path: { source: name } } })),
    onSuccess: async ({ name, connections_ended: ended }) => {
      onClose();
      const accounts = ended === 1 ? "1 account is" : `${ended} accounts are`;
      say(`The tools of ${name} are removed.${ended === 0 ? "" : ` ${accounts} disconnected.`}`);
      await client.invalidateQueries({ queryKey: ["tools"] });
      document.getElementById("page-title")?.focus();
    },
  });
  return (
    <Confirm
      isOpen={source !== null}
      title={`Remove the tools of ${source?.name ?? ""}?`}
      action="Remove"
      isBusy={removing.isPending}
      onConfirm={() => source !== null && removing.mutate(source.name)}
      onClose={onClose}
    >
      <p>New tasks do not have its {source?.tools ?? 0} tools. Running tasks keep them.</p>
      <p>Accounts that people connected to it are disconnected.</p>
      {removing.isError ? <ProblemNotice error={removing.error} doing="Couldn't remove the tools" /> : null}
    </Confirm>
  );
}
