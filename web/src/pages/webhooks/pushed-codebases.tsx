/** Which codebases the pushes to a webhook can index. A push finds its own by repository and branch. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Name } from "../../ui/name.tsx";
import { ProblemNotice, Skeleton } from "../../ui/notice.tsx";
import { describeSource } from "../code/code-words.ts";
import { NEW } from "../code/code-search.ts";
import { codebasesQuery } from "../code/codebase-queries.ts";

export function PushedCodebases() {
  const { data, error, isPending, refetch } = useQuery(codebasesQuery);
  if (isPending) return <Skeleton rows={2} height="h-6" />;
  if (data === undefined)
    return <ProblemNotice error={error} doing="Couldn't load codebases" onRetry={() => void refetch()} />;
  const pushed = data.filter(({ source }) => "git" in source);
  if (pushed.length === 0)
    return (
      <p>
        No codebase has a git repository yet.{" "}
        <Link to="/code" search={{ open: NEW }} className="text-accent underline">
          Add a codebase
        </Link>
      </p>
    );
  return (
    <div className="flex flex-col gap-1">
      <p className="text-sm text-quiet">
        A push to one of these repositories indexes its codebase, if it is a push to the codebase's branch or tag:
      </p>
      <ul aria-label="Codebases with a git repository" className="flex flex-col gap-1">
        {pushed.map(({ id, name, source }) => (
          <li key={id}>
            <span className="font-medium">{name}</span>{" "}
            <Name className="text-sm text-quiet [overflow-wrap:anywhere]">{describeSource(source)}</Name>
          </li>
        ))}
      </ul>
    </div>
  );
}
