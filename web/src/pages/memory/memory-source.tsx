/** Where a memory came from: who wrote it, in which task, when. */
import { Link } from "@tanstack/react-router";
import { useAuthor } from "../../api/author.ts";
import type { Memory } from "../../api/types.generated.ts";
import { Time } from "../../ui/time.tsx";
import { Name } from "../../ui/name.tsx";

export function MemorySource({ memory }: { readonly memory: Memory }) {
  const { author, source_task, created_at, updated_at } = memory;
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-0.5 text-sm text-quiet">
      <span>
        By <AuthorName id={author} />
        {source_task === null ? null : (
          <>
            {" in "}
            <Link to="/tasks/$taskId" params={{ taskId: source_task }} className="text-accent underline">
              this task
            </Link>
          </>
        )}
      </span>
      <Time at={created_at} />
      {updated_at === created_at ? null : (
        <span>
          changed <Time at={updated_at} />
        </span>
      )}
    </p>
  );
}

function AuthorName({ id }: { readonly id: string }) {
  const { kind, name } = useAuthor(id);
  if (kind === "agent")
    return (
      <Link to="/agents/$agentId" params={{ agentId: id }} className="text-accent underline">
        the agent <Name>{name}</Name>
      </Link>
    );
  return (
    <>
      {kind === "key" ? "somebody with the key " : ""}
      <Name>{kind === "key" ? `“${name}”` : name}</Name>
    </>
  );
}
