/** Status of this installation: each part, and its problems. */
import { useQuery } from "@tanstack/react-query";
import { healthQuery } from "../../api/health.ts";
import type { Health } from "../../api/types.generated.ts";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { notRebuilt } from "./not-rebuilt.ts";
import { Notice, ProblemNotice, Skeleton } from "../../ui/notice.tsx";
import { Page, Section } from "../../ui/page.tsx";

const READ_AGAIN_MS = 5_000;
const TONES: Readonly<Record<string, Tone>> = {
  ok: "good",
  degraded: "warn",
  failed: "danger",
  away: "danger",
  refused: "danger",
  off: "warn",
  none: "warn",
};

export function SystemPage() {
  const { data, error, refetch, isPending } = useQuery({ ...healthQuery, refetchInterval: READ_AGAIN_MS });
  return (
    <Page title="System" lead="Status of each part, refreshed every few seconds.">
      {isPending ? <Skeleton rows={5} /> : null}
      {error ? <ProblemNotice error={error} onRetry={() => void refetch()} /> : null}
      {data === undefined ? null : <Parts health={data} />}
    </Page>
  );
}

/** After the loss of a database: lists that are still being rebuilt, and what has to be created again. */
function Losses({ reindex }: { readonly reindex: Health["reindex"] }) {
  const lost = notRebuilt(reindex?.not_rebuilt ?? {});
  return (
    <>
      {reindex !== null && reindex.running > 0 ? (
        <Notice tone="info" title="Rebuilding the task index">
          The database was replaced. Lists are complete once this is done; tasks run meanwhile.
        </Notice>
      ) : null}
      {lost.length > 0 ? (
        <Notice tone="warn" title="Couldn't rebuild everything after the database was replaced">
          <p>Create these again, or restore a backup of the database:</p>
          <ul className="list-disc pl-5">
            {lost.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </Notice>
      ) : null}
    </>
  );
}

function Parts({ health }: { readonly health: Health }) {
  const parts: readonly (readonly [string, string, string])[] = [
    [
      "Database",
      health.database,
      "Tenants, keys, agents, memory, the index of tasks. Tasks that run outlive its absence.",
    ],
    ["Sidecar", health.sidecar, "Documents, scripts, shell, egress. It may sleep until it is needed."],
    ["Isolation", health.isolation, "What holds scripts and shell commands. Without one they are refused."],
    ["Model", health.model, "Language model."],
    ["Embeddings", health.embeddings, "What memory is searched with."],
    ["Vectors", health.vectors, "Where they are kept."],
    ["Mode", health.mode, "Production refuses what is for development alone."],
    [
      "Version",
      health.deployment === null ? health.version : `${health.version} (${health.deployment})`,
      "Which release answers.",
    ],
  ];
  return (
    <>
      {health.problems.length > 0 ? (
        <Notice tone="warn" title="Problems">
          <ul className="list-disc pl-5">
            {health.problems.map((problem) => (
              <li key={problem}>{problem}</li>
            ))}
          </ul>
        </Notice>
      ) : null}
      <Losses reindex={health.reindex} />
      <Section title="Parts" actions={<Badge tone={TONES[health.status] ?? "plain"}>{health.status}</Badge>}>
        <dl className="divide-y divide-line rounded-lg border border-line bg-surface">
          {parts.map(([name, state, meaning]) => (
            <div key={name} className="grid gap-x-4 px-4 py-3 sm:grid-cols-[8rem_1fr]">
              <dt className="font-medium">{name}</dt>
              <dd>
                {state in TONES ? <Badge tone={TONES[state] ?? "plain"}>{state}</Badge> : <span>{state}</span>}
                <span className="mt-1 block text-sm text-quiet">{meaning}</span>
              </dd>
            </div>
          ))}
        </dl>
      </Section>
    </>
  );
}
