/** The versions of an agent, and the difference of two: in words, by field, and as it is kept. */
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect } from "react";
import { answered, api } from "../../api/client.ts";
import { usePaged } from "../../api/paged.ts";
import type { Agent, AgentVersion } from "../../api/types.generated.ts";
import { Button } from "../../ui/button.tsx";
import { SelectField } from "../../ui/field.tsx";
import { Listing } from "../../ui/listing.tsx";
import { Empty, Notice, Skeleton } from "../../ui/notice.tsx";
import { Card, Section } from "../../ui/page.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { TextDifference } from "../../ui/text-difference.tsx";
import { Time } from "../../ui/time.tsx";
import { toolsQuery } from "../tools/tool-queries.ts";
import { configOfAgent } from "./agent-config.ts";
import { type FieldChange, fieldChanges, wordChanges } from "./agent-difference.ts";
import { Name } from "../../ui/name.tsx";
import type { Tagged } from "../../ui/edit.ts";
import { RestoreVersion } from "./restore-version.tsx";

export function AgentVersions({ agent: tagged }: { readonly agent: Tagged<Agent> }) {
  const { body: agent } = tagged;
  const { from = Math.max(1, agent.version - 1), to = agent.version } = useSearch({ from: "/console/agents/$agentId" });
  const navigate = useNavigate();
  const list = usePaged<AgentVersion>(
    ["agents", "versions", agent.id],
    async (cursor) =>
      await answered(
        api.GET("/v1/agents/{id}/versions", { params: { path: { id: agent.id }, query: { limit: 100, cursor } } }),
      ),
  );
  const find = (version: number) => list.rows.find((row) => row.version === version);
  const { hasMore, isBusy, onMore } = list.more;
  const isFound = find(from) !== undefined && find(to) !== undefined;
  useEffect(() => {
    if (!isFound && hasMore && !isBusy) onMore();
  }, [isFound, hasMore, isBusy, onMore]);
  const compare = (search: { readonly from: number; readonly to: number }) =>
    void navigate({ to: "/agents/$agentId", params: { agentId: agent.id }, search: { view: "versions", ...search } });
  const [before, after] = [find(from), find(to)];
  return (
    <>
      {agent.version === 1 ? (
        <Empty title="Only one version yet">Change the agent, and the difference appears here.</Empty>
      ) : (
        <>
          <div className="flex flex-wrap gap-3">
            <VersionField
              label="From"
              value={from}
              latest={agent.version}
              onChange={(one) => compare({ from: one, to })}
            />
            <VersionField label="To" value={to} latest={agent.version} onChange={(one) => compare({ from, to: one })} />
          </div>
          {before !== undefined && after !== undefined ? (
            <Difference key={`${from} ${to}`} before={before} after={after} />
          ) : hasMore || list.isLoading ? (
            <Skeleton rows={6} label="Loading the versions" />
          ) : list.error === null ? (
            <Notice title="Version not found">Choose two of those that are listed below.</Notice>
          ) : null}
        </>
      )}
      <Section title="All versions">
        <Listing list={list} empty={<Empty title="No versions" />}>
          <Table
            caption="Versions, the latest first"
            columns={columns(tagged, compare)}
            rows={list.rows}
            rowKey={({ version }) => String(version)}
          />
        </Listing>
      </Section>
    </>
  );
}

/** Versions of a list to choose from; of more, the latest. */
const MAX_CHOICES = 500;

function VersionField({
  label,
  value,
  latest,
  onChange,
}: {
  readonly label: string;
  readonly value: number;
  readonly latest: number;
  readonly onChange: (version: number) => void;
}) {
  const choices = Array.from({ length: Math.min(latest, MAX_CHOICES) }, (_, back) => latest - back);
  return (
    <SelectField className="w-40" label={label} value={value} onChange={({ target }) => onChange(Number(target.value))}>
      {choices.includes(value) ? null : <option value={value}>{`Version ${value}`}</option>}
      {choices.map((version) => (
        <option key={version} value={version}>
          {`Version ${version}`}
        </option>
      ))}
    </SelectField>
  );
}

