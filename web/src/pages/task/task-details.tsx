/** What few want to know of a task, folded away. */
import type { Task } from "../../api/types.generated.ts";
import { JsonBlock } from "../../ui/code.tsx";
import { Fact, Facts } from "../../ui/facts.tsx";
import { ExactTime } from "../../ui/time.tsx";
import { oneLine } from "../../ui/visible-text.ts";

/** How a skill came into force, in words. */
const HOW: Readonly<Record<Task["skills"][number]["how"], string>> = {
  request: "asked for with the task",
  mention: "named in what was asked",
  agent: "the agent's own",
  similarity: "its description fits what was asked",
  tool: "the task is a call of it",
  load: "the model loaded it",
};

export function TaskDetails({ task }: { readonly task: Task }) {
  const { id, created_at, started_at, ended_at, skills, metadata } = task;
  return (
    <details className="text-sm">
      <summary className="w-fit min-h-6 text-quiet hover:text-ink">Details</summary>
      <div className="mt-2">
        <Facts>
          <Fact name="Id">
            <code className="font-mono text-xs">{id}</code>
          </Fact>
          <Fact name="Made">
            <ExactTime at={created_at} />
          </Fact>
          {started_at === null ? null : (
            <Fact name="Started">
              <ExactTime at={started_at} />
            </Fact>
          )}
          {ended_at === null ? null : (
            <Fact name="Ended">
              <ExactTime at={ended_at} />
            </Fact>
          )}
          {skills.length === 0 ? null : (
            <Fact name="Skills">
              <ul>
                {skills.map(({ name, how, note }) => (
                  <li key={name}>
                    <bdi>{oneLine(name, 80)}</bdi>, {HOW[how]}
                    {note === null ? null : <p className="text-quiet">{note}</p>}
                  </li>
                ))}
              </ul>
            </Fact>
          )}
          {Object.keys(metadata).length === 0 ? null : (
            <Fact name="Metadata">
              <JsonBlock value={metadata} label="Metadata" />
            </Fact>
          )}
        </Facts>
      </div>
    </details>
  );
}
