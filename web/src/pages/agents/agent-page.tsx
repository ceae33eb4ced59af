/** One agent: what it may do, its form, its versions, its tasks. */
import { useQuery } from "@tanstack/react-query";
import { Link, useParams, useSearch } from "@tanstack/react-router";
import { FlaskConical } from "lucide-react";
import { toApiError } from "../../api/problem.ts";
import type { Agent } from "../../api/types.generated.ts";
import { Badge } from "../../ui/badge.tsx";
import { buttonClasses } from "../../ui/button.tsx";
import { CodeBlock } from "../../ui/code.tsx";
import { Empty, ProblemNotice, Skeleton } from "../../ui/notice.tsx";
import { Card, Page, Section } from "../../ui/page.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { Time } from "../../ui/time.tsx";
import { toolsQuery } from "../tools/tool-queries.ts";
import { configOfAgent } from "./agent-config.ts";
import { AgentAppsEdit } from "./agent-apps-edit.tsx";
import { AgentEdit } from "./agent-edit.tsx";
import { agentQuery, BUILT_IN_AGENT } from "./agent-queries.ts";
import type { AgentSearch } from "./agent-search.ts";
import { AgentTasks } from "./agent-tasks.tsx";
import { AgentVersions } from "./agent-versions.tsx";
import { DownloadYaml } from "./agent-yaml.tsx";
import { permissionsInWords } from "./permissions-in-words.ts";
import { WordsList } from "./words-list.tsx";
import { honestProse } from "../../ui/visible-text.ts";

export function AgentPage() {
  const { agentId } = useParams({ from: "/console/agents/$agentId" });
  const { data, error, refetch } = useQuery(agentQuery(agentId));
  if (data !== undefined) return <ShownAgent key={agentId} {...data} />;
  if (error !== null && toApiError(error).status === 404)
    return (
      <Page title="Agent">
        <Empty
          title="Agent not found"
          action={
            <Link to="/agents" className={buttonClasses("primary")}>
              To the agents
            </Link>
          }
        />
      </Page>
    );
  return (
    <Page title="Agent">
      {error === null ? (
        <Skeleton rows={8} label="Loading the agent" />
      ) : (
        <ProblemNotice error={error} doing="Couldn't load the agent" onRetry={() => void refetch()} />
      )}
    </Page>
  );
}

interface ShownProps {
  readonly agent: Agent;
  readonly etag: string | null;
}

function ShownAgent({ agent, etag }: ShownProps) {
  const { view } = useSearch({ from: "/console/agents/$agentId" });
  const isOwn = agent.id !== BUILT_IN_AGENT;
  const hasApps = agent.archived_at === null;
  const isChangeable = isOwn && hasApps;
  const tab = (label: string, to?: AgentSearch["view"]) => ({
    label,
    isCurrent: view === to,
    link: {
      to: "/agents/$agentId" as const,
      params: { agentId: agent.id },
      search: to === undefined ? {} : { view: to },
    },
  });
  return (
    <Page
      title={agent.name}
      lead={
        <>
          {isOwn ? `Version ${agent.version}` : "Built in: the agent of a task that names none. It does not change."}
          {agent.updated_at === null ? null : (
            <>
              , changed <Time at={agent.updated_at} />
            </>
          )}
          {agent.archived_at === null ? null : (
            <>
              , deleted <Time at={agent.archived_at} />
            </>
          )}
        </>
      }
      actions={
        <>
          <DownloadYaml agent={agent} />
          {agent.archived_at === null ? (
            <Link to="/tasks/new" search={{ agent: agent.id }} className={buttonClasses("primary")}>
              <FlaskConical aria-hidden className="size-4" />
              Try it
            </Link>
          ) : null}
        </>
      }
    >
      <Tabs
        label="Views of the agent"
        tabs={[
          tab("What it may do"),
          ...(isChangeable ? [tab("Change it", "edit")] : []),
          ...(hasApps ? [tab("Apps", "apps")] : []),
          ...(isOwn ? [tab("Versions", "versions")] : []),
          tab("Tasks", "tasks"),
        ]}
      />
      {view === "edit" && isChangeable ? <AgentEdit agent={{ body: agent, etag }} /> : null}
      {view === "apps" && hasApps ? <AgentAppsEdit agent={agent.id} /> : null}
      {view === "versions" && isOwn ? <AgentVersions agent={{ body: agent, etag }} /> : null}
      {view === "tasks" ? <AgentTasks agentId={agent.id} /> : null}
      {(view === "edit" && isChangeable) ||
      (view === "apps" && hasApps) ||
      (view === "versions" && isOwn) ||
      view === "tasks" ? null : (
        <InWords agent={agent} />
      )}
    </Page>
  );
}

function InWords({ agent }: { readonly agent: Agent }) {
  const { data: tools, error, refetch } = useQuery(toolsQuery());
  return (
    <>
      <Section title="What it may do">
        {tools === undefined ? (
          error === null ? (
            <Skeleton rows={8} label="Loading the tools" />
          ) : (
            <ProblemNotice error={error} doing="Couldn't load the tools" onRetry={() => void refetch()} />
          )
        ) : (
          <Card>
            <WordsList isWide parts={permissionsInWords(configOfAgent(agent), tools)} />
          </Card>
        )}
      </Section>
      <Section title="Instructions">
        <p className="text-quiet">
          Model: <Badge>{agent.model === undefined ? "default" : honestProse(agent.model)}</Badge>
        </p>
        {agent.instructions === "" ? (
          <p className="text-quiet">It has no instructions.</p>
        ) : (
          <CodeBlock text={agent.instructions} label="the instructions" />
        )}
      </Section>
    </>
  );
}