function columns(
  agent: Tagged<Agent>,
  compare: (search: { readonly from: number; readonly to: number }) => void,
): readonly Column<AgentVersion>[] {
  const { version: latest, archived_at: archivedAt } = agent.body;
  const restore: Column<AgentVersion> = {
    title: "Restore",
    cell: (version) =>
      version.version === latest ? null : <RestoreVersion agent={agent} version={version} onRestored={compare} />,
  };
  return [
    {
      title: "Version",
      isMain: true,
      cell: ({ version }) => `${version}${version === latest ? " (current)" : ""}`,
    },
    { title: "Created", cell: ({ created_at }) => (created_at === null ? null : <Time at={created_at} />) },
    {
      title: "Difference",
      cell: ({ version }) =>
        version === 1 ? (
          <span className="text-quiet">The first</span>
        ) : (
          <Button
            size="small"
            aria-label={`Show changes: version ${version}`}
            onClick={() => compare({ from: version - 1, to: version })}
          >
            Show changes
          </Button>
        ),
    },
    ...(archivedAt === null ? [restore] : []),
  ];
}

function Difference({ before, after }: { readonly before: AgentVersion; readonly after: AgentVersion }) {
  const { data: tools } = useQuery(toolsQuery());
  const [old, now] = [configOfAgent(before), configOfAgent(after)];
  const changes = fieldChanges(old, now);
  const words = tools === undefined ? null : wordChanges(old, now, tools);
  const title = `From version ${before.version} to version ${after.version}`;
  if (changes.length === 0) return <Notice title={`${title}: nothing changed`} />;
  return (
    <>
      <Section title={title}>
        {words === null ? (
          <Skeleton rows={3} label="Loading the tools" />
        ) : words.came.length + words.went.length === 0 ? (
          <p className="text-quiet">It may do what it could before.</p>
        ) : (
          <div className="grid gap-3 md:grid-cols-2">
            <Sentences title="No more" sentences={words.went} />
            <Sentences title="From now on" sentences={words.came} />
          </div>
        )}
      </Section>
      <Section title="Field by field">
        {changes.map((change) => (
          <Change key={change.field} change={change} />
        ))}
      </Section>
      <details className="rounded-lg border border-line bg-surface">
        <summary className="px-4 py-2.5 font-medium">All of it, as JSON</summary>
        <div className="border-t border-line p-3">
          <TextDifference
            label="The difference as JSON"
            before={JSON.stringify(old, null, 2)}
            after={JSON.stringify(now, null, 2)}
          />
        </div>
      </details>
    </>
  );
}

function Sentences({ title, sentences }: { readonly title: string; readonly sentences: readonly string[] }) {
  return (
    <Card>
      <h3 className="mb-1 font-semibold">{title}</h3>
      {sentences.length === 0 ? (
        <p className="text-quiet">Nothing.</p>
      ) : (
        <ul className="list-disc pl-5">
          {sentences.map((sentence) => (
            <li key={sentence}>
              <Name>{sentence}</Name>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

function Change({ change: { title, lists, before, after } }: { readonly change: FieldChange }) {
  return (
    <Card className="flex flex-col gap-2">
      <h3 className="font-semibold">{title}</h3>
      {lists === null ? (
        <TextDifference label={`What changed of: ${title}`} before={asLines(before)} after={asLines(after)} />
      ) : (
        <ul className="flex flex-wrap gap-2 font-mono text-sm">
          {lists.removed.map((text) => (
            <li key={`- ${text}`} className="rounded bg-danger-soft px-2 py-0.5">
              <span className="sr-only">removed: </span>
              <span aria-hidden>− </span>
              <Name>{text}</Name>
            </li>
          ))}
          {lists.added.map((text) => (
            <li key={`+ ${text}`} className="rounded bg-good-soft px-2 py-0.5">
              <span className="sr-only">added: </span>
              <span aria-hidden>+ </span>
              <Name>{text}</Name>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

/** Ends its last line, so that a line that is added behind it is the only change. */
function asLines(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}
